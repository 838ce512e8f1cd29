"""How much a Parquet file becomes when it is read, from what it says about its pages, without unpacking any.

A reader takes the memory that the header of a page asks for. The footer has sizes as well, which nobody holds against
the pages, so the header of each is looked at: some bytes of every megabyte.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from evenhand import limits
from evenhand.evidence import thrift
from evenhand.evidence.unpacked import Unpacked, damaged, read_footer, too_many_columns

MAGIC = b"PAR1"
SCHEMA, ROWS, GROUPS = 2, 3, 4  # fields of the footer
COLUMNS, GROUP_ROWS, ABOUT = 1, 3, 3  # of a group of rows, and of a column in it
VALUES, PACKED, DATA, DICTIONARY = 5, 7, 9, 11  # about a column: number of values, bytes, where its pages begin
PAGE_UNPACKED, PAGE_PACKED = 2, 3  # of the header of a page: bytes
HEADER_BYTES, LONGEST_HEADER = 128, 1 << 20  # of a page: what most need, and with long statistics
PAGES_FREE, SMALLEST_PAGE = 10_000, 64  # bytes, on average: where there are more pages, some lie in one another


def check_parquet(path: Path) -> Unpacked | None:
    """`InputError` where the file becomes far more than it weighs; what is no Parquet file its reader will say."""
    with path.open("rb", buffering=0) as file:
        footer = read_footer(file, MAGIC)
        if footer is None:
            return None
        parquet = _ParquetFile(Unpacked(path), file)
        try:
            readers = {SCHEMA: parquet.check_schema, GROUPS: parquet.walk_groups}
            about, _ = thrift.read_fields(footer, 0, readers, wanted=(ROWS,))
            parquet.unpacked.add_rows(about.get(ROWS, 0), column=-1)
        except (IndexError, ValueError, OverflowError, OSError):
            raise damaged(path, "Parquet") from None
    return parquet.unpacked


@dataclass
class _ParquetFile:
    """Walks through all groups of rows, their columns and the pages of each, and adds up."""

    unpacked: Unpacked
    file: IO[bytes]
    pages: int = 0

    def check_schema(self, footer: bytes, place: int, kind: int) -> None:
        """Columns within columns count, too."""
        if kind in thrift.LISTS and (many := thrift.list_head(footer, place)[0]) > limits.COLUMNS + 1:
            raise too_many_columns(many - 1, self.unpacked.path)

    def walk_groups(self, footer: bytes, place: int, kind: int) -> int | None:
        if kind not in thrift.LISTS:
            return None
        many, _, place = thrift.list_head(footer, place)
        for _ in range(many):
            about, place = thrift.read_fields(footer, place, {COLUMNS: self._walk_columns}, wanted=(GROUP_ROWS,))
            self.unpacked.add_rows(about.get(GROUP_ROWS, 0), column=-2)
        return place

    def _walk_columns(self, footer: bytes, place: int, kind: int) -> int | None:
        if kind not in thrift.LISTS:
            return None
        many, _, place = thrift.list_head(footer, place)
        for number in range(many):
            _, place = thrift.read_fields(footer, place, {ABOUT: partial(self._walk_column, number)})
        return place

    def _walk_column(self, number: int, footer: bytes, place: int, kind: int) -> int | None:
        if kind != thrift.STRUCT:
            return None
        about, place = thrift.read_fields(footer, place, {}, wanted=(VALUES, PACKED, DATA, DICTIONARY))
        self.unpacked.add_rows(about.get(VALUES, 0), number)
        self._walk_pages(about.get(DICTIONARY) or about.get(DATA, 0), about.get(PACKED, 0))
        return place

    def _walk_pages(self, place: int, size: int) -> None:
        most, end = PAGES_FREE + self.unpacked.weight // SMALLEST_PAGE, place + size
        while 0 <= place < end:
            header, length = self._page_header(place)
            self.unpacked.add_bytes(header.get(PAGE_UNPACKED, 0))
            place += length + header.get(PAGE_PACKED, 0)
            self.pages += 1
            if header.get(PAGE_PACKED, 0) < 0 or self.pages > most:
                raise ValueError

    def _page_header(self, place: int) -> tuple[thrift.Numbers, int]:
        """The sizes of a page, and how long its header is."""
        wanted = HEADER_BYTES
        while True:
            self.file.seek(place)
            data = self.file.read(wanted)
            try:
                header, length = thrift.read_fields(data, 0, {}, wanted=(PAGE_UNPACKED, PAGE_PACKED))
                if length <= len(data):
                    return header, length
            except IndexError:
                pass
            if len(data) < wanted or wanted >= LONGEST_HEADER:
                raise ValueError
            wanted *= 8
