"""The files that a command has read, none of which it may write over.

Whatever opens a file notes it, and whatever is about to replace or to remove one asks first: an input is known again
by another name too, through a link, a hard link or `..`. A record is kept while `protected_inputs` lasts, which the
command line opens around every command.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from evenhand.errors import InputError

_RECORD: ContextVar[dict[str, None] | None] = ContextVar("inputs", default=None)  # paths, in the order of reading


@contextmanager
def protected_inputs() -> Iterator[None]:
    """Nothing that is read from here on is written over; within another such block its record goes on."""
    if _RECORD.get() is not None:
        yield
        return
    token = _RECORD.set({})
    try:
        yield
    finally:
        _RECORD.reset(token)


@contextmanager
def unrecorded() -> Iterator[None]:
    """What is read within is no input: an output is looked at, to see whether it may be replaced."""
    token = _RECORD.set(None)
    try:
        yield
    finally:
        _RECORD.reset(token)


def note_input(*paths: str | Path) -> None:
    """These files are read."""
    record = _RECORD.get()
    if record is not None:
        record.update(dict.fromkeys(map(os.path.abspath, paths)))


def refuse_input(path: Path) -> None:
    """An `InputError` where a file that is about to be replaced or removed is one that is read."""
    if any(_is_same_file(path, known) for known in _RECORD.get() or ()):
        raise InputError(
            "the output would replace the file that is read: choose another name or folder", source=str(path)
        )


def _is_same_file(path: Path, known: str) -> bool:
    try:
        return os.path.samefile(path, known)
    except (OSError, ValueError):  # one of them is not there, or no name a file could have
        return False
