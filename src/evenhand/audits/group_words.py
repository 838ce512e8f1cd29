"""How groups, and ratios of their rates, are spoken of in sentences, whichever audit says them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from evenhand.estimate import Estimate
from evenhand.finding import Finding
from evenhand.formatting import names_in_sentence, signed_points, significant_digits


class ErrorRate(StrEnum):
    """The two ways to be wrong about an item."""

    FALSE_POSITIVE = "false_positive"
    FALSE_NEGATIVE = "false_negative"


class RateComparison(Protocol):
    """A rate of a group beside that of all others."""

    @property
    def judged(self) -> Estimate:
        """The ratio, or the difference."""

    @property
    def is_ratio(self) -> bool:
        """Which of the two it is."""


def items_of(finding: Finding, groups: int = 1) -> str:
    """What precedes the names of groups in a sentence: items that mention them where groups are terms."""
    if finding.provenance.get("roles", {}).get("terms"):
        return "items that mention"
    return "items in group" if groups == 1 else "items in groups"


def describe_items(finding: Finding, groups: Sequence[str]) -> str:
    """Items of these groups."""
    return f"{items_of(finding, len(groups))} {names_in_sentence(groups)}"


def number_of_groups(some: int, groups: int) -> str:
    """Some of the groups, in a sentence."""
    if some < groups:
        return f"{some:,} of {groups:,} groups"
    return {1: "the only group", 2: "both groups"}.get(groups, f"all {groups:,} groups")


def log_ratio(inside: float, outside: float) -> float:
    """How much larger a rate is in a group than outside it, to order by; below 0 where it is smaller."""
    if inside == outside:
        return 0.0
    if not inside or not outside:
        return math.inf if inside else -math.inf
    return math.log(inside / outside)


def format_times(ratio: float) -> str:
    """A ratio in a sentence: two digits."""
    return f"{ratio:,.0f}" if ratio >= 9.95 else significant_digits(ratio, 2)


def range_in_words(one: RateComparison, between: str = "and") -> str:
    """The interval of a ratio or a difference in a sentence, from low to high."""
    low, high = one.judged.low or 0.0, one.judged.high or 0.0
    if one.is_ratio:
        return f"{format_times(low)} {between} {format_times(high)} times"
    return f"{signed_points(low)} {between} {signed_points(high)} percentage points"
