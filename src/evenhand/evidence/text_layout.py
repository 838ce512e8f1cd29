"""How a table is written as text: what separates columns, which sign decimals have, which encoding letters have.

Spreadsheets write all three as the country does that they are set to. What nobody declares is guessed from the
beginning of the file, and a guess that is not the usual one is said in a line.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import logging
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import IO

from evenhand import limits
from evenhand.errors import InputError

HEAD_BYTES = 64 * limits.KIB
HEAD_ROWS = 100
BROKEN = (OSError, EOFError, zlib.error)  # what a damaged gzip file raises
UTF8 = "utf-8"
NOT_FOR_FILES = ("idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined")  # encodings of other things
DATE_ORDERS = ("day-first", "month-first")  # of dates that do not begin with the year
SKIPPED = "true"  # files of a folder that cannot be read are left out
SIGNS = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "pipe": "|", "point": ".", "space": " "}
SIGN_NAMES = {"\t": "tabs", " ": "spaces"}
WITH_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?\s?%?")
WITH_POINT = re.compile(r"[+-]?\d*\.\d+(?:[eE][+-]?\d+)?\s?%?")
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+")

logger = logging.getLogger("evenhand.notices")


@dataclass(frozen=True)
class TextLayout:
    """The separator of columns, the decimal sign and the encoding of a table in text."""

    separator: str = ","
    decimal: str = "."
    encoding: str = UTF8

    def __str__(self) -> str:
        between = SIGN_NAMES.get(self.separator) or f"'{self.separator}'"
        sign = "comma" if self.decimal == "," else "point"
        return f"{between} between columns, decimal {sign} and encoding {self.encoding}"


_DECLARED: ContextVar[Mapping[str, str]] = ContextVar("declared_layout", default=MappingProxyType({}))


@contextmanager
def declared_layout(
    *,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    date_order: str | None = None,
    skip_bad: bool | str | None = None,
) -> Iterator[None]:
    """Every table that is opened within is read so; what is None is guessed, or as it was declared outside.

    With `skip_bad`, files of a folder that cannot be read are left out; how many were is said with the result.
    """
    declared = {
        "separator": None if separator is None else _separator(separator),
        "decimal": None if decimal is None else _decimal(decimal),
        "encoding": None if encoding is None else _encoding(encoding),
        "date_order": None if date_order is None else _date_order(date_order),
        "skip_bad": SKIPPED if str(skip_bad).lower() == SKIPPED else None,
    }
    token = _DECLARED.set({**_DECLARED.get(), **{name: value for name, value in declared.items() if value is not None}})
    try:
        yield
    finally:
        _DECLARED.reset(token)


def declared_layout_values() -> Mapping[str, str]:
    """What is declared here, by the names of the settings."""
    return _DECLARED.get()


def declared_decimal() -> str:
    """The decimal sign of tables that have no layout to be guessed, such as texts in a workbook."""
    return _DECLARED.get().get("decimal", ".")


def declared_skip_bad() -> bool:
    """Whether files of a folder that cannot be read are left out."""
    return _DECLARED.get().get("skip_bad") == SKIPPED


def declared_date_order() -> str | None:
    """Whether dates have the day or the month first, where somebody said so."""
    return _DECLARED.get().get("date_order")


def _separator(value: str) -> str:
    sign = SIGNS.get(value.lower(), value)
    if len(sign) != 1 or not sign.isascii() or sign in '"\r\n\0':
        raise InputError(f"invalid `separator`: '{value}' (must be one character, such as ; or tab)")
    return sign


def _decimal(value: str) -> str:
    sign = SIGNS.get(value.lower(), value)
    if sign not in (".", ","):
        raise InputError(f"invalid `decimal`: '{value}' (choose from: . ,)")
    return sign


def _date_order(value: str) -> str:
    if value not in DATE_ORDERS:
        raise InputError(f"invalid `date_order`: '{value}' (choose from: {', '.join(DATE_ORDERS)})")
    return value


def _encoding(value: str) -> str:
    try:
        name = codecs.lookup(value).name
        "a".encode(name)  # some codecs turn bytes into bytes
    except (LookupError, ValueError, TypeError):
        name = ""
    if not name or name in NOT_FOR_FILES:
        raise InputError(f"unknown `encoding`: '{value}' (such as utf-8, cp1252 or utf-16)")
    return name


def usual_separator(path: Path) -> str:
    """Tabs in .tsv and in .txt, which is how spreadsheets save Unicode text; else commas."""
    return "\t" if re.search(r"\.(tsv|txt)(\.gz)?$", path.name, re.IGNORECASE) else ","


def read_layout(path: Path) -> TextLayout:
    """What is declared, and for the rest a guess from the beginning of the file, which is said if it is unusual."""
    declared = {name: value for name, value in _DECLARED.get().items() if name in asdict(TextLayout())}
    usual = usual_separator(path)
    layout = guess_layout(_head(path), usual, declared)
    if len(declared) < len(asdict(layout)) and layout != replace(TextLayout(usual), **declared):
        logger.warning(f"Reading {path} with {layout}; change with `separator`, `decimal`, `encoding`")
    return layout


def guess_layout(head: bytes, usual: str = ",", declared: Mapping[str, str] | None = None) -> TextLayout:
    """The layout of a text that begins so; `declared` parts of it are known."""
    known = declared or {}
    encoding = known.get("encoding") or _guess_encoding(head)
    lines = head.decode("utf-8-sig" if encoding == UTF8 else encoding, errors="replace").splitlines(keepends=True)
    whole = lines[:-1] if len(lines) > 1 and len(head) >= HEAD_BYTES else lines
    separator = known.get("separator") or _guess_separator(whole, usual)
    decimal = known.get("decimal") or _guess_decimal(whole, separator)
    return TextLayout(separator, decimal, encoding)


def open_text(path: Path) -> IO[bytes]:
    """Compressed or not, by how it begins rather than by what it is called."""
    with path.open("rb") as file:
        packed = path.suffix.lower() == ".gz" and file.read(2) == b"\x1f\x8b"
    return gzip.open(path) if packed else path.open("rb")  # type: ignore[return-value]


def decoded_text(path: Path, encoding: str, errors: str = "replace") -> io.TextIOWrapper:
    """The lines of a file, its mark of the byte order left out."""
    codec = "utf-8-sig" if encoding == UTF8 else encoding
    return io.TextIOWrapper(open_text(path), encoding=codec, errors=errors, newline="")


def csv_rows(lines: Iterator[str], separator: str, *, strict: bool = True) -> Iterator[list[str]]:
    """Fields as they stand: a comment may be longer than what the csv module takes by itself."""
    csv.field_size_limit(limits.FIELD_BYTES)
    return csv.reader(lines, delimiter=separator, strict=strict)


def _head(path: Path) -> bytes:
    try:
        with open_text(path) as file:
            return file.read(HEAD_BYTES)
    except BROKEN:
        return b""  # reading will say what is wrong


def _guess_encoding(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for encoding, high in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
        if 2 * high.count(0) > len(high) > 0:
            return encoding
    try:
        codecs.getincrementaldecoder(UTF8)().decode(head)
    except UnicodeDecodeError:
        return "cp1252"
    return UTF8


def _guess_separator(lines: list[str], usual: str) -> str:
    """The usual one if it is in the header; of several the one that gives rows of equal length."""
    header = lines[0] if lines else ""
    there = [sign for sign in dict.fromkeys((usual, ";", "\t", ",", "|")) if sign in header]
    return max(there, key=lambda sign: _regularity(lines, sign)) if len(there) > 1 else there[0] if there else usual


def _regularity(lines: list[str], separator: str) -> float:
    rows = _sample_rows(lines, separator)
    return sum(len(row) == len(rows[0]) for row in rows) / len(rows) if rows and len(rows[0]) > 1 else 0.0


def _guess_decimal(lines: list[str], separator: str) -> str:
    commas = points = 0
    for row in _sample_rows(lines, separator)[1:]:
        for value in map(str.strip, row):
            points += bool(WITH_POINT.fullmatch(value))
            commas += bool(WITH_COMMA.fullmatch(value)) and not THOUSANDS.fullmatch(value)
    return "," if commas > points else "."


def _sample_rows(lines: list[str], separator: str) -> list[list[str]]:
    try:
        return [row for row in islice(csv_rows(iter(lines), separator, strict=False), HEAD_ROWS) if row]
    except csv.Error:
        return []
