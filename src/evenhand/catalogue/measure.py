"""What is known about a measure apart from its value: its name, how it is printed, which way is better, what it means.

A `Measure` is its name: it compares, hashes and serialises as that string. Everything that names a measure (audits,
figures, reports, the terminal, the docs) takes the name and the words from here, so renaming one changes its row alone.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Self


class Unit(StrEnum):
    """What kind of number a measure is, which decides how it is printed."""

    AREA = "area"  # under a curve: 1 is perfect
    SHARE = "share"
    PERCENT = "percent"  # a share that may be small
    POINTS = "points"  # a difference of such shares
    DIFFERENCE = "difference"  # printed with its sign
    LOSS = "loss"
    DIVERGENCE = "divergence"  # above 0 by chance alone
    AGREEMENT = "agreement"  # 1 is perfect, 0 is chance
    NUMBER = "number"
    RATIO = "ratio"  # of two rates: 1 is equal
    COUNT = "count"
    PER_THOUSAND = "per_thousand"  # a share counted in 1,000 items
    THRESHOLD = "threshold"  # printed in full, as it is to be set
    THRESHOLD_FROM = "threshold_from"  # rounded up: less is decided unseen
    THRESHOLD_BELOW = "threshold_below"  # rounded down, for the same reason
    STANDARD_ERRORS = "standard_errors"


class Direction(StrEnum):
    """Which way is better."""

    HIGHER = "higher"
    LOWER = "lower"
    NEARER_ZERO = "nearer_zero"
    NEARER_ONE = "nearer_one"
    NEUTRAL = "neutral"


class Measure(str):
    """A measure: its name in the output contract, and all that is said about it."""

    title: str  # type: ignore[assignment]  # in place of str.title
    unit: Unit
    direction: Direction
    digits: int
    explanation: str
    page: str  # of the documentation
    pairs: str  # for areas and gaps: what is counted in 100 pairs of items, with {group} in it

    def __new__(
        cls,
        name: str,
        *,
        title: str,
        unit: Unit,
        direction: Direction,
        digits: int,
        explanation: str,
        page: str,
        pairs: str = "",
    ) -> Self:
        self = super().__new__(cls, name)
        self.title, self.unit, self.direction, self.digits = title, unit, direction, digits
        self.explanation, self.page, self.pairs = explanation, page, pairs
        return self

    @property
    def name(self) -> str:
        """As in the output contract."""
        return str(self)

    @property
    def signed(self) -> bool:
        """Whether a value is printed with its sign."""
        return self.unit in (Unit.DIFFERENCE, Unit.STANDARD_ERRORS)

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        """So that copies are whole."""
        return (str(self),), dict(self.__dict__)

    def __repr__(self) -> str:
        return f"<Measure {self}>"

    def __str__(self) -> str:
        return str.__str__(self)
