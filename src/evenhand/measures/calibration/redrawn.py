"""Every calibration measure of many redraws at once: items drawn again, or labels that a calibrated model would have.

A draw is how many items of each cell and class there are. Bins of equal mass are cut anew in every draw: exactly where
cells are small, and to first order, by how an edge moves, where there are many items. A calibrated model keeps its
probabilities, and with them every edge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from scipy import sparse

from evenhand.arrays import Floats, Ints
from evenhand.measures.calibration.binned_errors import BinnedSums, Bins
from evenhand.measures.calibration.calibration import Calibration, SumsOnDemand
from evenhand.measures.calibration.cells import PredictionCells

TIED_DIGITS = 12  # of a confidence: p and 1 − p are tied but for rounding


class _Runs(NamedTuple):
    """Which cells lie in which bin: cells by bin, and where the cells of each begin."""

    order: Ints
    starts: Ints

    @classmethod
    def from_places(cls, place: Ints, count: int) -> _Runs:
        return cls(np.argsort(place, kind="stable"), np.searchsorted(np.sort(place), np.arange(count + 1)))

    def sums(self, value: Floats, drawn: Floats) -> Floats:
        """Bins × draws: the sum of a value of each cell over its items."""
        shape = (len(self.starts) - 1, len(self.order))
        return np.asarray(sparse.csr_array((value[self.order], self.order, self.starts), shape=shape) @ drawn)


@dataclass(frozen=True)
class RedrawnCells:
    """How many items of each class every draw has in each cell: cells × draws.

    Where the draws are of labels, the items of a cell are always as many, and of one probability.
    """

    cells: PredictionCells
    benign: Floats
    violating: Floats
    labels_only: bool = False

    @classmethod
    def from_items(cls, cells: PredictionCells, drawn: Floats) -> RedrawnCells:
        """The benign items of all cells, then the violating ones."""
        benign, violating = np.split(drawn, 2)
        return cls(cells, benign, violating)

    @classmethod
    def from_labels(cls, cells: PredictionCells, violating: Floats) -> RedrawnCells:
        """Those of the items that are violating."""
        return cls(cells.pooled, cells.total[:, None] - violating, violating, labels_only=True)

    def measure(self, bins: Bins) -> Calibration:
        """Every number of each draw."""
        cells, values = self.cells, (np.ones_like(self.cells.p), self.cells.confidence, self.cells.right)
        if bins.by == "mass":
            each, overall = self._by_mass(bins.count)
        else:
            place = cells.confidence_bins(bins.count)
            overall = self._summed(place, bins.count, values)
            each = partial(self._by_class, place, bins.count, values)
        return Calibration(
            bins=bins,
            overall=overall,
            on_demand=SumsOnDemand(each, lambda: self._wide(bins.count), lambda: self._full(bins.count)),
            **self._class_sums,
        )

    @cached_property
    def _class_sums(self) -> dict[str, Floats]:
        """What does not depend on bins."""
        cells, drawn = self.cells, (self.benign, self.violating)
        own = np.stack((1.0 - cells.p[:, 0], cells.p[:, 1]))
        columns = [np.stack((1.0 - cells.predicted, cells.predicted, own[y], cells.surprise[:, y])) for y in range(2)]
        columns[0] = np.vstack((columns[0], 1.0 - 2.0 * cells.p[:, 0] + cells.squares[:, 0], cells.squares[:, 0]))
        columns[1] = np.vstack((columns[1], 1.0 - 2.0 * cells.p[:, 1] + cells.squares[:, 1], cells.squares[:, 1]))
        sums = np.stack([columns[y] @ drawn[y] for y in range(2)], axis=-1)  # columns × draws × classes
        confusion = np.moveaxis(sums[:2], 0, -1)
        return {
            "confusion": confusion,
            "true_mass": sums[2],
            "totals": confusion.sum(axis=-1),
            "squares": sums[4:].sum(axis=-1).T,
            "surprise": sums[3],
        }

    def _wide(self, count: int) -> BinnedSums:
        """Classes × bins of equal width of each class's probability."""
        p, truth, one = self.cells.p, np.eye(2), np.ones_like(self.cells.p)
        sums = [
            self._summed(self.cells.column_bins(k, count), count, (one, p if k else 1.0 - p, one * truth[k]))
            for k in range(2)
        ]
        return BinnedSums.stacked(sums, axis=1)

    def _summed(self, place: Ints, count: int, values: tuple[Floats, ...]) -> BinnedSums:
        """Draws × bins: the sums of a value of each cell and class over its items, for all classes."""
        runs = _Runs.from_places(place, count)
        return BinnedSums.from_columns(*(self._sums(runs, value) for value in values))

    def _sums(self, runs: _Runs, value: Floats) -> Floats:
        if not self.labels_only:
            return np.asarray((runs.sums(value[:, 0], self.benign) + runs.sums(value[:, 1], self.violating)).T)
        moved, fixed = value[:, 1] - value[:, 0], runs.sums(value[:, 0], self.cells.total[:, None])
        if not moved.any():
            return np.broadcast_to(fixed.T, (self.violating.shape[1], len(fixed)))
        return np.asarray((runs.sums(moved, self.violating) + fixed).T)

    def _by_class(self, place: Ints, count: int, values: tuple[Floats, ...]) -> BinnedSums:
        drawn, runs = (self.benign, self.violating), _Runs.from_places(place, count)
        sums = (BinnedSums.from_columns(*(runs.sums(value[:, y], drawn[y]).T for value in values)) for y in range(2))
        return BinnedSums.stacked(list(sums), axis=1)

    def _full(self, count: int) -> BinnedSums:
        """Bins of equal mass: those of one class are those of the other, turned round."""
        if self.labels_only:
            weight, predicted, violating = self._at_known_edges(count)
        elif self.cells.small:
            expected = self.benign * self.cells.p[:, :1] + self.violating * self.cells.p[:, 1:]
            weight, predicted, violating = equal_mass_sums(
                (self.benign + self.violating, expected, self.violating), count
            )
        else:
            weight, predicted, violating = self._to_first_order(count)
        turned = (weight - one for one in (predicted, violating))
        other = BinnedSums.from_columns(*(one[:, ::-1] for one in (weight, *turned)))
        return BinnedSums.stacked([other, BinnedSums.from_columns(weight, predicted, violating)], axis=1)

    def _at_known_edges(self, count: int) -> tuple[Floats, Floats, Floats]:
        inside = np.diff(self.cells.mass_shares(count), prepend=0.0, append=1.0, axis=1)
        violating = (inside.T @ self.violating).T
        fixed = (self.cells.total @ inside, (self.cells.total * self.cells.p[:, 0]) @ inside)
        weight, predicted = (np.broadcast_to(one, violating.shape) for one in fixed)
        return weight, predicted, violating

    def _to_first_order(self, count: int) -> tuple[Floats, Floats, Floats]:
        """Gaps of the sample, moved by each draw; all items of a draw in bins of equal mass, and no probabilities."""
        cells, influence = self.cells, self.cells.mass_gap_influence(count)
        n, inside = cells.total.sum(), np.diff(cells.mass_shares(count), prepend=0.0, append=1.0, axis=1)
        gaps = (cells.items * (np.arange(2) - cells.p)).sum(axis=1) @ inside / n
        moved = (influence[:, 0].T @ self.benign + influence[:, 1].T @ self.violating).T
        total = (self.benign.sum(axis=0) + self.violating.sum(axis=0))[:, None]
        weight = np.repeat(total / count, count, axis=1)
        return weight, np.zeros_like(weight), (gaps + moved / n) * total

    def _by_mass(self, count: int) -> tuple[Callable[[], BinnedSums], BinnedSums]:
        """By the confidence, where each class and all have bins of their own that hold equally much."""
        cells = self.cells
        middle = np.where(cells.predicted == 1, cells.middle, 1.0 - cells.middle)
        levels, place = np.unique(np.round(middle, TIED_DIGITS), return_inverse=True)
        drawn, values = (self.benign, self.violating), (np.ones_like(cells.p), cells.confidence, cells.right)
        runs = _Runs.from_places(place, len(levels))
        sums = [[runs.sums(value[:, y], drawn[y]) for value in values] for y in range(2)]
        both = equal_mass_sums(tuple(a + b for a, b in zip(*sums, strict=True)), count)
        each = [BinnedSums.from_columns(*equal_mass_sums(tuple(one), count)) for one in sums]
        return partial(BinnedSums.stacked, each, 1), BinnedSums.from_columns(*both)


