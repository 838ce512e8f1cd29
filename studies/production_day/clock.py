"""A clock for a day that passes in minutes, and the program `evenhand` with this clock: `python clock.py serve …`.

Only `time.time_ns`, which dates what happens in a store, is another: leases, undo and periods follow it. Everything
else is what users start. While a process is started or stopped the clock stands still: that takes no less time on the
day than it does here.
"""

from __future__ import annotations

import mmap
import os
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

HOUR = 3_600_000_000_000  # nanoseconds
MIDNIGHT = 1_803_859_200 * 1_000_000_000  # Monday, 1 March 2027, UTC
VARIABLE = "EVENHAND_STUDY_CLOCK"
REAL_NS = time.time_ns
STATE = struct.Struct("qqq")  # real nanoseconds: at midnight, standing still since (or 0), stood still


@dataclass(frozen=True)
class DayClock:
    """A day of so many seconds. Processes share its state in a file."""

    seconds: float
    file: Path

    @classmethod
    def on_the_eve(cls, seconds: float, file: Path, before: float) -> DayClock:
        """It is midnight after so many seconds."""
        file.write_bytes(STATE.pack(REAL_NS() + int(before * 1e9), 0, 0))
        return cls(seconds, file)

    @classmethod
    def from_environment(cls) -> DayClock:
        """The one of the process that started this one."""
        seconds, file = os.environ[VARIABLE].split(" ", 1)
        return cls(float(seconds), Path(file))

    @property
    def environment(self) -> dict[str, str]:
        """What tells other processes."""
        return {VARIABLE: f"{self.seconds} {self.file}"}

    @cached_property
    def _state(self) -> mmap.mmap:
        with self.file.open("r+b") as file:
            return mmap.mmap(file.fileno(), STATE.size)

    def time_ns(self) -> int:
        """Nanoseconds since 1970, on the day."""
        started, standing, stood = STATE.unpack(self._state[:])
        return MIDNIGHT + int(((standing or REAL_NS()) - stood - started) * 86_400 / self.seconds)

    def micros(self) -> int:
        """As the store has times."""
        return self.time_ns() // 1000

    @property
    def hour(self) -> float:
        """Hours since midnight."""
        return (self.time_ns() - MIDNIGHT) / HOUR

    def wait_until(self, hour: float) -> None:
        """Return at this hour."""
        while (hours := hour - self.hour) > 0.0:
            time.sleep(max(hours * self.seconds / 24.0, 0.001))

    def pass_minutes(self, minutes: float) -> None:
        """Of the day."""
        self.wait_until(self.hour + minutes / 60.0)

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """For everybody."""
        started, _, stood = STATE.unpack(self._state[:])
        now = REAL_NS()
        self._state[:] = STATE.pack(started, now, stood)
        try:
            yield
        finally:
            self._state[:] = STATE.pack(started, 0, stood + REAL_NS() - now)


if __name__ == "__main__":
    time.time_ns = DayClock.from_environment().time_ns
    from evenhand.cli.main import main

    main()
