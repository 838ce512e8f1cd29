"""Why a file could not be read, and in which row. Rows are only looked into when reading has already failed."""

from __future__ import annotations

import codecs
import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import polars as pl

from evenhand import limits
from evenhand.errors import InputError, nearest
from evenhand.evidence.text_layout import BROKEN, UTF8, TextLayout, csv_rows, decoded_text, open_text
from evenhand.evidence.unpacked import too_many_columns

UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)  # what a reader raises


def explain_failure(error: BaseException, name: str, kind: str | None, fault: InputError | None) -> InputError:
    """One line that a person can act on: where the fault was fault, or else what the reader said."""
    if isinstance(error, PermissionError):
        return InputError("the file may not be read: permission denied", source=name)
    if fault:
        return fault.within(name)
    if isinstance(error, pl.exceptions.NoDataError):
        return InputError("there are no rows", source=name)
    if kind:
        problem = f"not a readable {kind} file; it may be cut off or of another format ({first_line(error)})"
        return InputError(problem, source=name)
    return InputError(f"could not be read: {first_line(error)}", source=name)


def unknown_column(column: str, known: list[str], name: str) -> InputError:
    """A column that is not there, with the nearest that is."""
    if column == "?":
        return InputError("a column is still '?': say which one it is", source=name)
    return InputError(f"there is no column '{column}'; {nearest(column, known)}", source=name)


def literal_names(columns: Sequence[str], name: str) -> list[str]:
    """Columns by their very names; '*' and '^…$' would stand for others too."""
    for column in columns:
        if column == "*" or (column.startswith("^") and column.endswith("$")):
            raise InputError(
                "a name like this is a pattern to the reader: rename the column", source=name, column=column
            )
    return list(columns)


def first_line(error: BaseException) -> str:
    """What a reader said, without what stands below it."""
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def check_header(path: Path, layout: TextLayout) -> None:
    """What a reader would take without a word: letters that are none, and names that occur twice."""
    header = _header(path, layout)
    if "\0" in header or "�" in header:
        raise InputError(_not_decodable(layout, " in the header"), source=str(path))
    try:
        names = next(csv_rows(iter([header]), layout.separator), [])
    except csv.Error:
        raise InputError('a quote (") in the header is not closed in its line', source=str(path)) from None
    if len(names) > limits.COLUMNS:
        raise too_many_columns(len(names), path)
    if twice := [name for name, times in Counter(names).items() if name and times > 1]:
        raise InputError(f"the header names '{twice[0]}' more than once", source=str(path))


def _not_decodable(layout: TextLayout, place: str) -> str:
    other = "cp1252" if layout.encoding == UTF8 else UTF8
    return f"not {layout.encoding.upper()} text{place}: set `encoding`, such as {other}"


def _header(path: Path, layout: TextLayout) -> str:
    try:
        with decoded_text(path, layout.encoding) as text:
            return text.readline(limits.FIELD_BYTES).rstrip("\r\n")
    except BROKEN:
        return ""  # reading will say what is wrong


def find_delimited_fault(path: Path, layout: TextLayout) -> InputError | None:
    """The row at which delimited text breaks; rows are numbered from 1 after the header, as everywhere."""
    return _damage(path) or _undecodable_field(path, layout) or _field_fault(path, layout)


def find_json_fault(path: Path) -> InputError | None:
    """The line at which JSON lines break."""
    return _undecodable_line(path) or _json_fault(path)


def find_cut_off_row(path: Path, layout: TextLayout) -> InputError | None:
    """The first row with fewer fields than the header."""
    return _field_fault(path, layout, fewer=True)


def _damage(path: Path) -> InputError | None:
    try:
        with open_text(path) as file:
            while file.read(1 << 20):
                pass
    except BROKEN as error:
        return InputError(f"the compressed file is damaged or cut off ({error})")
    return None


FIRST_MARK = 0xDC00  # of 256 code points that no text has: a byte that cannot be decoded
MARKED = re.compile("[\udc00-\udcff]")


def _mark_byte(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return chr(FIRST_MARK + error.object[error.start]), error.end


codecs.register_error("evenhand.mark", _mark_byte)


def _undecodable_field(path: Path, layout: TextLayout) -> InputError | None:
    """The first field that holds bytes that are not of the encoding."""
    with decoded_text(path, layout.encoding, "evenhand.mark") as text:
        rows = csv_rows(text, layout.separator, strict=False)
        try:
            header = next(rows, [])
            for row, fields in enumerate(chain([header], rows)):
                for number, value in enumerate(fields):
                    if marks := MARKED.search(value):
                        byte = f" (byte 0x{ord(marks[0]) - FIRST_MARK:02x})"
                        column = header[number] if number < len(header) and row else None
                        return InputError(_not_decodable(layout, byte), column=column, row=row or 1)
        except csv.Error:
            return None
    return None


def _undecodable_line(path: Path) -> InputError | None:
    with open_text(path) as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                byte = line[error.start]
                return InputError(f"not UTF-8 text (byte 0x{byte:02x}): save the file as UTF-8", row=number)
    return None


def _json_fault(path: Path) -> InputError | None:
    with open_text(path) as file:
        for number, line in enumerate(file, start=1):
            try:
                record = json.loads(line.decode("utf-8", errors="replace")) if line.strip() else {}
            except (ValueError, RecursionError) as error:
                return InputError(f"not valid JSON: {getattr(error, 'msg', error)}", row=number)
            if not isinstance(record, dict):
                return InputError("each line must be one JSON object", row=number)
    return None


def _field_fault(path: Path, layout: TextLayout, *, fewer: bool = False) -> InputError | None:
    with decoded_text(path, layout.encoding) as text:
        return _fault_in_fields(csv_rows(text, layout.separator), fewer=fewer)


def _fault_in_fields(reader: Iterator[list[str]], *, fewer: bool) -> InputError | None:
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
            problem = f"{len(fields)} fields, but the header has {len(header)}; remove or quote the extra separator"
            return InputError(problem, row=row)
        if fewer and 0 < len(fields) < len(header):
            problem = f"{len(fields)} fields, but the header has {len(header)}; check whether the file is cut off here"
            return InputError(problem, row=row)
