"""Intervals of numbers from annotations, where annotators and items were both drawn (the pigeonhole bootstrap).

Labels of one person are not independent, nor are labels of one item. So annotators and items are redrawn each by
themselves (Owen 2007): a draw weighs every one of them by a Poisson number of mean one, and a label by the product of
the two (Owen and Eckles 2012). What a number is read from must be sums of such products; then many draws are one
product of sparse matrices.

The product is cautious where labels scatter on their own: that part of the variance counts three times. Where people
are few, draws scatter too little; `two_way_interval` stretches them. Numbers that are made of plain sums need no draws:
see `two_way_jackknife`. The majority that labels are compared with
is kept as it is: making it anew in each draw gains nothing. studies/results/perspective.csv says what covers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy import sparse, special

from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import InputError, Undefined
from evenhand.intervals.label_pairs import LabelCells, ones_at
from evenhand.intervals.poisson_weights import DRAWS_AT_A_TIME, Counts, PoissonWeights

TWO_WAY_BOOTSTRAP = "two_way_bootstrap"
REPLICATES = 200
LABELS_AT_A_TIME = 1 << 12
LARGEST_EXACT = 40  # times the products of two weights of all labels at a time, still a whole number in 24 bits
CELLS = 1 << 18  # numbers that a fold gets at a time
FEWEST_DRAWS = 20  # draws in which a number must have a value
ItemFold = Callable[[Floats, Floats, Floats], Floats]


@dataclass(frozen=True)
class TwoWayBootstrap:
    """Which annotator labelled which item, by number, one row per label; and how often to draw."""

    annotator: Ints
    item: Ints
    annotators: int
    items: int
    replicates: int = REPLICATES
    seed: int = 0

    def __post_init__(self) -> None:
        if self.annotator.shape != self.item.shape or self.annotator.ndim != 1:
            raise InputError("annotators and items must be equally many: one of each per label")
        if self.replicates < 1:
            raise InputError("there must be at least one draw")

    @cached_property
    def weights(self) -> PoissonWeights:
        """How often each annotator and item is drawn: the same for all labels of the same people on the same items."""
        return PoissonWeights.shared(self.annotators, self.items, self.replicates, self.seed)

    def sums(self, columns: sparse.csc_array, group: npt.ArrayLike, groups: int) -> Floats:
        """Draws × (groups + 1) × columns: weighted sums over the labels of each group, and last of everybody."""
        place = np.asarray(group, dtype=np.int64)
        if place.shape != (self.annotators,) or (place.size and (place.min() < -1 or place.max() >= groups)):
            raise InputError(f"groups must be a number from 0 to {groups - 1}, or -1, for each annotator")
        if columns.shape[0] != len(self.item):
            raise InputError("columns must have one row per label")
        stratum = (place % (groups + 1))[self.annotator]
        drawn = [self._weighted_sums(*weights, columns, stratum, groups) for weights in self.weights]
        return np.concatenate([_with_all(sums) for sums in drawn])

    def _weighted_sums(
        self, people: Counts, things: Counts, columns: sparse.csc_array, stratum: Ints, groups: int
    ) -> Floats:
        """Draws × (groups + 1) × columns, the last group of those in none: group by group, items in their order."""
        order, starts = self._by_group(stratum, groups)
        rows = columns.tocsr()[order]
        whole = _whole_columns(columns)
        parts = [
            (kind, np.flatnonzero(some)) for kind, some in ((np.float32, whole), (np.float64, ~whole)) if some.any()
        ]
        tables = [(kind, numbers, rows[:, numbers].astype(kind)) for kind, numbers in parts]
        sums = np.zeros((groups + 1, columns.shape[1], people.shape[1]))
        for number, (start, end) in enumerate(pairwise(starts)):
            for first in range(start, end, LABELS_AT_A_TIME):
                some = slice(first, min(first + LABELS_AT_A_TIME, end))
                weights = people[self.annotator[order[some]]] * things[self.item[order[some]]]
                for kind, numbers, table in tables:
                    sums[number, numbers] += table[some].T @ weights.astype(kind)
        return np.ascontiguousarray(np.moveaxis(sums, -1, 0))

    def _by_group(self, stratum: Ints, groups: int) -> tuple[Ints, list[int]]:
        """Labels by group and item, and where each group begins and the last ends."""
        order = np.argsort(stratum * self.items + self.item)
        return order, [0, *np.cumsum(np.bincount(stratum, minlength=groups + 1)).tolist()]

    def pairs(self, strata: Ints, shape: tuple[int, int]) -> Floats:
        """Draws × groups × groups × labels × labels: weighted pairs of two people of one item, by group and label.

        `strata` are group × labels + label, `shape` how many groups and labels there are; the last group is of those in
        none, and becomes everybody.
        """
        cells = LabelCells.from_labels(self.item, strata, shape[0] * shape[1])
        tables = np.concatenate([cells.pairs(self.annotator, *weights) for weights in self.weights])
        tables = tables.reshape(-1, *shape, *shape).transpose(0, 1, 3, 2, 4).copy()
        tables[:, -1] = tables.sum(axis=1)
        tables[:, :, -1] = tables.sum(axis=2)
        return tables

    def folded(self, strata: Ints, shape: tuple[int, int], fold: ItemFold) -> Floats:
        """Draws × …: per item the annotators' weights by stratum, handed to a fold that sums over items.

        A stratum is a number below the product of the shape. The fold gets draws × shape × items twice, sums of
        weights and of their squares, and the weights of the items, draws × items; it gives draws × ….
        """
        step = max(CELLS // (shape[0] * shape[1] * DRAWS_AT_A_TIME), 1)
        pieces = self._pieces(strata, shape[0] * shape[1], step)
        folds = []
        for people, things in self._few_weights():
            draws = people.shape[1]
            both = np.hstack((people, people * people)).astype(np.float32)
            parts = []
            for piece, start in zip(pieces, range(0, self.items, step), strict=True):
                sums = np.ascontiguousarray((piece @ both).T).reshape(2, draws, *shape, step)[..., : self.items - start]
                parts.append(fold(sums[0], sums[1], things[start : start + step].T.astype(np.float32)))
            folds.append(np.sum(parts, axis=0, dtype=np.float64))
        return np.concatenate(folds)

    def _few_weights(self) -> Iterator[tuple[Counts, Counts]]:
        for people, things in self.weights:
            for start in range(0, people.shape[1], DRAWS_AT_A_TIME):
                some = slice(start, start + DRAWS_AT_A_TIME)
                yield people[:, some], things[:, some]

    def _pieces(self, strata: Ints, size: int, step: int) -> list[sparse.csr_array]:
        """Strata of `step` items × annotators, so few that a fold's numbers stay near the processor."""
        block, place = np.divmod(self.item, step)
        rows = (block * size + strata) * step + place
        blocks = -(-self.items // step)
        whole = ones_at(rows, self.annotator, (blocks * size * step, self.annotators))
        return [whole[start * size * step : (start + 1) * size * step] for start in range(blocks)]

    @cached_property
    def loads(self) -> tuple[Ints, Ints]:
        """Labels per annotator and per item."""
        return (
            np.bincount(self.annotator, minlength=self.annotators),
            np.bincount(self.item, minlength=self.items),
        )


def _whole_columns(columns: sparse.csc_array) -> Bools:
    """Which hold small whole numbers, whose weighted sums over a few thousand labels single precision gives exactly."""
    small = (columns.data == np.round(columns.data)) & (np.abs(columns.data) <= LARGEST_EXACT)
    column = np.repeat(np.arange(columns.shape[1]), np.diff(columns.indptr))
    return np.asarray(np.bincount(column, ~small, columns.shape[1]) == 0)


def _with_all(drawn: Floats) -> Floats:
    """The last group, of those in none, becomes everybody."""
    drawn[:, -1] = drawn.sum(axis=1)
    return drawn


def effective_number(loads: npt.ArrayLike) -> float:
    """How many equally busy people the labels are worth: (Σ n)² / Σ n²."""
    load_sizes = np.asarray(loads, dtype=np.float64)
    if not load_sizes.any():
        raise Undefined("there are no labels")
    return float(load_sizes.sum() ** 2 / (load_sizes * load_sizes).sum())


def two_way_interval(
    drawn: Floats, value: float, *, level: float, size: float, bounds: tuple[float, float] = (-1.0, 1.0)
) -> tuple[float, float]:
    """By the standard deviation of the draws, stretched for `size` people or items, whichever are fewer.

    The stretch is that of Student's t over the normal, and of the variance that a sample about its own mean lacks.
    `bounds` are those of the number itself.
    """
    if len(drawn) < FEWEST_DRAWS:
        raise Undefined(f"only {len(drawn)} bootstrap samples have a value")
    if size <= 1.0:
        raise Undefined("all labels are from one annotator or one item")
    tail = (1.0 - level) / 2.0
    reach = -special.stdtrit(size - 1.0, tail) * np.sqrt(size / (size - 1.0)) * np.std(drawn)
    ends = np.clip([value - reach, value + reach], *bounds)
    return min(float(ends[0]), value), max(float(ends[1]), value)
