"""The pictures of a calibration finding."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.figures.calibration.bins import against_bins
from evenhand.figures.calibration.classes import class_errors
from evenhand.figures.calibration.diagrams import class_reliability, column_reliability, reliability
from evenhand.figures.figure import Figure
from evenhand.finding import Finding

DRAWN = (class_errors, reliability, class_reliability, column_reliability, against_bins)


def figures(finding: Finding) -> Iterator[Figure]:
    """For each model: which classes are off, its reliability over all and by class, and what the bins do."""
    for model in finding.values("model") or (None,):
        yield from (drawn for draw in DRAWN if (drawn := draw(finding, model)))


__all__ = ["figures"]
