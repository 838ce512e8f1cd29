"""Whether sets hold the labels, and how large they are: for all rows, and by class or group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand.conformal.predictor import Sets
from evenhand.errors import InputError, Undefined


@dataclass(frozen=True)
class Coverage:
    """Of `rows` rows: how many sets hold their label, and how many labels are in the sets together."""

    rows: int
    held: int
    labels: int

    @property
    def share(self) -> float:
        """The share of sets that hold their label."""
        return self._per_row(self.held)

    @property
    def size(self) -> float:
        """Labels in a set, on average."""
        return self._per_row(self.labels)

    def _per_row(self, amount: int) -> float:
        if not self.rows:
            raise Undefined("there are no rows to predict")
        return amount / self.rows


def coverage(sets: Sets, label: npt.ArrayLike) -> Coverage:
    """Over all rows."""
    return coverage_by(sets, label, np.zeros(len(sets), dtype=np.int64), 1)[0]


def coverage_by(sets: Sets, label: npt.ArrayLike, cell: npt.ArrayLike, cells: int) -> tuple[Coverage, ...]:
    """By class (the cell is the label) or group; rows of cell −1 are in none."""
    own, place = np.asarray(label), np.asarray(cell)
    if own.shape != (len(sets),) or place.shape != own.shape:
        raise InputError("there must be one label and one cell per set")
    held = sets[np.arange(len(sets)), own]
    known = place >= 0
    counts = [
        np.bincount(place[known], part, cells).astype(np.int64)
        for part in (np.ones(int(known.sum())), held[known], sets.sum(axis=1)[known])
    ]
    return tuple(Coverage(*(int(part[number]) for part in counts)) for number in range(cells))
