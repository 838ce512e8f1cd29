"""No more requests a second than an endpoint allows, however many workers there are."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Pace:
    """Hands out the moments at which a request may begin: one after another, never closer than the rate.

    An endpoint that asks for a pause gets it from all workers. Clock and sleep are given, so that a test needs no time.
    """

    def __init__(self, rate: float | None, *, clock: Callable[[], float]) -> None:
        self._gap = 1.0 / rate if rate else 0.0
        self._clock = clock
        self._lock = threading.Lock()
        self._next = float("-inf")

    def wait(self, sleep: Callable[[float], None]) -> None:
        """Until it is this worker's turn."""
        while (delay := self._take()) > 0.0:
            sleep(delay)

    def hold(self, seconds: float) -> None:
        """Nobody begins within the next seconds."""
        with self._lock:
            self._next = max(self._next, self._clock() + seconds)

    def _take(self) -> float:
        """Take the next turn if it has come, else say how long that will be; it is asked again then."""
        with self._lock:
            now = self._clock()
            if now < self._next:
                return self._next - now
            self._next = now + self._gap
            return 0.0
