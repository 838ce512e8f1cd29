"""Lines that no table has, looked for before a file of text is read: so long, or with so many names, that reading one
takes all memory.
"""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import IO

import polars as pl

from evenhand import limits
from evenhand.errors import InputError
from evenhand.evidence.unpacked import check_size, too_many_columns

BLOCK, STEP = 1 << 20, 1 << 16
KEY = r'"(?:[^"\\]|\\.)*"\s*:'  # of an object of JSON


def check_lines(path: Path) -> None:
    """Every so many bytes there is the end of a line. A few bytes of each stretch are read, from its end."""
    with path.open("rb", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        place = 0
        while size - place > limits.FIELD_BYTES:
            place = _last_end(file, place, place + limits.FIELD_BYTES, path)


def _last_end(file: IO[bytes], start: int, stop: int, path: Path) -> int:
    """Behind the last line that ends in a stretch."""
    while stop > start:
        first = max(start, stop - STEP)
        file.seek(first)
        if (end := file.read(stop - first).rfind(b"\n")) >= 0:
            return first + end + 1
        stop = first
    raise _too_long(path)


def _too_long(path: Path) -> InputError:
    return InputError(f"a line is longer than {limits.FIELD_BYTES:,} bytes, the most that is read", source=str(path))


def check_gzip(path: Path) -> None:
    """Unpack a file once, piece by piece, and keep nothing. A damaged one is for its reader to explain."""
    taken = unpacked = line = 0
    unpacker = zlib.decompressobj(wbits=31)
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            taken += len(block)
            while block:
                try:
                    piece = unpacker.decompress(block, BLOCK)
                except zlib.error:
                    return
                unpacked += len(piece)
                check_size(path, unpacked, taken, limits.UNPACKED_TEXT)
                line = line + len(piece) if (end := piece.rfind(b"\n")) < 0 else len(piece) - end - 1
                if line > limits.FIELD_BYTES:
                    raise _too_long(path)
                block = unpacker.unconsumed_tail
                if unpacker.eof:  # another part may follow in the same file
                    block, unpacker = unpacker.unused_data, zlib.decompressobj(wbits=31)


def check_keys(path: Path, rows: int | None) -> None:
    """Of the first lines of JSON, or of all: every name becomes a column, and each line may have others."""
    lines = pl.scan_lines(path, name="line", n_rows=rows, glob=False)
    named = lines.select(pl.col("line").str.extract_all(KEY).explode().approx_n_unique())
    if (names := named.collect(engine="streaming").item()) > limits.COLUMNS:
        raise too_many_columns(names, path)
