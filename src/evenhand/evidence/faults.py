"""Why a file could not be read, and in which row. Rows are only looked into when reading has already failed."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

import polars as pl

from evenhand.errors import InputError, nearest

UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)  # what a reader raises
BROKEN = (OSError, EOFError, zlib.error)  # what a damaged gzip file raises


def explain(error: BaseException, name: str, kind: str | None, found: InputError | None) -> InputError:
    """One line that a person can act on: where the fault was found, or else what the reader said."""
    if isinstance(error, PermissionError):
        return InputError("the file may not be read: permission denied", source=name)
    if found:
        return found.within(name)
    if isinstance(error, pl.exceptions.NoDataError):
        return InputError("the file holds no rows", source=name)
    if kind:
        problem = f"not a readable {kind} file; it may be cut off or of another format ({_first(error)})"
        return InputError(problem, source=name)
    return InputError(f"could not be read: {_first(error)}", source=name)


def unknown_column(column: str, known: list[str], name: str) -> InputError:
    """A column that is not there, with the nearest that is."""
    if column == "?":
        return InputError("a column is still '?': say which one it is", source=name)
    return InputError(f"there is no column '{column}'; {nearest(column, known)}", source=name)


def no_patterns(columns: Sequence[str], name: str) -> list[str]:
    """Columns by their very names; '*' and '^…$' would stand for others too."""
    for column in columns:
        if column == "*" or (column.startswith("^") and column.endswith("$")):
            raise InputError(
                "a name like this is a pattern to the reader: rename the column", source=name, column=column
            )
    return list(columns)


def _first(error: BaseException) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def separator(path: Path) -> str:
    """Commas in .csv and tabs in .tsv, unless the header has none of them and semicolons or tabs instead."""
    usual = "\t" if ".tsv" in path.name.lower() else ","
    header = _header(path)
    return usual if usual in header else next((other for other in (";", "\t", ",") if other in header), usual)


def check_header(path: Path) -> None:
    """What a reader would take without a word: text in UTF-16, and names that occur twice."""
    header = _header(path)
    if "\0" in header:
        raise InputError("not UTF-8 text (it looks like UTF-16): save the file as UTF-8", source=str(path))
    if "�" in header:
        raise InputError("not UTF-8 text in the header: save the file as UTF-8", source=str(path))
    try:
        names = header.split(separator(path)) if '"' not in header else next(_rows([header], path), [])
    except csv.Error:
        raise InputError('a quote (") in the header is not closed in its line', source=str(path)) from None
    if twice := [name for name in names if name and names.count(name) > 1]:
        raise InputError(f"the header names '{twice[0]}' more than once", source=str(path))


def _header(path: Path) -> str:
    try:
        with _open(path) as file:
            return file.readline(1 << 20).decode("utf-8", errors="replace").rstrip("\r\n")
    except BROKEN:
        return ""  # reading will say what is wrong


def in_delimited(path: Path) -> InputError | None:
    """The row at which delimited text breaks; rows are numbered from 1 after the header, as everywhere."""
    return _whole(path) or _encoding(path) or _walk(path)


def in_json_lines(path: Path) -> InputError | None:
    """The line at which JSON lines break."""
    return _encoding(path) or _json_lines(path)


def cut_off(path: Path) -> InputError | None:
    """The first row with fewer fields than the header."""
    return _walk(path, fewer=True)


def _open(path: Path) -> IO[bytes]:
    """Compressed or not, by how it begins rather than by what it is called."""
    with path.open("rb") as file:
        packed = path.suffix.lower() == ".gz" and file.read(2) == b"\x1f\x8b"
    return gzip.open(path) if packed else path.open("rb")  # type: ignore[return-value]


def _whole(path: Path) -> InputError | None:
    try:
        with _open(path) as file:
            while file.read(1 << 20):
                pass
    except BROKEN as error:
        return InputError(f"the compressed file is damaged or cut off ({error})")
    return None


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
                record = json.loads(line.decode("utf-8", errors="replace")) if line.strip() else {}
            except (ValueError, RecursionError) as error:
                return InputError(f"not valid JSON: {getattr(error, 'msg', error)}", row=number)
            if not isinstance(record, dict):
                return InputError("each line must be one JSON object", row=number)
    return None


def _walk(path: Path, *, fewer: bool = False) -> InputError | None:
    with _open(path) as file:
        lines = (line.decode("utf-8", errors="replace") for line in file)
        return _fields(_rows(lines, path), fewer=fewer)


def _rows(lines: Iterable[str], path: Path) -> Iterator[list[str]]:
    """Fields as they stand, however long: a comment may be longer than what the csv module takes by itself."""
    csv.field_size_limit(1 << 30)
    return csv.reader(lines, delimiter=separator(path), strict=True)


def _fields(reader: Iterator[list[str]], *, fewer: bool) -> InputError | None:
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
            problem = f"{len(fields)} fields where the header has {len(header)}: a separator too many?"
            return InputError(problem, row=row)
        if fewer and 0 < len(fields) < len(header):
            problem = f"{len(fields)} fields where the header has {len(header)}: is the file cut off here?"
            return InputError(problem, row=row)
