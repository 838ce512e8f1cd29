"""What a reader shouts when it stumbles over a damaged file. Polars raises an error then, and also prints pages of it.

Those go to the error channel of the process itself, past Python. While a file is read, that channel leads into a file;
if all went well, what was written there follows, and otherwise one line says what is wrong. With EVENHAND_DEBUG set
nothing is held back.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO

CHANNEL = 2


@dataclass
class _Channel:
    """The error channel; several threads may read at a time, and the first in and the last out see to it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    readers: int = 0
    original: int = -1
    captured: IO[bytes] | None = None

    def divert(self) -> None:
        with self.lock:
            self.readers += 1
            if self.readers == 1:
                _flush()
                self.captured = tempfile.TemporaryFile()  # noqa: SIM115 (closed in restore)
                self.original = os.dup(CHANNEL)
                os.dup2(self.captured.fileno(), CHANNEL)

    def restore(self, *, forward: bool) -> None:
        with self.lock:
            self.readers -= 1
            if self.readers or self.captured is None:
                return
            _flush()
            os.dup2(self.original, CHANNEL)
            os.close(self.original)
            with self.captured as captured:
                captured.seek(0)
                if forward and (written := captured.read()):
                    os.write(CHANNEL, written)
            self.captured = None


def _flush() -> None:
    if sys.stderr is not None:
        sys.stderr.flush()


_CHANNEL = _Channel()


@contextmanager
def held_back() -> Iterator[None]:
    """Nothing of what is printed in here is seen, unless it ends well."""
    if os.environ.get("EVENHAND_DEBUG"):
        yield
        return
    try:
        _CHANNEL.divert()
    except OSError:  # there is no error channel
        yield
        return
    well = False
    try:
        yield
        well = True
    finally:
        _CHANNEL.restore(forward=well)
