"""Calibrators without a formula: isotonic regression and histogram binning.

Each class by itself is mapped to how often it was the true one, then rows are rescaled to sum to one. Isotonic
regression finds the rising curve nearest to the labels. Histogram binning takes the share of the class in each bin.
Where every class of a row becomes 0, the row keeps the probabilities it had.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Floats
from evenhand.calibrators.predictions import OptionValue, UncalibratedPredictions, Validation
from evenhand.choices import check_limits
from evenhand.errors import InputError

BINS = 15
TIED = 1e-12  # a value this little above an edge lies on it
NumberRows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Isotonic:
    """For each class the corners of a rising curve; straight between them, level beyond."""

    probabilities: NumberRows
    shares: NumberRows

    def __call__(self, predictions: UncalibratedPredictions) -> Floats:
        return _rescaled(self.curves(predictions), predictions.probabilities)

    def curves(self, predictions: UncalibratedPredictions) -> Floats:
        """Before rows are made to sum to one."""
        columns = zip(predictions.probabilities.T, self.probabilities, self.shares, strict=True)
        return np.column_stack([np.interp(column, x, y) for column, x, y in columns])

    def fits(self, width: int) -> bool:
        pairs = zip(self.probabilities, self.shares, strict=False)
        rising = all(np.all(np.diff(x) > 0.0) and np.all(np.diff(y) >= 0.0) for x, y in pairs)
        lengths = [len(row) for row in self.probabilities]
        same = lengths == [len(row) for row in self.shares] and len(lengths) == width and 0 not in lengths
        return same and rising and _shares(self.shares)


@dataclass(frozen=True)
class Histogram:
    """For each class the edges between bins (lo, hi], 0 in the first, and the share of the class in each bin."""

    edges: NumberRows
    shares: NumberRows

    def __call__(self, predictions: UncalibratedPredictions) -> Floats:
        return _rescaled(self.curves(predictions), predictions.probabilities)

    def curves(self, predictions: UncalibratedPredictions) -> Floats:
        """Before rows are made to sum to one."""
        columns = zip(predictions.probabilities.T, self.edges, self.shares, strict=True)
        return np.column_stack([np.asarray(y)[_bins(column, np.asarray(x))] for column, x, y in columns])

    def fits(self, width: int) -> bool:
        rising = all(np.all(np.diff(row) > 0.0) for row in self.edges)
        lengths = [len(row) + 1 for row in self.edges]
        same = lengths == [len(row) for row in self.shares] and len(lengths) == width
        return same and rising and _shares(self.shares)


def fit_isotonic(validation: Validation, _: Mapping[str, OptionValue]) -> tuple[Isotonic, list[str]]:
    """By scikit-learn, one class against the others."""
    from sklearn.isotonic import IsotonicRegression  # type: ignore[import-untyped]

    curves = []
    for column, truth in zip(validation.predictions.probabilities.T, validation.truth().T, strict=True):
        model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
        curves.append(model.fit(column, truth, sample_weight=validation.weights))
    x = tuple(tuple(curve.X_thresholds_.tolist()) for curve in curves)
    y = tuple(tuple(curve.y_thresholds_.tolist()) for curve in curves)
    return Isotonic(x, y), []


def fit_histogram(validation: Validation, options: Mapping[str, OptionValue]) -> tuple[Histogram, list[str]]:
    """An empty bin stands for its own middle."""
    bins, equal = options["bins"], options["equal"]
    if isinstance(bins, bool) or not isinstance(bins, int) or bins < 1:
        raise InputError(f"bins is {bins}: choose a whole number of 1 or more")
    check_limits({"bins": bins})
    if equal not in ("width", "mass"):
        raise InputError(f"bins are of equal 'width' or 'mass', not '{equal}'")
    edges, shares = [], []
    for column, truth in zip(validation.predictions.probabilities.T, validation.truth().T, strict=True):
        inner = np.arange(1, bins) / bins if equal == "width" else _quantiles(column, validation.weights, bins)
        at, weight = _bins(column, inner), validation.weights
        total, right = (np.bincount(at, w, len(inner) + 1) for w in (weight, weight * truth))
        ends = np.concatenate([[0.0], inner, [1.0]])
        middle = (ends[:-1] + ends[1:]) / 2.0
        edges.append(tuple(inner.tolist()))
        shares.append(tuple(np.where(total > 0.0, right / np.where(total > 0.0, total, 1.0), middle).tolist()))
    return Histogram(tuple(edges), tuple(shares)), []


def _bins(values: Floats, inner: Floats) -> npt.NDArray[np.intp]:
    return np.searchsorted(inner + TIED, values, side="left")


def _quantiles(values: Floats, weights: Floats, bins: int) -> Floats:
    """Edges up to which lies 1/bins, 2/bins, … of the mass; equal values stay together, so some may fall together."""
    distinct, place = np.unique(values, return_inverse=True)
    mass = np.cumsum(np.bincount(place, weights))
    at = np.searchsorted(mass, np.arange(1, bins) / bins * mass[-1] * (1.0 - TIED), side="left")
    inner = np.unique(distinct[at])
    return inner[np.concatenate([[True], np.diff(inner) > 2.0 * TIED])] if len(inner) else inner


def _rescaled(shares: Floats, before: Floats) -> Floats:
    total = shares.sum(axis=1, keepdims=True)
    return np.where(total > 0.0, shares / np.where(total > 0.0, total, 1.0), before)


def _shares(rows: NumberRows) -> bool:
    return all(0.0 <= value <= 1.0 for row in rows for value in row)
