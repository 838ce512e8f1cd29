"""Class probabilities of many items, one row each, as probabilities and as their logarithms.

A model may hand out logits instead. Their softmax is meant, so a calibrator gives the same answer to either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import special

from evenhand.errors import InputError
from evenhand.tally import FloatArray

FLOOR = 1e-16  # where logarithms are taken, smaller probabilities count as this much; 1 less this is 1
SLACK = 0.01  # how far a row may be from summing to one; it is divided by its sum
ROUNDING = 1e-6  # how far a value may be beyond 0 and 1
EXACT = 1e-13  # rows this near to one are left as they are


@dataclass(frozen=True)
class Predictions:
    """What a model says of each item: `given` [items, classes] are probabilities, or logits."""

    given: FloatArray
    logits: bool = False

    @classmethod
    def of(cls, values: npt.ArrayLike, *, logits: bool = False) -> Predictions:
        """Checked, and in double precision."""
        given = np.asarray(values, dtype=np.float64)
        if given.ndim != 2 or given.shape[1] < 2:
            raise InputError("probabilities are one row for each item and one column for each of two or more classes")
        if not np.isfinite(given).all():
            raise InputError("a value is missing or infinite", row=_first(~np.isfinite(given).all(axis=1)))
        return cls(given, logits=True) if logits else cls(_probabilities(given))

    @cached_property
    def probabilities(self) -> FloatArray:
        """Rows sum to one."""
        if self.logits:
            found: FloatArray = special.softmax(self.given, axis=1)
            return found
        total = self.given.sum(axis=1, keepdims=True)
        return self.given if (np.abs(total - 1.0) <= EXACT).all() else self.given / total

    @cached_property
    def logs(self) -> FloatArray:
        """Logarithms of the probabilities; those of probabilities below the floor are that of the floor."""
        if self.logits:
            found: FloatArray = special.log_softmax(self.given, axis=1)
            return found
        lifted = np.maximum(self.given, FLOOR)
        return np.asarray(np.log(lifted / lifted.sum(axis=1, keepdims=True)))

    def among(self, classes: Sequence[int]) -> Predictions:
        """The probabilities of some classes, given that it is one of them; equal where none of them can be."""
        kept = self.given[:, list(classes)]
        if self.logits:
            return Predictions(kept, logits=True)
        total = kept.sum(axis=1, keepdims=True)
        return Predictions(np.where(total > 0.0, kept / np.where(total > 0.0, total, 1.0), 1.0 / len(classes)))


def _probabilities(given: FloatArray) -> FloatArray:
    beyond = ((given < -ROUNDING) | (given > 1.0 + ROUNDING)).any(axis=1)
    if beyond.any():
        raise InputError("a probability lies beyond 0 and 1; say so if these are logits", row=_first(beyond))
    off = np.abs(given.sum(axis=1) - 1.0)
    if (off > SLACK).any():
        worst = int(off.argmax())
        problem = f"the probabilities sum to {given[worst].sum():.4g}, not to one"
        raise InputError(f"{problem}, as in {int((off > SLACK).sum())} of {len(given)} rows", row=worst + 1)
    return given if not len(given) or (given.min() >= 0.0 and given.max() <= 1.0) else np.clip(given, 0.0, 1.0)


def _first(rows: npt.ArrayLike) -> int:
    return int(np.argmax(rows)) + 1
