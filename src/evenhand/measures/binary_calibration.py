"""Calibration of a binary score, from counts by score: Brier score, reliability, ECE, calibration AUROC and AUPRC.

Binary is two classes: the confidence is max(p, 1 − p), and an item is predicted violating when p ≥ ½. The calibration
of any number of classes is in `evenhand.measures.calibration`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Floats
from evenhand.errors import Undefined
from evenhand.measures.ranking import auc, average_precision
from evenhand.measures.score_cells import TIED, ScoreCells, ranked, wrong_and_right
from evenhand.tally import Classes, dot, merged

DEFAULT_BIN_COUNT = 15


class Reliability(NamedTuple):
    """Per bin of confidence: how much lies in it, its mean confidence and how often it is right (0 where empty)."""

    weight: Floats
    confidence: Floats
    accuracy: Floats


def brier(cells: ScoreCells) -> float:
    """The mean of (y − p)²."""
    p = _probabilities(cells)
    violating, benign = cells.classes
    return (dot(violating.weight, (1.0 - p) ** 2) + dot(benign.weight, p**2)) / cells.weight


def reliability(cells: ScoreCells, bins: int = DEFAULT_BIN_COUNT) -> Reliability:
    """Equal-width bins (lo, hi] over the confidence, 0 in the first."""
    p = _probabilities(cells)
    confidence = np.maximum(p, 1.0 - p)
    violating, benign = (mass.weight for mass in cells.classes)
    items, runs = violating + benign, _runs(confidence, bins)
    weight = _summed(items, runs)
    sums = (_summed(items * confidence, runs), _summed(_right(p, cells), runs))
    means = (np.divide(total, weight, out=np.zeros(bins), where=weight > 0) for total in sums)
    return Reliability(weight, *means)


def _runs(confidence: Floats, bins: int) -> list[tuple[slice, slice]]:
    """Per bin the two runs of cells in it: along the scores the confidence falls and then rises."""
    edges = np.concatenate((np.arange(1, bins) / bins + TIED, [np.inf]))
    turn = int(np.argmin(confidence))
    falling = turn - np.searchsorted(confidence[:turn][::-1], edges, side="right")
    rising = turn + np.searchsorted(confidence[turn:], edges, side="right")
    ends = zip(falling.tolist(), rising.tolist(), strict=True)
    bounds = [(turn, turn), *ends]
    return [(slice(low, left), slice(right, high)) for (left, right), (low, high) in pairwise(bounds)]


def _summed(parts: Floats, runs: list[tuple[slice, slice]]) -> Floats:
    return np.array([float(parts[below].sum() + parts[above].sum()) for below, above in runs])


def ece(cells: ScoreCells, bins: int = DEFAULT_BIN_COUNT) -> float:
    """Expected calibration error: Σ (n_b / N) |accuracy − confidence| over the bins."""
    diagram = reliability(cells, bins)
    return dot(diagram.weight, np.abs(diagram.accuracy - diagram.confidence)) / cells.weight


class RankedErrors(NamedTuple):
    """How well a review score puts items that are predicted wrong above those predicted right.

    `auroc` is None where every item is predicted wrong. Of very many scores, neighbours are together in `classes`.
    """

    auroc: float | None
    auprc: float
    classes: Classes

    @classmethod
    def from_cells(cls, cells: ScoreCells, review: Floats, *, threshold: float = 0.5) -> RankedErrors:
        """With a review score per cell."""
        wrong, right = wrong_and_right(cells, threshold)
        if not wrong.total.weight:
            raise Undefined("the model makes no errors at this threshold")
        classes = ranked(np.asarray(review, dtype=np.float64), wrong, right)
        area = auc(*classes) if classes.benign.total.weight else None
        return cls(area, average_precision(classes), merged(classes))

    def area(self) -> float:
        """The AUROC; `Undefined` where it has none."""
        if self.auroc is None:
            raise Undefined("the model gets every item wrong at this threshold")
        return self.auroc


def calibration_auroc(cells: ScoreCells, review: Floats, *, threshold: float = 0.5) -> float:
    """How well a review score per cell puts the items that are predicted wrong above those predicted right."""
    return RankedErrors.from_cells(cells, review, threshold=threshold).area()


def calibration_auprc(cells: ScoreCells, review: Floats, *, threshold: float = 0.5) -> float:
    """The same as an average precision: the area of Review Efficiency over Review Effectiveness."""
    return RankedErrors.from_cells(cells, review, threshold=threshold).auprc


def _right(p: Floats, cells: ScoreCells) -> Floats:
    violating, benign = cells.classes
    return np.where(p >= 0.5, violating.weight, benign.weight)


def _probabilities(cells: ScoreCells) -> Floats:
    if not cells.weight:
        raise Undefined("there are no items")
    p: Floats = cells.scores.astype(np.float64)
    if p[0] < 0.0 or p[-1] > 1.0:
        raise Undefined("the score is not a probability: it goes beyond 0 and 1")
    return p