def equal_mass_sums(amounts: tuple[Floats, ...], count: int) -> Floats:
    """Amounts × draws × bins: sums over bins that hold equally much of the first, cut anew in each draw.

    Amounts are cells × draws, the cells ascending; one that straddles an edge is split in proportion.
    """
    mass = np.ascontiguousarray(amounts[0].T)
    draws, cells = mass.shape
    reached = np.cumsum(mass, axis=1)
    targets = reached[:, -1:] * (np.arange(1, count) / count)
    shift = (2.0 * float(reached[:, -1].max()) + 1.0) * np.arange(draws)[:, None]  # draws as one ascending array
    cell_reached = np.searchsorted((reached + shift).ravel(), (targets + shift).ravel()).reshape(targets.shape)
    place = np.clip(cell_reached - cells * np.arange(draws)[:, None], 0, cells - 1)
    own = np.take_along_axis(mass, place, axis=1)
    missing = targets - (np.take_along_axis(reached, place, axis=1) - own)
    share = np.clip(np.divide(missing, own, out=np.zeros_like(own), where=own > 0.0), 0.0, 1.0)
    return np.stack([_cut(amount, place, share) for amount in amounts])


def _cut(amount: Floats, place: Ints, share: Floats) -> Floats:
    each = np.ascontiguousarray(amount.T)
    reached, own = np.cumsum(each, axis=1), np.take_along_axis(each, place, axis=1)
    upto = np.take_along_axis(reached, place, axis=1) - (1.0 - share) * own
    return np.diff(np.concatenate((np.zeros((len(each), 1)), upto, reached[:, -1:]), axis=1), axis=1)
