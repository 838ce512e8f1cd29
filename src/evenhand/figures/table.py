"""Which audit is drawn how."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from evenhand.figures import accuracy, bias, calibration, collaboration, perspective, simulation
from evenhand.figures.figure import Figure
from evenhand.finding import Finding

FIGURES: dict[str, Callable[[Finding], Iterator[Figure]]] = {
    "accuracy": accuracy.figures,
    "bias": bias.figures,
    "calibration": calibration.figures,
    "collaboration": collaboration.figures,
    "perspective": perspective.figures,
    "simulation": simulation.figures,
}


def figures(finding: Finding) -> list[Figure]:
    """All figures of a finding; an audit without a row here has none."""
    draw = FIGURES.get(finding.audit)
    return list(draw(finding)) if draw else []
