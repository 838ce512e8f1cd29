"""Bins of a probability, the calibration error over them, and its summaries over classes.

The summaries (CECE, MSECE, WSECE, variance) are those of Obadinma, Guo and Zhu (2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Floats
from evenhand.errors import InputError, Undefined
from evenhand.measures.binary_calibration import DEFAULT_BIN_COUNT, Reliability

ROUNDING_SHARE = 1e-13  # a share of the items below which a bin holds nothing but rounding


@dataclass(frozen=True, slots=True)
class Bins:
    """How many, and whether they are equally wide, (lo, hi] with 0 in the first, or hold equally much.

    Bins that hold equally much do so exactly: items of one value that straddle an edge are split in proportion.
    """

    count: int = DEFAULT_BIN_COUNT
    by: Literal["width", "mass"] = "width"

    def __post_init__(self) -> None:
        if self.count < 1:
            raise InputError(f"there must be one bin or more, not {self.count}")
        if self.by not in ("width", "mass"):
            raise InputError(f"bins are equal by 'width' or by 'mass', not by '{self.by}'")


@dataclass(frozen=True, slots=True)
class BinnedSums:
    """Sums per bin, the last axis: the items, how many of them their probabilities expect to violate, and how many do.

    The axis before, if any, is that of the classes; one before that, of draws.
    """

    weight: Floats
    expected: Floats
    observed: Floats

    @classmethod
    def from_columns(cls, weight: Floats, expected: Floats, observed: Floats) -> BinnedSums:
        """Bins that hold nothing but rounding are emptied."""
        some = weight > ROUNDING_SHARE * weight.sum(axis=-1, keepdims=True)
        if some.all():
            return cls(weight, expected, observed)
        return cls(*(np.where(some, column, 0.0) for column in (weight, expected, observed)))

    @classmethod
    def stacked(cls, sums: Sequence[BinnedSums], axis: int = 0) -> BinnedSums:
        """Several of one shape along a new axis."""
        columns = ([getattr(one, name) for one in sums] for name in ("weight", "expected", "observed"))
        return cls(*(np.stack(column, axis=axis) for column in columns))

    @property
    def total(self) -> Floats:
        """How many items there are."""
        return np.asarray(self.weight.sum(axis=-1))

    @property
    def gaps(self) -> Floats:
        """What came true beyond the promise, as a share of the items: its absolute values add up to the error."""
        total = self.total[..., None]
        return np.divide(self.observed - self.expected, total, out=np.zeros_like(self.weight), where=total > 0.0)

    @property
    def error(self) -> Floats:
        """Σ (n_b / N) |accuracy − confidence|; 0 where there are no items."""
        return np.asarray(np.abs(self.gaps).sum(axis=-1))

    def __getitem__(self, number: int) -> BinnedSums:
        return BinnedSums(self.weight[number], self.expected[number], self.observed[number])

    @property
    def reliability(self) -> Reliability:
        """Per bin its weight, mean confidence and accuracy (0 where empty)."""
        some = self.weight > 0.0
        means = (
            np.divide(total, self.weight, out=np.zeros_like(self.weight), where=some)
            for total in (self.expected, self.observed)
        )
        return Reliability(self.weight, *means)


def cece(errors: npt.ArrayLike) -> Any:
    """Contraharmonic: Σ e² / Σ e, which leans towards the worst class; 0 when no class has an error.

    Classes are the last axis; axes before it are those of draws.
    """
    values = _errors(errors)
    total = np.asarray(values.sum(axis=-1))
    return np.divide((values * values).sum(axis=-1), total, out=np.zeros_like(total), where=total > 0.0)[()]


def msece(errors: npt.ArrayLike) -> float:
    """Macro: the plain mean, every class alike."""
    return float(_errors(errors).mean())


def wsece(errors: npt.ArrayLike, sizes: npt.ArrayLike) -> float:
    """Weighted: the mean by the size of each class."""
    values, shares = _errors(errors), np.asarray(sizes, dtype=np.float64)
    if not shares.sum() > 0.0:
        raise Undefined("there are no items")
    return float(np.dot(values, shares) / shares.sum())


def ece_variance(errors: npt.ArrayLike, overall: npt.ArrayLike) -> Any:
    """The mean of (e − overall)²: high where errors of classes cancel out in the overall one.

    Classes are the last axis of the errors; axes before it are those of draws.
    """
    return ((_errors(errors) - np.asarray(overall)[..., None]) ** 2).mean(axis=-1)


def _errors(errors: npt.ArrayLike) -> npt.NDArray[np.float64]:
    values = np.asarray(errors, dtype=np.float64)
    if not values.size:
        raise Undefined("no class has items")
    return values
