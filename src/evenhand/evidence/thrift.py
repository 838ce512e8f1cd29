"""The compact protocol of Thrift, as far as the headers and the footer of Parquet files need it: read numbers, skip.

https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md. Plain functions over bytes and a
place in them, since a file has thousands of headers. `IndexError` where the bytes end too early, `ValueError` where
they are something else.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping

WIDTHS = {1: 0, 2: 0, 3: 1, 7: 8, 13: 16}  # bytes of a value by its type: true, false, a byte, a double, a UUID
WHOLE, TEXT, LISTS, MAP, STRUCT = (4, 5, 6), 8, (9, 10), 11, 12
DEEPEST = 32

Numbers = dict[int, int]
FieldReader = Callable[[bytes, int, int], int | None]  # bytes, place and type of a value to the place behind it


def unsigned(data: bytes, place: int) -> tuple[int, int]:
    """A whole number in as few bytes as it takes, and the place behind it."""
    value, shift = data[place] & 0x7F, 7
    while data[place] >= 0x80:
        place += 1
        value |= (data[place] & 0x7F) << shift
        shift += 7
        if shift > 70:
            raise ValueError
    return value, place + 1


def signed(data: bytes, place: int) -> tuple[int, int]:
    """The same for numbers below zero too."""
    value, place = unsigned(data, place)
    return (value >> 1) ^ -(value & 1), place


def list_head(data: bytes, place: int) -> tuple[int, int, int]:
    """How many items a list has, their type, and where the first is."""
    head = data[place]
    size, place = (head >> 4, place + 1) if head < 0xF0 else unsigned(data, place + 1)
    if size > len(data):
        raise ValueError
    return size, head & 0x0F, place


def skip(data: bytes, place: int, kind: int, depth: int = 0) -> int:
    """The place behind a value."""
    if kind in WHOLE:
        return unsigned(data, place)[1]
    if kind in WIDTHS:
        return place + WIDTHS[kind]
    if depth > DEEPEST:
        raise ValueError
    if kind == TEXT:
        length, place = unsigned(data, place)
        return place + length
    if kind == STRUCT:
        return read_fields(data, place, {}, depth + 1)[1]
    return _skip_several(data, place, kind, depth + 1)


def _skip_several(data: bytes, place: int, kind: int, depth: int) -> int:
    if kind in LISTS:
        size, inner, place = list_head(data, place)
        kinds: tuple[int, ...] = (inner,)
    elif kind == MAP:
        size, place = unsigned(data, place)
        kinds = (data[place] >> 4, data[place] & 0x0F) if size else ()
        place += bool(size)
    else:
        raise ValueError
    if size > len(data):
        raise ValueError
    for _ in range(size):
        for inner in kinds:
            place = skip(data, place, 3 if inner in (1, 2) else inner, depth)  # true and false take a byte in here
    return place


def read_fields(
    data: bytes, place: int, readers: Mapping[int, FieldReader], depth: int = 0, wanted: Container[int] = ()
) -> tuple[Numbers, int]:
    """The whole numbers of a structure that are wanted, and the place behind it; other fields have readers or none."""
    numbers: Numbers = {}
    number = 0
    while kind := data[place] & 0x0F:
        step = data[place] >> 4
        number, place = (number + step, place + 1) if step else signed(data, place + 1)
        if kind in WHOLE:
            if number in wanted:
                numbers[number], place = signed(data, place)
            else:
                while data[place] >= 0x80:
                    place += 1
                place += 1
        elif number in readers and (behind := readers[number](data, place, kind)) is not None:
            place = behind
        else:
            place = skip(data, place, kind, depth)
    return numbers, place + 1
