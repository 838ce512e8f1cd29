"""The pictures of a collaboration finding."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.figures.collaboration.capacities import headline, in_words, looked_at, share
from evenhand.figures.collaboration.checked import checked
from evenhand.figures.collaboration.curves import curves
from evenhand.figures.collaboration.reliability import reliability
from evenhand.figures.figure import Figure
from evenhand.finding import Finding


def figures(finding: Finding) -> Iterator[Figure]:
    """All models and strategies over the capacities; then, for each model, what is caught and how honest it is."""
    if drawn := curves(finding):
        yield drawn
    for model in dict.fromkeys(exhibit.slice["model"] for exhibit in finding.exhibits):
        own = [exhibit for exhibit in finding.exhibits if exhibit.slice["model"] == model]
        if drawn := checked(model, [exhibit for exhibit in own if exhibit.kind == "checked"]):
            yield drawn
        yield from (reliability(model, exhibit) for exhibit in own if exhibit.kind == "reliability")


__all__ = ["figures", "headline", "in_words", "looked_at", "share"]
