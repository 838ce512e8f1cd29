"""What a benchmark is: what is measured, what it is held against, and what is promised."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.place import Place

FASTER, SLOWER = "≥", "≤"


@dataclass(frozen=True)
class Promise:
    """A number is at least, or at most, so large."""

    sign: str
    limit: float
    unit: str = "×"

    def held(self, value: float) -> bool:
        return value >= self.limit if self.sign == FASTER else value <= self.limit

    def shown(self, value: float | None = None) -> str:
        """A value in the unit of the promise; without one, the promise itself."""
        what = f"{self.sign} {number(self.limit)}" if value is None else number(value)
        return f"{what} {self.unit}".rstrip()


@dataclass(frozen=True)
class Run:
    """One side: seconds of each run, and where known the peak of its process in megabytes and seconds of a core."""

    seconds: tuple[float, ...]
    peak_mb: float | None = None
    cpu: float | None = None

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Run:
        return cls(tuple(found["seconds"]), found.get("peak_mb"), found.get("cpu"))

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def cores(self) -> float:
        """Seconds of a core that one run takes: on a busy machine they say more than the clock."""
        return (self.cpu or 0.0) / len(self.seconds)


@dataclass(frozen=True)
class Outcome:
    """What was measured in one run of a benchmark.

    `memory` is the number that the promise about memory is about, and `also` has one for each other promise.
    """

    ours: Run
    peer: Run | None = None
    floor: Run | None = None
    memory: float | None = None
    also: Mapping[str, float] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class Benchmark:
    """One row of the table. Without `speed` only memory is promised."""

    name: str
    measured: str
    against: str
    floor: str
    run: Callable[[Place], Outcome]
    speed: Promise | None = None
    memory: Promise | None = None
    also: Mapping[str, Promise] = field(default_factory=dict)

    def ratio(self, outcome: Outcome) -> float | None:
        """How many times as fast as the peer, or how many times its time; the floor stands in where there is none."""
        beside = outcome.peer or outcome.floor
        if self.speed is None or beside is None:
            return None
        if self.speed.unit == "s":
            return outcome.ours.median
        mine, theirs = outcome.ours.median, beside.median
        return theirs / mine if self.speed.sign == FASTER else mine / theirs

    def broken(self, outcome: Outcome) -> list[str]:
        """Promises that were not kept, in words."""
        pairs = [("speed", self.speed, self.ratio(outcome)), ("memory", self.memory, outcome.memory)]
        pairs += [(name, promise, outcome.also[name]) for name, promise in self.also.items()]
        return [
            f"{self.name}: {name} {promise.shown(value)}, promised {promise.shown()}"
            for name, promise, value in pairs
            if promise is not None and value is not None and not promise.held(value)
        ]


def number(value: float) -> str:
    """Three digits, or so many as a whole number has."""
    if value != 0 and abs(value) < 1e-3:
        return f"{value:.1e}"
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
