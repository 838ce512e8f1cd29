"""Files of a model that somebody else made: regular, within a size, and in the folder where they are said to be.

A few bytes can ask for any amount of work: a name that leads to a device, a sparse file, an archive of zeros, a list of
empty lists. Whatever is read of a model is measured here before it is read.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any, BinaryIO

from evenhand import limits
from evenhand.documents import parse_json_within
from evenhand.errors import InputError
from evenhand.files import regular_file
from evenhand.limits import GIB, KIB, MIB

parse_json = parse_json_within  # of a model: what it holds is bounded by the memory that it takes


def format_size(size: int) -> str:
    """A size in words: 3 GB."""
    unit, name = next((pair for pair in ((GIB, "GB"), (MIB, "MB"), (KIB, "KB")) if size >= pair[0]), (1, "bytes"))
    return f"{size / unit:,.3g} {name}" if size < 1000 * unit else f"{size / unit:,.0f} {name}"


def check_size(name: str, size: int, most: int) -> None:
    """Refuse what is larger than anything of its kind."""
    if size > most:
        raise InputError(f"{name} is too large to be read: {format_size(size)}, and at most {format_size(most)} are")


def read_bounded(path: Path, most: int) -> bytes:
    """What a file holds, if that is not more than so many bytes."""
    check_size(path.name, regular_file(path).stat().st_size, most)
    with path.open("rb") as file:
        content = file.read(most + 1)  # it may have grown, or not say how long it is
    check_size(path.name, len(content), most)
    return content


def is_plain_name(name: str) -> bool:
    """The name of a file, and on no system a way to another folder."""
    return name not in ("", ".", "..") and not any(sign in name for sign in "/\\:\0")


def file_within(folder: Path, name: str) -> Path:
    """The file of this name in a folder; neither a way out of it nor a link that leads out."""
    if not is_plain_name(name) or _leads_out(folder / name):
        raise InputError(f"'{name}' is not a file in the folder of the model")
    return regular_file(folder / name)


def _leads_out(path: Path) -> bool:
    try:
        return path.is_symlink() and path.resolve().parent != path.parent.resolve()
    except (OSError, RuntimeError):  # links in a circle
        return True


def list_archive(file: BinaryIO) -> list[zipfile.ZipInfo]:
    """What a zip archive says that it holds, without reading any of it; the list itself is bounded."""
    shortly: Any = _ShortReads(file)
    with zipfile.ZipFile(shortly) as archive:
        return archive.infolist()


class _ShortReads:
    """A file of which no more is read at once than the longest list of entries, which is read in one piece."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self.seek, self.tell = file, file.seek, file.tell

    def read(self, size: int = -1) -> bytes:
        if size > limits.ARCHIVE_LIST_BYTES:
            raise zipfile.BadZipFile("it has too many entries")
        return self._file.read(size)
