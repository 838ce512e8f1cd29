"""Which group comes off worst in a bias finding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evenhand.estimate import Estimate
from evenhand.finding import Finding
from evenhand.measures import bias
from evenhand.reports.picking import Named

AUCS = tuple(comparison.name for comparison in bias.AUCS)
GAPS = tuple(comparison.name for comparison in bias.COMPARISONS if comparison.is_gap)


class Worst(NamedTuple):
    """A number that stands out."""

    group: str
    measure: str
    estimate: Estimate


def lowest_auc(finding: Finding, named: Named, groups: Sequence[str]) -> Worst | None:
    """The lowest AUC that stands out, below that of everything; one that rests on few items only if there is no other.

    Marks have two sides: a group that is told apart better than others stands out as well, and is not worst.
    """
    overall = finding.get("auroc", **named).value
    found = [one for one in _marked(finding, named, groups, AUCS) if overall is None or _value(one) < overall]
    return min(found, key=lambda one: (_is_small(one), _value(one)), default=None)


def widest_gap(finding: Finding, named: Named, groups: Sequence[str]) -> Worst | None:
    """The widest gap that stands out, whichever way."""
    found = _marked(finding, named, groups, GAPS)
    return min(found, key=lambda one: (_is_small(one), -abs(_value(one))), default=None)


def _marked(finding: Finding, named: Named, groups: Sequence[str], measures: Sequence[str]) -> list[Worst]:
    every = [Worst(group, m, finding.get(m, **named, group=group)) for group in groups for m in measures]
    return [one for one in every if one.estimate.value is not None and "stands_out" in one.estimate.flags]


def _value(one: Worst) -> float:
    assert one.estimate.value is not None
    return one.estimate.value


def _is_small(one: Worst) -> bool:
    return "small" in one.estimate.flags
