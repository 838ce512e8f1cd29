"""Two periods beside one another, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from evenhand.audits.accuracy.comparing import Compared
from evenhand.errors import InputError
from evenhand.finding import Finding
from evenhand.reports.serialise import read
from evenhand.reports.words import word


def lines(found: Sequence[Compared]) -> list[str]:
    """One or two sentences a measure, then what it comes to."""
    alarms = [one for one in found if one.change.alarm]
    named = ", ".join(f"{_name(one)} {'up' if one.change.difference > 0 else 'down'}" for one in alarms)
    end = f"ALARM: {named}." if alarms else "No alarm: no change is beyond what such samples vary by themselves."
    return [*(" ".join(_said(one)) for one in found), end]


def _said(one: Compared) -> Iterator[str]:
    change = one.change
    went = "rose" if change.difference > 0 else "fell"
    went = went if change.alarm else "did not visibly change,"
    values = f"from {_value(one, one.last.value or 0.0)} to {_value(one, one.this.value or 0.0)}"
    by, low, high, seen = _written(one, (change.difference, change.low, change.high, one.detectable))
    unit = " items" if one.measure == "missed" else " points"
    yield f"{_name(one)} {went} {values}: by {by}{unit} ({low} to {high})."
    way = "worse" if one.worse else "better"
    verdict = f"ALARM, for the {way}" if change.alarm else "No alarm"
    often = f"{10.0 * one.power:.0f} times in 10"
    yield f"{verdict}. Two such samples show a change of {seen.lstrip('+')}{unit} {often}."


def _name(one: Compared) -> str:
    pool = {"visible": " of what is visible"}.get(one.slice.get("pool", ""), "")
    return "Violating items still visible" if one.measure == "missed" else f"{word(one.measure).label}{pool}"


def _value(one: Compared, value: float) -> str:
    return f"{value:,.0f}" if one.measure == "missed" else f"{100.0 * value:.3g} %"


def _written(one: Compared, values: Sequence[float]) -> list[str]:
    """Signed, to as many digits as the interval bears out."""
    if one.measure == "missed":
        return [f"{value:+,.0f}".replace("-", "−") for value in values]
    width = 100.0 * (one.change.high - one.change.low)
    digits = max(0, 1 - math.floor(math.log10(max(width, 1e-9))))
    return [f"{100.0 * value:+.{digits}f}".replace("-", "−") for value in values]


def period(path: str) -> Finding:
    """The one finding about moderation in a file of findings."""
    found = [finding for finding in read(path) if any(m.measure == "prevalence" for m in finding)]
    if len(found) != 1:
        problem = f"holds {len(found) or 'no'} findings with a prevalence: one is needed, of the audit 'accuracy'"
        raise InputError(problem, source=path)
    return found[0]
