"""How much an Arrow file becomes when it is read, from the lengths its record batches declare, without unpacking any.

Only packed buffers can become larger than they are, and each begins with its length. Footer and messages are
FlatBuffers (https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format), of which a few fields are read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from evenhand.evidence.unpacked import Unpacked, damaged, read_footer

MAGIC = b"ARROW1"
DICTIONARIES, BATCHES = 2, 3  # fields of the footer
HEADER_KIND, HEADER = 1, 2  # of a message
DICTIONARY_BATCH, DICTIONARY_DATA = 2, 1
LENGTH, NODES, BUFFERS, COMPRESSION = 0, 1, 2, 3  # of a record batch
CONTINUED = b"\xff\xff\xff\xff"  # before the length of a message; older files have the length alone
LONGEST_MESSAGE = 32 << 20


@dataclass(frozen=True)
class _Table:
    """A table of a FlatBuffer; `struct.error` where it points outside."""

    data: bytes
    place: int

    @classmethod
    def root(cls, data: bytes) -> _Table:
        return cls(data, *struct.unpack_from("<I", data))

    def field(self, number: int) -> int | None:
        """Where a field is."""
        table = self.place - struct.unpack_from("<i", self.data, self.place)[0]
        size = struct.unpack_from("<H", self.data, table)[0]
        if 4 + 2 * number >= size:
            return None
        offset = struct.unpack_from("<H", self.data, table + 4 + 2 * number)[0]
        return self.place + offset if offset else None

    def number(self, number: int, kind: str) -> int:
        place = self.field(number)
        return 0 if place is None else int(struct.unpack_from(kind, self.data, place)[0])

    def table(self, number: int) -> _Table | None:
        place = self.field(number)
        return None if place is None else _Table(self.data, place + struct.unpack_from("<I", self.data, place)[0])

    def structs(self, number: int, kind: str) -> Iterator[tuple[int, ...]]:
        """The items of a vector."""
        place = self.field(number)
        if place is None:
            return
        place += struct.unpack_from("<I", self.data, place)[0]
        many, size = struct.unpack_from("<I", self.data, place)[0], struct.calcsize(kind)
        yield from struct.iter_unpack(kind, self.data[place + 4 : place + 4 + many * size])


def check_arrow(path: Path) -> Unpacked | None:
    """`InputError` where the file becomes far more than it weighs; what is no Arrow file its reader will say."""
    with path.open("rb") as file:
        footer = read_footer(file, MAGIC)
        if footer is None:
            return None
        unpacked = Unpacked(path)
        try:
            root = _Table.root(footer)
            for field in (DICTIONARIES, BATCHES):
                for offset, length, _ in root.structs(field, "<qi4xq"):
                    _add_block(unpacked, file, offset, length)
        except (struct.error, ValueError, OverflowError, OSError):
            raise damaged(path, "Arrow") from None
    return unpacked


def _add_block(unpacked: Unpacked, file: IO[bytes], offset: int, length: int) -> None:
    """One record batch, or the values of a dictionary."""
    if not 0 < length <= LONGEST_MESSAGE:
        raise ValueError
    file.seek(offset)
    data = file.read(length)
    message = _Table.root(data[8:] if data[:4] == CONTINUED else data[4:])
    batch = message.table(HEADER)
    if batch is not None and message.number(HEADER_KIND, "<B") == DICTIONARY_BATCH:
        batch = batch.table(DICTIONARY_DATA)
    if batch is None:
        raise ValueError
    unpacked.add_rows(max([batch.number(LENGTH, "<q"), *(node[0] for node in batch.structs(NODES, "<qq"))]))
    packed = batch.table(COMPRESSION) is not None
    for place, size in batch.structs(BUFFERS, "<qq"):
        unpacked.add_bytes(_declared(file, offset + length + place, size) if packed and size >= 8 else size)


def _declared(file: IO[bytes], place: int, size: int) -> int:
    """The length that a packed buffer begins with; -1 where packing did not help."""
    file.seek(place)
    declared: int = struct.unpack("<q", file.read(8))[0]
    return size if declared == -1 else declared
