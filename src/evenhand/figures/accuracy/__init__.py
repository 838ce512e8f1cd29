"""The pictures of an accuracy finding."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.figures.accuracy.needed import needed
from evenhand.figures.accuracy.overview import overview
from evenhand.figures.accuracy.parts import columns_of, parts, sorted_parts
from evenhand.figures.figure import Figure
from evenhand.finding import Finding


def figures(finding: Finding) -> Iterator[Figure]:
    """Everything at a glance; then, for each column that was sliced by, its parts and the labels they still need."""
    if drawn := overview(finding):
        yield drawn
    for column in columns_of(finding):
        yield from (drawn for drawn in (parts(finding, column), needed(finding, column)) if drawn)


__all__ = ["columns_of", "figures", "sorted_parts"]
