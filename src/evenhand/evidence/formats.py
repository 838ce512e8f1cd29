"""The file formats of tables: one row for each that can be read, and the writers by the ending of the file.

A file is written whole or not at all.
"""

from __future__ import annotations

import glob
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from evenhand import limits
from evenhand.errors import InputError
from evenhand.evidence import reading_errors
from evenhand.evidence.arrow_buffers import check_arrow
from evenhand.evidence.lines import check_gzip, check_keys, check_lines
from evenhand.evidence.parquet_pages import check_parquet
from evenhand.evidence.text_layout import BROKEN, UTF8, TextLayout, read_layout
from evenhand.evidence.transcoding import Utf8Copy
from evenhand.evidence.unpacked import check_holes
from evenhand.evidence.xlsx import read_xlsx
from evenhand.files import check_replaceable, failure_reason, fresh_file, remove_empty
from evenhand.staging import hidden_folder

LOOKED_AT = 10_000  # rows from which the types of columns are inferred at first


@dataclass(frozen=True)
class FileFormat:
    """How files with one of the endings are read, and how the place of a fault in one is found."""

    name: str
    endings: tuple[str, ...]
    scan: Callable[[TableFile], pl.LazyFrame]
    check: Callable[[Path], object] | None = None  # what is looked at before anything is read
    again: Callable[[TableFile], pl.LazyFrame] | None = None  # with types inferred from every row
    verbatim: Callable[[TableFile], pl.LazyFrame] | None = None  # with every field as the text it is
    locate: Callable[[TableFile], InputError | None] | None = None
    cut_off: Callable[[TableFile], InputError | None] | None = None  # rows that end too early, which readers fill up


def _delimited(file: TableFile, looked_at: int | None) -> pl.LazyFrame:
    return pl.scan_csv(
        file.content,
        separator=file.layout.separator,
        decimal_comma=file.layout.decimal == ",",
        infer_schema_length=looked_at,
        glob=False,
    )


def _verbatim(file: TableFile) -> pl.LazyFrame:
    return pl.scan_csv(file.content, separator=file.layout.separator, infer_schema=False, glob=False)


def _check_delimited(path: Path) -> None:
    (check_gzip if path.suffix.lower() == ".gz" else check_lines)(path)


def _json_lines(file: TableFile, looked_at: int | None) -> pl.LazyFrame:
    check_keys(file.path, looked_at)
    return pl.scan_ndjson(glob.escape(str(file.path)), infer_schema_length=looked_at)


