"""Where a value is drawn: scales of quantities with round ends and ticks, as d3 and Vega choose them, and of names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

STEP_FACTORS = ((math.sqrt(50), 10), (math.sqrt(10), 5), (math.sqrt(2), 2), (0, 1))  # from how much of a power of ten


def tick_step(low: float, high: float, count: float) -> float:
    """The round step (1, 2 or 5 times a power of ten) that divides a range into about so many parts."""
    raw = (high - low) / max(1.0, count)
    power = 10.0 ** math.floor(math.log10(raw))
    factor = next(
        f for bound, f in ((math.sqrt(50), 10), (math.sqrt(10), 5), (math.sqrt(2), 2), (0, 1)) if raw / power >= bound
    )
    return factor * power


def ticks(low: float, high: float, count: float) -> list[float]:
    """Round values within a range, about so many."""
    if low == high:
        return [low]
    step = tick_step(low, high, count)
    digits = decimals(step) + 2
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, digits) for number in range(first, last + 1)]


def decimals(step: float) -> int:
    """Digits after the point that tell multiples of a step apart."""
    return max(0, -math.floor(math.log10(abs(step)) + 1e-9))


def formatted(value: float, written: str) -> str:
    """A number in one of d3's formats for fixed decimals: ",.1f", or ".2~f" without zeros at the end."""
    number = f"{value:{written.replace('~', '')}}"
    trimmed = number.rstrip("0").rstrip(".") if "~" in written and "." in number else number
    return "0" if trimmed == "-0" else trimmed.replace("-", "−")


def rounded_ends(low: float, high: float, count: float = 10) -> tuple[float, float]:
    """A range that begins and ends at round values."""
    if low == high:
        return low, high
    for _ in range(2):  # a wider range may have a wider step
        step = tick_step(low, high, count)
        low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    return low, high


@dataclass(frozen=True)
class QuantityScale:
    """From `domain` to `range`, in pixels; "linear" or "sqrt"."""

    domain: tuple[float, float]
    range: tuple[float, float]
    kind: str = "linear"

    def __call__(self, value: float) -> float:
        low, high, at = (self._shape(end) for end in (*self.domain, value))
        start, end = self.range
        return start + (end - start) * ((at - low) / (high - low) if high > low else 0.5)

    def _shape(self, value: float) -> float:
        return math.copysign(math.sqrt(abs(value)), value) if self.kind == "sqrt" else value

    def labelled_ticks(self, count: float, written: str | None = None) -> list[tuple[float, str]]:
        """Positions and what stands there, as many digits as needed or in a format."""
        values = ticks(*self.domain, count)
        digits = decimals(tick_step(*self.domain, count)) if len(values) > 1 else 0
        return [(self(value), formatted(value, written or f",.{digits}f")) for value in values]


BAND_PADDING = 0.2  # of the distance between two names


@dataclass(frozen=True)
class NameScale:
    """Names at equal distances from top to bottom, each with a band in which its marks are."""

    names: Sequence[str]
    length: float

    def __call__(self, name: str, part: int = 0, parts: int = 1) -> float:
        """The middle of a band, or of one of several parts of it."""
        step = self.length / (len(self.names) + BAND_PADDING)
        band = (1.0 - BAND_PADDING) * step
        return step * (self._places[name] + BAND_PADDING) + band * (part + 0.5) / parts

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}


def spanned(values: Iterable[float], *, zero: bool) -> tuple[float, float]:
    """From the smallest to the largest; with `zero`, 0 is within."""
    known = [*values, *([0.0] if zero else [])] or [0.0, 1.0]
    return min(known), max(known)
