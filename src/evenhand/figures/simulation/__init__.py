"""The pictures of a simulation: labels needed by strata and allocation, and by the size of the pilot."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.figures.figure import Figure
from evenhand.figures.simulation.pilots import by_pilot
from evenhand.figures.simulation.scenery import by_scene, scenes
from evenhand.figures.simulation.strata import by_strata
from evenhand.finding import Finding


def figures(finding: Finding) -> Iterator[Figure]:
    """Figure 1 for every population, then Figure 2 with a panel for each."""
    for scene in scenes(finding):
        if drawn := by_strata(finding, scene):
            yield drawn
    if drawn := by_pilot(finding):
        yield drawn


__all__ = ["by_scene", "figures", "scenes"]
