"""Bins of a probability, and what falls into them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from evenhand.errors import InputError
from evenhand.measures.probability import BINS, Reliability
from evenhand.tally import FloatArray

BARE = 1e-13  # a share of the items below which a bin holds nothing but rounding


@dataclass(frozen=True, slots=True)
class Bins:
    """How many, and whether they are equally wide, (lo, hi] with 0 in the first, or hold equally much.

    Bins that hold equally much do so exactly: items of one value that straddle an edge are split in proportion.
    """

    count: int = BINS
    by: Literal["width", "mass"] = "width"

    def __post_init__(self) -> None:
        if self.count < 1:
            raise InputError(f"there must be one bin or more, not {self.count}")
        if self.by not in ("width", "mass"):
            raise InputError(f"bins are equal by 'width' or by 'mass', not by '{self.by}'")


@dataclass(frozen=True, slots=True)
class Binned:
    """Sums per bin, the last axis: the items, what their probabilities promised, and what came true.

    The axis before, if any, is that of the classes.
    """

    weight: FloatArray
    promised: FloatArray
    kept: FloatArray

    @classmethod
    def of(cls, weight: FloatArray, promised: FloatArray, kept: FloatArray) -> Binned:
        """Bins that hold nothing but rounding are emptied."""
        some = weight > BARE * weight.sum(axis=-1, keepdims=True)
        return cls(*(np.where(some, found, 0.0) for found in (weight, promised, kept)))

    @property
    def total(self) -> FloatArray:
        """How many items there are."""
        return np.asarray(self.weight.sum(axis=-1))

    @property
    def gaps(self) -> FloatArray:
        """What came true beyond the promise, as a share of the items: its absolute values add up to the error."""
        total = self.total[..., None]
        return np.divide(self.kept - self.promised, total, out=np.zeros_like(self.weight), where=total > 0.0)

    @property
    def error(self) -> FloatArray:
        """Σ (n_b / N) |accuracy − confidence|; 0 where there are no items."""
        return np.asarray(np.abs(self.gaps).sum(axis=-1))

    def __getitem__(self, number: int) -> Binned:
        return Binned(self.weight[number], self.promised[number], self.kept[number])

    @property
    def reliability(self) -> Reliability:
        """Per bin its weight, mean confidence and accuracy (0 where empty)."""
        some = self.weight > 0.0
        means = (
            np.divide(found, self.weight, out=np.zeros_like(self.weight), where=some)
            for found in (self.promised, self.kept)
        )
        return Reliability(self.weight, *means)
