"""A number with its uncertainty.

No bare float leaves an audit. An `Estimate` has a value with an interval; or, where an interval would mislead (a
divergence is above 0 by chance alone), a value with the p-value of a test; or neither, and a note that says why.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum

from evenhand.visible_text import html_text


class Flag(StrEnum):
    """A mark on an estimate, as it stands in the output contract."""

    SMALL = "small"  # rests on few items: read the interval, not the value
    STANDS_OUT = "stands_out"  # beyond chance, after correcting for every comparison of the finding
    BEST = "best"  # of all that are compared
    BLIND_SPOT = "blind_spot"  # assumes that the score misses nothing: read the interval that does not


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, the interval around it, how it was made and from how many items.

    >>> estimate = eh.metrics.recall([0.9, 0.8, 0.3, 0.1], [1, 1, 1, 0])
    >>> print(estimate)
    0.667 (0.208 to 0.939)
    >>> round(float(estimate), 3), estimate.n
    (0.667, 4)
    """

    value: float | None
    low: float | None
    high: float | None
    level: float
    method: str
    n: int
    note: str | None = None
    flags: tuple[str, ...] = ()
    p_value: float | None = None

    def __post_init__(self) -> None:
        if self.value is None:
            if (self.low, self.high, self.p_value) != (None, None, None) or not self.note:
                raise ValueError("an undefined estimate has no value, no interval, and a note that says why")
        elif self.low is None or self.high is None:
            if (self.low, self.high) != (None, None) or self.p_value is None or not 0.0 <= self.p_value <= 1.0:
                raise ValueError("an estimate without an interval has the p-value of a test")
            if not math.isfinite(self.value):
                raise ValueError(f"an estimate must be finite, not {self.value}")
        elif not all(math.isfinite(part) for part in (self.value, self.low, self.high)):
            raise ValueError(f"an estimate must be finite, not {self.value} ({self.low} to {self.high})")
        elif not self.low <= self.value <= self.high:
            raise ValueError(f"the interval {self.low} to {self.high} does not hold its value {self.value}")

    @classmethod
    def undefined(cls, why: str, *, level: float, n: int) -> Estimate:
        """No value, and the reason."""
        return cls(None, None, None, level, "none", n, note=why)

    @classmethod
    def exact(cls, value: float, *, level: float, n: int) -> Estimate:
        """A plain fact about the data, such as a count: its interval is the value itself."""
        return cls(value, value, value, level, "exact", n)

    @classmethod
    def tested(cls, value: float, p_value: float, *, level: float, method: str, n: int) -> Estimate:
        """A value that is held against what chance would give, instead of having an interval."""
        return cls(value, None, None, level, method, n, p_value=p_value)

    @property
    def defined(self) -> bool:
        """Whether there is a value."""
        return self.value is not None

    @property
    def small(self) -> bool:
        """Whether it rests on few items."""
        return Flag.SMALL in self.flags

    @property
    def stands_out(self) -> bool:
        """Whether it is beyond chance, after correcting for every comparison of the finding."""
        return Flag.STANDS_OUT in self.flags

    def complement(self) -> Estimate:
        """The rest of a share: one minus it."""
        if self.value is None or self.low is None or self.high is None:
            return self
        return replace(self, value=1.0 - self.value, low=1.0 - self.high, high=1.0 - self.low)

    def flagged(self, flag: str) -> Estimate:
        """The same estimate with one more flag."""
        return self if flag in self.flags else replace(self, flags=(*self.flags, flag))

    def __float__(self) -> float:
        """The value; NaN where it is not defined."""
        return math.nan if self.value is None else self.value

    def __repr__(self) -> str:
        marks = "".join(f", {flag}" for flag in self.flags)
        return f"<Estimate {self}, n = {self.n:,}{marks}>"

    def __str__(self) -> str:
        if self.value is None:
            return f"undefined: {self.note}"
        if self.method == "exact":
            return f"{self.value:g}"
        if self.low is None:
            return f"{self.value:.3f} (p = {self.p_value:.3g})"
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"

    def _repr_html_(self) -> str:
        """In a notebook: the number, how sure it is, and from how many items."""
        value, _, within = str(self).partition(" (")
        marks = "".join(f" <em>{html_text(flag.replace('_', ' '))}</em>" for flag in self.flags)
        if self.value is None:
            return f"<i>{html_text(value)}</i>"
        method = html_text(f"{within[:-1]}; {self.level:.0%} {self.method}")
        interval = f" <small>({method})</small>" if within else ""
        return f"<b>{value}</b>{interval} <small>n = {self.n:,}</small>{marks}"