FORMATS = (
    FileFormat("Parquet", (".parquet",), lambda file: pl.scan_parquet(file.path, glob=False), check_parquet),
    FileFormat(
        "CSV",
        (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz"),
        lambda file: _delimited(file, LOOKED_AT),
        _check_delimited,
        lambda file: _delimited(file, None),
        _verbatim,
        lambda file: reading_errors.find_delimited_fault(file.path, file.layout),
        lambda file: reading_errors.find_cut_off_row(file.path, file.layout),
    ),
    FileFormat(
        "JSONL",
        (".jsonl", ".ndjson"),
        lambda file: _json_lines(file, LOOKED_AT),
        check_lines,
        lambda file: _json_lines(file, None),
        locate=lambda file: reading_errors.find_json_fault(file.path),
    ),
    FileFormat("Arrow", (".arrow", ".feather"), lambda file: pl.scan_ipc(file.path, glob=False), check_arrow),
    FileFormat("XLSX", (".xlsx",), lambda file: read_xlsx(file.path)),
)


def _state(path: Path) -> tuple[int, ...]:
    """What differs when a file is another or was written to; nothing where there is none."""
    try:
        there = path.stat()
    except OSError:
        return ()
    return there.st_dev, there.st_ino, there.st_size, there.st_mtime_ns


@dataclass(frozen=True)
class TableFile:
    """A file and its format, found by the ending of its name; and how it was when it was opened."""

    path: Path
    format: FileFormat
    state: tuple[int, ...] = ()
    layout: TextLayout = field(default_factory=TextLayout)
    copy: Utf8Copy | None = None

    @classmethod
    def from_path(cls, path: Path) -> TableFile:
        """`InputError` when the ending is unknown."""
        endings = {ending: file_format for file_format in FORMATS for ending in file_format.endings}
        for ending, file_format in endings.items():
            if path.name.lower().endswith(ending):
                return cls(path, file_format, _state(path))
        raise InputError(f"the format of this file is unknown; Evenhand reads {', '.join(endings)}", source=str(path))

    def check(self) -> None:
        """Refuse what would take far more memory than its size tells, before anything is read."""
        check_holes(self.path)
        if self.format.check:
            self.format.check(self.path)

    def decoded(self) -> TableFile:
        """The same with the layout of its text, which is copied where it is not UTF-8."""
        if not self.is_delimited:
            return self
        file = replace(self, layout=read_layout(self.path))
        reading_errors.check_header(file.path, file.layout)
        if file.layout.encoding == UTF8:
            return file
        try:
            return replace(file, copy=Utf8Copy(file.path, file.layout.encoding))
        except (UnicodeError, *BROKEN) as error:
            raise file.explain(error) from None

    @property
    def content(self) -> Path:
        """Where its text is in UTF-8."""
        return self.copy.path if self.copy else self.path

    def check_unchanged(self) -> None:
        """Fail when the file was replaced, cut or written to since it was opened: parts of two would be mixed."""
        if self.state != _state(self.path):
            problem = "the file has changed since it was opened: run again when nobody writes to it"
            raise InputError(problem, source=str(self.path))

    @property
    def is_delimited(self) -> bool:
        """Types are guessed, and readers are lenient about fields."""
        return self.format.verbatim is not None

    @property
    def is_packed(self) -> bool:
        """It is small, and what it says may be far longer: equal texts are kept once."""
        return self.format.name in ("Parquet", "Arrow") and self.size < limits.TEXTS_ADDED_UP

    @property
    def size(self) -> int:
        """In bytes."""
        return self.path.stat().st_size

    def scan(self, *, every_row: bool = False) -> pl.LazyFrame:
        """The table; with types inferred from every row for when the first ones misled."""
        scan = self.format.again if every_row and self.format.again else self.format.scan
        return scan(self)

    def verbatim(self) -> pl.LazyFrame:
        """The table with nothing changed: fields of delimited text stay text."""
        return self.format.verbatim(self) if self.format.verbatim else self.scan(every_row=True)

    def explain(self, error: BaseException) -> InputError:
        """Why reading failed, and in which row."""
        fault = self.format.locate(self) if self.format.locate else None
        return reading_errors.explain_failure(error, str(self.path), self.format.name, fault)

    def check_whole(self) -> None:
        """Fail when a row ends before its last field; readers take such rows as if they held empty fields."""
        if self.format.cut_off and (fault := self.format.cut_off(self)):
            raise fault.within(str(self.path))


def _sink_delimited(frame: pl.LazyFrame, path: Path, layout: TextLayout) -> None:
    """As the layout says, in UTF-8; with a mark by which a spreadsheet knows it, where the layout has another one."""
    is_tsv = path.suffix.lower() == ".tsv"
    frame.sink_csv(
        path,
        separator="\t" if is_tsv else "," if layout.separator == "\t" else layout.separator,
        decimal_comma=layout.decimal == ",",
        include_bom=layout.encoding != UTF8,
    )


SINKS: dict[str, Callable[[pl.LazyFrame, Path, TextLayout], object]] = {
    ".parquet": lambda frame, path, _: frame.sink_parquet(path),
    ".csv": _sink_delimited,
    ".tsv": _sink_delimited,
    ".jsonl": lambda frame, path, _: frame.sink_ndjson(path),
    ".arrow": lambda frame, path, _: frame.sink_ipc(path),
}


def check_output_file(out: Path, columns: pl.Schema | None = None) -> None:
    """Refuse what cannot be written before the work rather than after it; leave nothing behind."""
    if out.suffix.lower() not in SINKS:
        raise InputError(f"the output must end in one of {', '.join(SINKS)}", source=str(out))
    check_replaceable(out)
    made = [folder for folder in out.parents if not folder.exists()]  # innermost first
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with hidden_folder(out.parent) as trial:
            write_table(pl.DataFrame(schema=columns).lazy(), trial / out.name)
    except OSError as error:
        raise InputError(f"the file cannot be written: {failure_reason(error)}", source=str(out)) from None
    except InputError as error:
        raise InputError(error.problem, source=str(out)) from None
    finally:
        remove_empty(made)


def write_table(frame: pl.LazyFrame, out: Path, layout: TextLayout | None = None) -> None:
    """One file; larger than memory if need be. Delimited text has the layout, such as that of the file it came from."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with fresh_file(out) as fresh:
            SINKS[out.suffix.lower()](frame, fresh, layout or TextLayout())
    except pl.exceptions.PolarsError as error:
        problem = f"this table cannot be written as {out.suffix}: {failure_reason(error)}"
        raise InputError(problem, source=str(out)) from None
    except OSError as error:
        raise InputError(f"the file could not be written: {failure_reason(error)}", source=str(out)) from None
