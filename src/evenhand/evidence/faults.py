"""Why a file could not be read, and in which row. Only looked into when reading has already failed."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import polars as pl

from evenhand.errors import InputError, nearest


def explain(error: Exception, name: str, path: Path | None) -> InputError:
    """One line that a person can act on."""
    if isinstance(error, PermissionError):
        return InputError("the file may not be read: permission denied", source=name)
    found = _locate(path) if path else None
    if found:
        return found.within(name)
    if isinstance(error, pl.exceptions.NoDataError):
        return InputError("the file holds no rows", source=name)
    if path and path.suffix.lower() in (".parquet", ".arrow", ".feather"):
        kind = "Parquet" if path.suffix.lower() == ".parquet" else "Arrow"
        return InputError(
            f"not a readable {kind} file; it may be cut off or of another format ({_first(error)})", source=name
        )
    return InputError(f"could not be read: {_first(error)}", source=name)


def unknown_column(column: str, known: list[str], name: str) -> InputError:
    """A column that is not there, with the nearest that is."""
    return InputError(f"there is no column '{column}'; {nearest(column, known)}", source=name)


def _first(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def _locate(path: Path) -> InputError | None:
    """The row of a text file at which it breaks."""
    name = path.name.lower()
    if name.endswith((".jsonl", ".ndjson")):
        return _encoding(path) or _json_lines(path)
    if name.endswith((".csv", ".csv.gz", ".tsv")):
        return _encoding(path) or _delimited(path, "\t" if name.endswith(".tsv") else ",")
    return None


def _open(path: Path) -> IO[bytes]:
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def _encoding(path: Path) -> InputError | None:
    with _open(path) as file:
        for number, line in enumerate(file):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                bad = line[error.start : error.start + 1].hex()
                return InputError(f"not UTF-8 text (byte 0x{bad}): save the file as UTF-8", row=max(1, number))
    return None


def _json_lines(path: Path) -> InputError | None:
    with _open(path) as file:
        for number, line in enumerate(file, start=1):
            try:
                record = json.loads(line) if line.strip() else {}
            except json.JSONDecodeError as error:
                return InputError(f"not valid JSON: {error.msg}", row=number)
            if not isinstance(record, dict):
                return InputError("each line must be one JSON object", row=number)
    return None


def _delimited(path: Path, separator: str) -> InputError | None:
    """Rows are numbered from 1 after the header, as everywhere."""
    with _open(path) as file:
        lines = (line.decode("utf-8", errors="replace") for line in file)
        reader = csv.reader(lines, delimiter=separator, strict=True)
        return _walk(reader)


def _walk(reader: Iterator[list[str]]) -> InputError | None:
    header: list[str] | None = None
    row = 0
    while True:
        try:
            fields = next(reader)
        except StopIteration:
            return None
        except csv.Error:
            return InputError('a quote (") is opened and not closed, or stands inside a field', row=max(1, row + 1))
        if header is None:
            header = fields
            continue
        row += 1
        if len(fields) > len(header):
            return InputError(
                f"{len(fields)} fields where the header has {len(header)}: a separator too many?", row=row
            )
