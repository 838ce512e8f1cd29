"""Zip files whose members are far larger than the file, made without ever holding what they unpack to."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Packed:
    """A member that is already compressed."""

    data: bytes
    checksum: int
    size: int


def repeated(head: bytes, block: bytes, times: int, tail: bytes = b"") -> Packed:
    """The block so many times, between a head and a tail: after a full flush equal blocks pack into equal bytes."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    data = first + piece * times + packer.compress(tail) + packer.flush()
    checksum = zlib.crc32(head)
    for _ in range(times):
        checksum = zlib.crc32(block, checksum)
    return Packed(data, zlib.crc32(tail, checksum), len(head) + len(block) * times + len(tail))


def archive(members: Mapping[str, bytes | Packed]) -> bytes:
    """A zip file of members, none of which is larger than 4 GB."""
    whole, directory = b"", b""
    for name, content in members.items():
        packed = content if isinstance(content, Packed) else repeated(content, b"", 0)
        sizes = struct.pack("<III", packed.checksum, len(packed.data), packed.size)
        called = name.encode()
        told = struct.pack("<HHHHH", 20, 0, 8, 0, 0x21) + sizes + struct.pack("<HH", len(called), 0)
        place = struct.pack("<HHHII", 0, 0, 0, 0, len(whole))
        directory += b"PK\1\2" + struct.pack("<H", 20) + told + place + called
        whole += b"PK\3\4" + told + called + packed.data
    count = len(members)
    return whole + directory + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), len(whole), 0)
