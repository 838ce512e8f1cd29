"""Where output is written until it is whole: a hidden folder beside its place, with a name that nobody can foresee.

The folder is ours alone, so no link can be planted in it. It is locked while its process lives; one that a killed run
left behind has no lock any more, and goes when the next run writes there. Where the system cannot lock a folder
(Windows, some network disks) nothing is removed, and runs do not wait for one another.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evenhand.errors import InputError

PREFIX = ".evenhand-new-"
OUR_NAME = re.compile(re.escape(PREFIX) + "[a-z0-9_]{8}")
CONTENT = "content"  # within a hidden folder, which is locked itself: what is written there can be locked in turn
PATIENCE = 30.0  # seconds to wait for another run that moves its files into place
PAUSE = 0.02


@contextmanager
def hidden_folder(parent: Path) -> Iterator[Path]:
    """An empty folder in `parent`, on the same disk; gone at the end, with whatever is left in it."""
    with locked(parent):
        _remove_abandoned(parent)
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        lock = _try_lock(folder)
    try:
        content = folder / CONTENT
        content.mkdir()
        yield content
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _unlock(lock)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """No other run does this in the folder meanwhile."""
    until = time.monotonic() + PATIENCE
    while (lock := _try_lock(folder)) is None:
        if time.monotonic() > until:
            raise InputError("another run is writing into this folder: try again when it is done", source=str(folder))
        time.sleep(PAUSE)
    try:
        yield
    finally:
        _unlock(lock)


NO_LOCK = -1  # the system has none for this folder


def _try_lock(folder: str | Path) -> int | None:
    """The lock of a folder, None where another process has it. It is let go however a process ends."""
    try:
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):  # not on Windows, not of a folder that one may not list
        return NO_LOCK
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    except OSError:
        os.close(handle)
        return NO_LOCK
    return handle


def _unlock(lock: int | None) -> None:
    if lock is not None and lock != NO_LOCK:
        os.close(lock)


def remove_abandoned(parent: Path) -> None:
    """Remove what killed runs left in a folder."""
    with locked(parent):
        _remove_abandoned(parent)


def _remove_abandoned(parent: Path) -> None:
    """Hidden folders of runs that are dead: ours by name, owner and content, and locked by nobody."""
    try:
        with os.scandir(parent) as entries:
            abandoned = [
                entry for entry in entries if OUR_NAME.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
            ]
    except OSError:  # one may write into a folder that one may not list
        return
    for entry in abandoned:
        lock = _try_lock(entry.path)
        if lock is not None and lock != NO_LOCK and _is_ours(entry):
            shutil.rmtree(entry.path, ignore_errors=True)
        _unlock(lock)


def _is_ours(entry: os.DirEntry[str]) -> bool:
    try:
        mine = entry.stat(follow_symlinks=False).st_uid == os.getuid()
        return mine and set(os.listdir(entry.path)) <= {CONTENT}
    except OSError:
        return False
