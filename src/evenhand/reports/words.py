"""How a number is written, and what it means for a group."""

from __future__ import annotations

import math
from math import isclose

from evenhand.estimate import Estimate
from evenhand.reports.vocabulary import PAIRS, WORDS, Word

# Digits after the point, where they are not three; and what is always printed with its sign.
DIGITS = {"loss": 4, "delta": 4, "divergence": 4, "errors": 1}
SIGNED = ("gap", "delta", "errors")


def word(measure: str) -> Word:
    """The words for a measure; its name where there are none."""
    return WORDS.get(measure, Word(measure.replace("_", " "), "auc", ""))


def number(measure: str, value: float, *, signed: bool = False) -> str:
    """A value as it is printed: counts whole, gaps and deltas with their sign, each kind to its digits."""
    kind = word(measure).kind
    if kind == "count":
        return _count(value, signed=signed)
    if kind in ("from", "below"):  # a threshold, rounded to the side where less is decided unseen
        return f"{(math.ceil if kind == 'from' else math.floor)(round(1e4 * value, 6)) / 1e4:.4f}"
    if kind in ("percent", "points"):
        text = f"{100.0 * value:{'+' if signed else ''}#.3g}".rstrip(".")
        return f"{text} {'%' if kind == 'percent' else 'points'}".replace("-", "−")
    digits = DIGITS.get(kind, 3)
    text = f"{value:+.{digits}f}" if signed or kind in SIGNED else f"{value:.{digits}f}"
    return text.replace("-", "−")


def _count(value: float, *, signed: bool) -> str:
    """Whole, also as a difference, where no change has no sign."""
    text = f"{value:+,.0f}" if signed else f"{value:,.0f}"
    return "0" if text in ("+0", "-0") else text.replace("-", "−")


def interval(measure: str, estimate: Estimate, *, signed: bool = False, brief: bool = False) -> str:
    """What is printed beside a value to say how sure it is: its interval, or the p-value of a test in place of one.

    Empty for plain facts. In brief: to few digits, without the leading zero.
    """
    if estimate.low is None and estimate.p_value is not None:
        return p_value(estimate.p_value)
    if estimate.low is None or estimate.high is None or isclose(estimate.low, estimate.high, rel_tol=1e-9):
        return ""
    ends = [number(measure, end, signed=signed) for end in (estimate.low, estimate.high)]
    if brief and word(measure).kind not in ("count", "percent", "points"):
        fewest = DIGITS.get(word(measure).kind, 3) - 1
        digits = fewest if f"{estimate.low:.{fewest}f}" != f"{estimate.high:.{fewest}f}" else fewest + 1
        ends = [f"{end:.{digits}f}".replace("0.", ".", 1).replace("-", "−") for end in (estimate.low, estimate.high)]
    return " to ".join(ends)


def p_value(p: float) -> str:
    """How often chance alone would give as much or more."""
    return "p < .001" if p < 0.0005 else f"p = {p:.3f}".replace("0.", ".")


def percent(value: float) -> str:
    """A share in a sentence: whole percent in the middle, tenths near the ends."""
    return f"{100.0 * value:.{_digits(100.0 * value)}f} %"


def points(value: float) -> str:
    """A difference of shares in a sentence."""
    return f"{100.0 * value:.{2 if value < 0.01 else 1}f} points"


def plainly(measure: str, estimate: Estimate, group: str) -> str | None:
    """What the value means for this group, as a count of pairs."""
    if measure not in PAIRS or estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    shift = 0.5 if word(measure).kind == "gap" else 0.0
    ends = [100.0 * (part + shift) for part in (estimate.value, estimate.low, estimate.high)]
    value, low, high = (f"{end:.{_digits(ends[0])}f}" for end in ends)
    even = "; 50 would be even" if shift else ""
    return f"In {value} of 100 pairs {PAIRS[measure].format(group=group)} ({low} to {high}{even})."


def _digits(hundred: float) -> int:
    """Whole pairs in the middle, tenths near the ends."""
    return 1 if hundred < 10 or hundred > 90 else 0
