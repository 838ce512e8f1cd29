"""Hashes of ids, in memory as long as they are few and on disk beyond, and which of them occur more than once.

On disk they are in as many files as there are ranges of hashes, so that each range is compared by itself: memory is
that of one range, whatever the number of items, and disk eight bytes for each.
"""

from __future__ import annotations

import tempfile
from typing import IO

import numpy as np
import numpy.typing as npt

from evenhand.errors import InputError
from evenhand.files import failure_reason

IdHashes = npt.NDArray[np.uint64]
MOST_HELD = 1 << 22  # hashes in memory before they go to disk
RANGE_BITS = 7
RANGES = 1 << RANGE_BITS
STARTS = np.arange(1, RANGES, dtype=np.uint64) << np.uint64(64 - RANGE_BITS)


class HashRanges:
    """All hashes added so far; temporary files have no name and go with the process."""

    def __init__(self, most: int = MOST_HELD) -> None:
        self._most, self._count = most, 0
        self._held: list[IdHashes] = []
        self._files: list[IO[bytes]] = []

    def add(self, hashes: IdHashes) -> None:
        """Some more."""
        self._held.append(hashes)
        self._count += len(hashes)
        if self._count > self._most:
            self._spill()

    def repeated(self) -> IdHashes:
        """Those that occur more than once, ascending; everything that was added is forgotten."""
        if not self._files:
            return _repeated(self._taken())
        self._spill()
        hashes = [self._repeated_in(file) for file in self._files]
        self.close()
        return np.concatenate(hashes)

    def close(self) -> None:
        """Forget all, also on disk."""
        for file in self._files:
            file.close()
        self._files, self._held, self._count = [], [], 0

    def _taken(self) -> IdHashes:
        every = np.concatenate((np.zeros(0, dtype=np.uint64), *self._held))
        self._held, self._count = [], 0
        every.sort()
        return every

    def _spill(self) -> None:
        """What is held goes to the file of its range."""
        every = self._taken()
        try:
            while len(self._files) < RANGES:
                # closed in `close`
                self._files.append(tempfile.TemporaryFile(prefix="evenhand-"))  # noqa: SIM115
            for file, part in zip(self._files, np.split(every, np.searchsorted(every, STARTS)), strict=True):
                file.write(part.tobytes())
        except OSError as error:
            self.close()
            problem = f"ids are compared on disk, and in {tempfile.gettempdir()} that fails"
            raise InputError(f"{problem}: {failure_reason(error)}") from None

    def _repeated_in(self, file: IO[bytes]) -> IdHashes:
        file.seek(0)
        part = np.frombuffer(bytearray(file.read()), dtype=np.uint64)
        part.sort()
        return _repeated(part)


def _repeated(ascending: IdHashes) -> IdHashes:
    return np.unique(ascending[1:][ascending[1:] == ascending[:-1]])
