"""One period against the one before: what changed, how sure that is, and whether it is cause for alarm."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.estimate import Estimate
from evenhand.finding import Finding
from evenhand.sampling import NoOverlap, Power, compare
from evenhand.sampling.effects import Change, Rule
from evenhand.sampling.targets import two_sided

MEASURES = ("prevalence", "recall", "precision", "f1", "accuracy", "missed")
RULES: Mapping[str, type[Power] | type[NoOverlap]] = {"difference": Power, "overlap": NoOverlap}
POWERS = {"difference": 0.8, "overlap": 0.5}  # with which a change of the minimum detectable effect is found
WORSE = {"prevalence": 1.0, "missed": 1.0}  # which way is worse; down for the others


@dataclass(frozen=True)
class Compared:
    """A measure in both periods and its change; `detectable` is what two such samples show with `power`."""

    measure: str
    slice: Mapping[str, str]
    last: Estimate
    this: Estimate
    change: Change
    detectable: float
    power: float

    @property
    def worse(self) -> bool:
        """Whether it went the wrong way."""
        return self.change.difference * WORSE.get(self.measure, -1.0) > 0.0

    def record(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "measure": self.measure,
            "slice": dict(self.slice),
            "last": self.last.value,
            "this": self.this.value,
            "change": self.change.difference,
            "low": self.change.low,
            "high": self.change.high,
            "level": self.this.level,
            "minimum_detectable_effect": self.detectable,
            "threshold": self.change.threshold,
            "alarm": self.change.alarm,
        }


def compared(this: Finding, last: Finding, *, rule: str = "difference") -> list[Compared]:
    """Every measure of everything, and of each pool, that both periods have."""
    if rule not in RULES:
        raise InputError(f"there is no rule '{rule}'; {nearest(rule, RULES)}")
    found = list(_compared(this, last, rule))
    if not found:
        raise InputError("the two findings have no estimate of moderation in common: prevalence, recall, precision, …")
    return found


def _compared(this: Finding, last: Finding, rule: str) -> Iterator[Compared]:
    for m in this:
        if m.measure not in MEASURES or set(m.slice) - {"pool"} or not last.has(m.measure, **m.slice):
            continue
        old = last.get(m.measure, **m.slice)
        if m.slice == {"pool": "removed"} or m.estimate.value is None or old.value is None:
            continue  # the share among the removed is the precision
        if old.level != m.estimate.level:
            raise InputError(f"the levels of the intervals differ: {old.level:g} and {m.estimate.level:g}")
        way = RULES[rule](level=old.level)
        yield Compared(m.measure, m.slice, old, m.estimate, *_change(old, m.estimate, way), POWERS[rule])


def _change(last: Estimate, this: Estimate, rule: Rule) -> tuple[Change, float]:
    """From the two intervals, which need not be even: the sides that face one another decide, as with Zou's MOVER."""
    assert last.value is not None
    assert this.value is not None
    z = two_sided(this.level)
    (down, up), (old_down, old_up) = _sides(this), _sides(last)
    rose = this.value >= last.value
    facing = (old_up, down) if rose else (old_down, up)
    change = compare((last.value, facing[0] / z), (this.value, facing[1] / z), rule=rule, level=this.level)
    low = change.difference - math.hypot(down, old_up)
    high = change.difference + math.hypot(up, old_down)
    error = math.hypot(down + up, old_down + old_up) / (2.0 * math.sqrt(2.0) * z)
    return replace(change, low=low, high=high), rule.factor() * error


def _sides(estimate: Estimate) -> tuple[float, float]:
    """How far the interval goes down and up."""
    value = estimate.value or 0.0
    low = value if estimate.low is None else estimate.low
    high = value if estimate.high is None else estimate.high
    return value - low, high - value
