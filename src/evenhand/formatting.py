"""How numbers and names are written for readers.

Values, intervals, p-values, percentages, AUCs as pairs of items, the precision of estimates, and lists of names.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from math import isclose

from evenhand.catalogue import Unit, find_measure
from evenhand.estimate import Estimate

THRESHOLDS = {Unit.THRESHOLD_FROM: math.ceil, Unit.THRESHOLD_BELOW: math.floor}
SCALED = {Unit.PERCENT: (100.0, "%"), Unit.POINTS: (100.0, "points"), Unit.PER_THOUSAND: (1000.0, "of 1,000")}
SMALLEST_SHOWN = 8  # decimals: less is 0
LEADING_ZERO = re.compile(r"(?<!\d)0(?=\.)")
WRITTEN_ALIKE = {Unit.COUNT, Unit.THRESHOLD, *SCALED}  # whether in brief or not


def format_number(measure: str, value: float, *, signed: bool = False) -> str:
    """A value as it is printed: counts whole, gaps and deltas with their sign, each kind to its digits."""
    row = find_measure(measure)
    if row.unit is Unit.COUNT:
        return _format_count(value, signed=signed)
    if row.unit in THRESHOLDS:  # rounded to the side where less is decided unseen
        return f"{THRESHOLDS[row.unit](round(1e4 * value, 6)) / 1e4:.4f}"
    if row.unit is Unit.THRESHOLD:
        return f"{value:.10g}"
    if row.unit in SCALED:
        factor, word = SCALED[row.unit]
        text = f"{factor * value:{'+' if signed else ''}#.3g}".rstrip(".")
        return f"{text} {word}".replace("-", "−")
    text = f"{value:+.{row.digits}f}" if signed or row.signed else f"{value:.{row.digits}f}"
    return text.replace("-", "−")


def _format_count(value: float, *, signed: bool) -> str:
    """Whole, also as a difference, where no change has no sign."""
    text = f"{value:+,.0f}" if signed else f"{value:,.0f}"
    return "0" if text in ("+0", "-0") else text.replace("-", "−")


def format_interval(measure: str, estimate: Estimate, *, signed: bool = False, brief: bool = False) -> str:
    """What is printed beside a value: its interval, or the p-value of a test in place of one.

    Empty for plain facts. In brief: to few digits, without the leading zero.
    """
    if estimate.low is None and estimate.p_value is not None:
        return format_p_value(estimate.p_value)
    if estimate.low is None or estimate.high is None or isclose(estimate.low, estimate.high, rel_tol=1e-9):
        return ""
    ends = [format_number(measure, end, signed=signed) for end in (estimate.low, estimate.high)]
    row = find_measure(measure)
    if brief and row.unit not in WRITTEN_ALIKE:
        fewest = row.digits - 1
        digits = fewest if f"{estimate.low:.{fewest}f}" != f"{estimate.high:.{fewest}f}" else fewest + 1
        ends = [LEADING_ZERO.sub("", f"{end:.{digits}f}").replace("-", "−") for end in (estimate.low, estimate.high)]
    if row.unit in SCALED:  # the unit once, behind both ends
        ends[0] = ends[0].removesuffix(f" {SCALED[row.unit][1]}")
    return " to ".join(ends)


def format_p_value(p: float) -> str:
    """The probability of a value at least as large by chance alone."""
    return "p < .001" if p < 0.0005 else f"p = {p:.3f}".replace("0.", ".")


def format_percent(value: float) -> str:
    """A share in a sentence: whole percent in the middle, tenths near the ends."""
    return f"{100.0 * value:.{_percent_digits(100.0 * value)}f} %"


def format_share(value: float) -> str:
    """A share to three digits, whatever its size."""
    return f"{significant_digits(100.0 * value, 3)} %"


def significant_digits(value: float, digits: int, *, signed: bool = False) -> str:
    """A number to so many digits, in full: one in powers of ten is misread."""
    rounded = round(value, SMALLEST_SHOWN) + 0.0
    number = Decimal(f"{rounded:.{digits}g}")
    return f"{number:{'+' if signed and number else ''}f}".replace("-", "−")


def signed_points(value: float) -> str:
    """A difference of shares in percentage points, to two digits, with its sign."""
    return significant_digits(100.0 * value, 2, signed=True)


def format_points(value: float) -> str:
    """A difference of shares in a sentence."""
    return f"{100.0 * value:.{2 if value < 0.01 else 1}f} percentage points"


def explain_in_pairs(measure: str, estimate: Estimate, group: str) -> str | None:
    """What the value means for this group, as a count of pairs."""
    row = find_measure(measure)
    if not row.pairs or estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    shift = 0.5 if row.unit is Unit.DIFFERENCE else 0.0
    ends = [100.0 * (part + shift) for part in (estimate.value, estimate.low, estimate.high)]
    value, low, high = (f"{end:.{_percent_digits(ends[0])}f}" for end in ends)
    even = "; 50 means no difference" if shift else ""
    return f"In {value} of 100 pairs, {row.pairs.format(group=group)} ({low} to {high}{even})."


def _percent_digits(hundred: float) -> int:
    """Whole pairs in the middle, tenths near the ends."""
    return 1 if hundred < 10 or hundred > 90 else 0


def format_count(number: int, noun: str) -> str:
    """A number of things: `1 item`, `2,000 items`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def half_width(estimate: Estimate) -> float | None:
    """The distance from an estimate to the further end of its interval."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    return max(estimate.value - estimate.low, estimate.high - estimate.value)


def precision_range(named: Iterable[tuple[str, Estimate]]) -> str:
    """The precision of the estimates, from the most to the least precise; empty where there are no intervals."""
    widths = [(width, name) for name, e in named if (width := half_width(e)) is not None and width > 0.0]
    if not widths:
        return ""
    (narrowest, narrowest_name), (widest, widest_name) = min(widths), max(widths)
    least, most = (f"±{Decimal(f'{width:#.2g}'):f}" for width in (narrowest, widest))  # to two digits, the last a 0 too
    span = most if least == most else f"{least} ({narrowest_name}) to {most} ({widest_name})"
    return f"estimated to within {span}; smaller differences may go undetected"


def names_in_sentence(names: Sequence[str], most: int = 6) -> str:
    """Names in a sentence: "a, b and c", or the first few of many."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)
