"""Files that are read and written: what is read is noted, and a file is written whole or not at all.

A file that is written takes the place of one that is there only if nothing of value is lost: it is never one that the
command has read, never what a link leads to, never a pipe or a device. Whole folders: `output_folder`.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from evenhand import limits
from evenhand.documents import parse_toml
from evenhand.errors import ErrorKind, InputError
from evenhand.inputs import note_input, refuse_input, unrecorded
from evenhand.staging import hidden_folder

BLOCK = 1 << 20
PRIVATE = 0o600  # for the owner alone


def text_of(
    path: Path, refused: Callable[[OSError | UnicodeDecodeError], str], *, encoding: str = "utf-8", named: bool = True
) -> str:
    """The text of a file; `refused` says what is wrong where it is there and cannot be read."""
    try:
        return regular_file(path, largest=limits.TEXT_BYTES).read_text(encoding=encoding)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(refused(error), source=str(path) if named else None) from None


def read_own_file(path: Path) -> bytes:
    """The content of a file that an earlier run may have left; empty where there is none, or a link, pipe or device."""
    try:
        there = path.lstat()
        return path.read_bytes() if stat.S_ISREG(there.st_mode) and there.st_size <= limits.TEXT_BYTES else b""
    except OSError:
        return b""


def regular_file(path: Path, *, largest: int | None = None) -> Path:
    """The path, if a file lies there, noted as read: one could wait for ever for a pipe or a device to end."""
    try:
        there = path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # the last of a name with a NUL
        raise InputError("there is no such file", source=str(path), kind=ErrorKind.NOT_FOUND) from None
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}", source=str(path)) from None
    if stat.S_ISDIR(there.st_mode):
        raise InputError("this is a folder, not a file", source=str(path))
    if not stat.S_ISREG(there.st_mode):
        raise InputError("this is a pipe, a device or a socket: save what it gives as a file", source=str(path))
    if largest is not None and there.st_size > largest:
        problem = f"the file has {there.st_size:,} bytes, and of its kind at most {largest:,} are read"
        raise InputError(problem, source=str(path))
    note_input(path)
    return path


def unreadable(error: OSError | UnicodeDecodeError, not_text: str = "the file is not UTF-8 text") -> str:
    """Why a file cannot be read."""
    return f"the file cannot be read: {failure_reason(error)}" if isinstance(error, OSError) else not_text


def failure_reason(error: Exception) -> str:
    """What the system says of a failure, in a line; some libraries leave out the field that is meant for it."""
    reason = str(getattr(error, "strerror", None) or error).strip()
    return reason.splitlines()[0] if reason else type(error).__name__


def read_text(path: Path, what: str) -> str:
    """The text of a file that should be a JSON file of some kind; errors do not name the file."""
    return text_of(path, lambda error: unreadable(error, f"not JSON, so not a {what}"), named=False)


def check_replaceable(path: Path) -> None:
    """An `InputError` where something would be lost if a file were written here."""
    refuse_input(path)
    if path.is_symlink():
        raise InputError("this is a link: name the file itself that is to be written", source=str(path))
    if path.is_dir():
        raise InputError("this is a folder, and a file is to be written", source=str(path))
    if path.exists() and not path.is_file():
        raise InputError("this is a pipe, a device or a socket, and a file is to be written", source=str(path))


def check_writable(path: Path) -> None:
    """Fail before the work rather than after it."""
    check_replaceable(path)
    try:
        with hidden_folder(path.parent):
            pass
    except OSError as error:
        raise InputError(f"the file cannot be written: {failure_reason(error)}", source=str(path)) from None


@contextmanager
def fresh_file(path: Path) -> Iterator[Path]:
    """A file to write into; it takes the place of `path` when all went well, and otherwise nothing is left of it."""
    check_replaceable(path)
    with hidden_folder(path.parent) as hidden:
        yield hidden / path.name
        check_replaceable(path)  # more may have been read meanwhile
        os.replace(hidden / path.name, path)


def write_text(path: Path, text: str, *, private: bool = False) -> None:
    """Write a file as UTF-8, line ends as they are; whole or not at all."""
    write_bytes(path, text.encode(), private=private)


def write_bytes(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write one file, whole or not at all; a private one is for its owner alone."""
    try:
        with fresh_file(path) as fresh:
            if private:
                fresh.touch(PRIVATE)
            fresh.write_bytes(content)
    except OSError as error:
        raise InputError(f"the file cannot be written: {failure_reason(error)}", source=str(path)) from None


def open_own_file(path: Path, *, anew: bool = False) -> IO[bytes]:
    """Open a file of ours to write on at its end, or anew; its name can be foreseen, so it must not lead elsewhere."""
    guards = [getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")]  # Windows has the last only
    handle = os.open(path, sum(guards, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 0o666)
    file = os.fdopen(handle, "ab")
    about = os.fstat(handle)
    if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1:
        file.close()
        raise OSError(errno.EEXIST, "something else has this name", str(path))
    if anew:
        file.truncate(0)
    return file


def update_text(path: Path, text: str) -> None:
    """Write a file anew that was read in order to be kept up to date; through a link, the file that it leads to."""
    with unrecorded():
        write_text(path.resolve(), text)


def remove_empty(folders: list[Path]) -> None:
    """Those that were made in vain."""
    for folder in folders:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def file_hash(path: Path) -> str:
    """The whole SHA-256 of one file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def content_hash(content: Mapping[str, Any]) -> str:
    """The same for equal content, however it is laid out."""
    plain = json.dumps(content, sort_keys=True, ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(plain.encode()).hexdigest()


def read_toml(path: Path) -> dict[str, Any]:
    """What a TOML file holds."""
    text = text_of(path, lambda error: f"not a readable TOML file: {error}")
    try:
        return parse_toml(text)
    except InputError as error:
        raise error.within(str(path)) from None
    except ValueError as error:
        raise InputError(f"not a readable TOML file: {error}", source=str(path)) from None
