"""The file formats that tables come in: one row each."""

from __future__ import annotations

import glob
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from evenhand.errors import InputError
from evenhand.evidence import faults

LOOKED_AT = 10_000  # rows from which the types of columns are inferred at first


@dataclass(frozen=True)
class Format:
    """How files with one of the endings are read, and how the place of a fault in one is found."""

    name: str
    endings: tuple[str, ...]
    scan: Callable[[Path], pl.LazyFrame]
    again: Callable[[Path], pl.LazyFrame] | None = None  # with types inferred from every row
    verbatim: Callable[[Path], pl.LazyFrame] | None = None  # with every field as the text it is
    locate: Callable[[Path], InputError | None] | None = None
    cut_off: Callable[[Path], InputError | None] | None = None  # rows that end too early, which readers fill up


def _delimited(path: Path, looked_at: int | None) -> pl.LazyFrame:
    faults.check_header(path)
    return pl.scan_csv(path, separator=faults.separator(path), infer_schema_length=looked_at, glob=False)


def _verbatim(path: Path) -> pl.LazyFrame:
    faults.check_header(path)
    return pl.scan_csv(path, separator=faults.separator(path), infer_schema=False, glob=False)


def _json_lines(path: Path, looked_at: int | None) -> pl.LazyFrame:
    return pl.scan_ndjson(glob.escape(str(path)), infer_schema_length=looked_at)


def _xlsx(path: Path) -> pl.LazyFrame:
    try:
        import fastexcel  # noqa: F401
    except ImportError:
        raise InputError("reading XLSX needs an extra: pip install 'evenhand[xlsx]'", source=str(path)) from None
    logging.getLogger("fastexcel").addHandler(logging.NullHandler())  # it would speak on the error channel
    try:
        return pl.read_excel(path, engine="calamine", infer_schema_length=None).lazy()
    except Exception as error:  # the reader raises errors of several packages
        raise InputError(f"not a readable XLSX file ({error})", source=str(path)) from error


FORMATS = (
    Format("Parquet", (".parquet",), lambda path: pl.scan_parquet(path, glob=False)),
    Format(
        "CSV",
        (".csv", ".tsv", ".csv.gz", ".tsv.gz"),
        lambda path: _delimited(path, LOOKED_AT),
        lambda path: _delimited(path, None),
        _verbatim,
        faults.in_delimited,
        faults.cut_off,
    ),
    Format(
        "JSONL",
        (".jsonl", ".ndjson"),
        lambda path: _json_lines(path, LOOKED_AT),
        lambda path: _json_lines(path, None),
        locate=faults.in_json_lines,
    ),
    Format("Arrow", (".arrow", ".feather"), lambda path: pl.scan_ipc(path, glob=False)),
    Format("XLSX", (".xlsx",), _xlsx),
)


@dataclass(frozen=True)
class File:
    """A file and its format, found by the ending of its name."""

    path: Path
    format: Format

    @classmethod
    def of(cls, path: Path) -> File:
        """`InputError` when the ending is unknown."""
        endings = {ending: found for found in FORMATS for ending in found.endings}
        for ending, found in endings.items():
            if path.name.lower().endswith(ending):
                return cls(path, found)
        raise InputError(f"the format of this file is unknown; Evenhand reads {', '.join(endings)}", source=str(path))

    @property
    def is_delimited(self) -> bool:
        """Types are guessed, and readers are lenient about fields."""
        return self.format.verbatim is not None

    def scan(self, *, every_row: bool = False) -> pl.LazyFrame:
        """The table; with types inferred from every row for when the first ones misled."""
        scan = self.format.again if every_row and self.format.again else self.format.scan
        return scan(self.path)

    def verbatim(self) -> pl.LazyFrame:
        """The table with nothing changed: fields of delimited text stay text."""
        return self.format.verbatim(self.path) if self.format.verbatim else self.scan(every_row=True)

    def explain(self, error: BaseException) -> InputError:
        """Why reading failed, and in which row."""
        found = self.format.locate(self.path) if self.format.locate else None
        return faults.explain(error, str(self.path), self.format.name, found)

    def check_whole(self) -> None:
        """Fail when a row ends before its last field; readers take such rows as if they held empty fields."""
        if self.format.cut_off and (found := self.format.cut_off(self.path)):
            raise found.within(str(self.path))
