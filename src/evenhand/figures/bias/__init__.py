"""The pictures of a bias finding."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.figures.bias.curve import curves
from evenhand.figures.bias.distribution import distributions
from evenhand.figures.bias.order import worst_first
from evenhand.figures.bias.overview import overview
from evenhand.figures.bias.panels import exhibits
from evenhand.figures.figure import Figure
from evenhand.finding import Finding

MOST = 40  # groups with figures of their own, the worst first; the overview has them all


def figures(finding: Finding) -> Iterator[Figure]:
    """An overview of all groups, then two figures per group, the worst first."""
    groups = worst_first(finding)
    if drawn := overview(finding, groups):
        yield drawn
    for group in groups[:MOST]:
        if exhibits(finding, "distribution", group):
            yield distributions(finding, group)
        if exhibits(finding, "tpr_curve", group) or exhibits(finding, "fpr_curve", group):
            yield curves(finding, group)


__all__ = ["MOST", "figures", "worst_first"]
