"""The pictures of a perspective finding. None shows anything about a single annotator."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.figures.figure import Figure
from evenhand.figures.perspective.annotators import annotators
from evenhand.figures.perspective.clusters import clusters
from evenhand.figures.perspective.deltas import deltas
from evenhand.figures.perspective.inertia import inertia
from evenhand.figures.perspective.order import furthest_first, is_few
from evenhand.figures.perspective.ranking import ranking
from evenhand.finding import Finding

OF_ALL = (deltas, ranking, annotators)
OF_EACH = (clusters, inertia)


def figures(finding: Finding) -> Iterator[Figure]:
    """Of all models together: deltas by group, their ranking, who the annotators are. Of each: clusters and bins."""
    yield from (drawn for draw in OF_ALL if (drawn := draw(finding)))
    for model in finding.values("model") or (None,):
        yield from (drawn for draw in OF_EACH if (drawn := draw(finding, model)))


__all__ = ["figures", "furthest_first", "is_few"]
