"""Which audit is summed up how."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from evenhand.finding import Finding
from evenhand.reports.summary import bias, calibration, collaboration, comparison, perspective, plain
from evenhand.reports.summary.point import Point, Summary

POINTS: dict[str, Callable[[Finding], Iterator[Point]]] = {
    "bias": bias.points,
    "calibration": calibration.points,
    "collaboration": collaboration.points,
    "comparison": comparison.points,
    "perspective": perspective.points,
}
MARKED = (
    "What stands out does so beyond chance, after allowing for all numbers that the same question looked at. What does "
    "not stand out may still be there: it is smaller than these items can show."
)


def summary(findings: Sequence[Finding]) -> Summary:
    """The points of all findings, in their order, and what all of them rest on."""
    points = [point for finding in findings for point in POINTS.get(finding.audit, plain.points)(finding)]
    return Summary(tuple(points), (MARKED, *_shared(findings)))


def _shared(findings: Sequence[Finding]) -> list[str]:
    """What to beware of first, of each finding."""
    return list(dict.fromkeys(finding.caveats[0] for finding in findings if finding.caveats))
