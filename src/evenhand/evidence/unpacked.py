"""What a packed file becomes when it is read, held against its size: a few kilobytes may unpack to all memory there is.

Real data has things in it that do not pack away: ids, scores, words. The limits are far beyond any of it.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO

from evenhand import limits
from evenhand.errors import InputError


@dataclass
class Unpacked:
    """What a file declares, added up as it is found: rows by column, and bytes. `InputError` once it is absurd."""

    path: Path
    size: int = 0
    rows: Counter[int] = field(default_factory=Counter)

    @cached_property
    def weight(self) -> int:
        """The bytes of the file itself."""
        return self.path.stat().st_size

    def add_rows(self, rows: int, column: int = 0) -> None:
        """Of one column; a list has several values in a row."""
        most = limits.ROWS_FREE + limits.ROWS_PER_BYTE * self.weight
        self.rows[column] += _natural(rows)
        if self.rows[column] > most:
            problem = f"declares {self.rows[column]:,} rows in {self.weight:,} bytes, and at most {most:,} are read"
            raise _suspicious(self.path, problem)

    def add_bytes(self, size: int) -> None:
        """Of one part that is unpacked at once."""
        self.size += _natural(size)
        check_size(self.path, self.size, self.weight, limits.UNPACKED_TABLE)


def _natural(number: int) -> int:
    if number < 0:
        raise ValueError
    return number


def damaged(path: Path, kind: str) -> InputError:
    """A file whose own description cannot be followed."""
    return InputError(f"not a readable {kind} file; it may be cut off or of another format", source=str(path))


def check_size(path: Path, unpacked: int, weight: int, times: int) -> None:
    """`InputError` where a file of this weight unpacks to more than so many times itself."""
    most = limits.UNPACKED_FREE + times * weight
    if unpacked > most:
        raise _suspicious(path, f"unpacks to more than {most:,} bytes from {weight:,}")


def _suspicious(path: Path, problem: str) -> InputError:
    return InputError(f"the file {problem}: if it is sound, give it unpacked, as CSV", source=str(path))


def too_many_columns(columns: int, path: Path | str) -> InputError:
    """A table that is wider than any table of items."""
    return InputError(f"the file has {columns:,} columns, and at most {limits.COLUMNS:,} are read", source=str(path))


def check_holes(path: Path) -> None:
    """A file may be terabytes long and lie on the disk in a few blocks; what was never written reads as zeros."""
    there = path.stat()
    blocks = getattr(there, "st_blocks", 0)  # Windows and some network drives do not say
    if blocks and there.st_size > limits.UNPACKED_FREE + limits.UNPACKED_TEXT * 512 * blocks:
        problem = f"of {there.st_size:,} bytes {512 * blocks:,} were ever written: the rest of the file is a hole"
        raise InputError(problem, source=str(path))


def read_footer(file: IO[bytes], magic: bytes) -> bytes | None:
    """What stands before its length and the magic word at the end of a file; None where there is none."""
    size = file.seek(0, os.SEEK_END)
    tail = 4 + len(magic)
    if size < 2 * tail:
        return None
    file.seek(size - tail)
    ending = file.read(tail)
    length = int.from_bytes(ending[:4], "little")
    if ending[4:] != magic or not 0 < length <= size - tail:
        return None
    if length > limits.FOOTER_BYTES:
        raise InputError(f"its columns are described in {length:,} bytes, and at most {limits.FOOTER_BYTES:,} are read")
    file.seek(size - tail - length)
    return file.read(length)
