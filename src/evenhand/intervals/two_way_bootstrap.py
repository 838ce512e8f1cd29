"""Intervals of numbers from annotations, where annotators and items were both drawn (the pigeonhole bootstrap).

Labels of one person are not independent, nor are labels of one item. So annotators and items are redrawn each by
themselves (Owen 2007): a draw weighs every one of them by a Poisson number of mean one, and a label by the product of
the two (Owen and Eckles 2012). What a number is read from must be sums of such products; then many draws are one
product of sparse matrices.

The product is cautious where labels scatter on their own: that part of the variance counts three times. Where people
are few, plain percentiles are too short; `two_way_interval` stretches them. The majority that labels are compared with
is kept as it is: making it anew in each draw gains nothing. studies/results/perspective.csv says what covers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse, special

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError, Undefined

TWO_WAY_BOOTSTRAP = "two_way_bootstrap"
REPLICATES = 200
DRAWS_AT_A_TIME = 25  # draws at a time
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

    def weights(self) -> Iterator[tuple[Floats, Floats]]:
        """Annotators × draws and items × draws, some draws at a time; the same whenever they are asked for."""
        people, things = (np.random.default_rng(child) for child in np.random.SeedSequence(self.seed).spawn(2))
        for start in range(0, self.replicates, DRAWS_AT_A_TIME):
            draws = min(DRAWS_AT_A_TIME, self.replicates - start)
            yield _poisson(people, self.annotators, draws), _poisson(things, self.items, draws)

    def sums(self, columns: sparse.csc_array, group: npt.ArrayLike, groups: int) -> Floats:
        """Draws × (groups + 1) × columns: weighted sums over the labels of each group, and last of everybody."""
        place = np.asarray(group, dtype=np.int64)
        if place.shape != (self.annotators,) or (place.size and (place.min() < -1 or place.max() >= groups)):
            raise InputError(f"groups must be a number from 0 to {groups - 1}, or -1, for each annotator")
        if columns.shape[0] != len(self.item):
            raise InputError("columns must have one row per label")
        members = _matrix(place % (groups + 1), np.arange(self.annotators), (groups + 1, self.annotators))
        parts = [self._spread(columns[:, [number]]) for number in range(columns.shape[1])]
        found = []
        for people, things in self.weights():
            found.append(np.stack([members @ (people * (part @ things)) for part in parts], axis=-1))
        drawn = np.moveaxis(np.concatenate(found, axis=1), 1, 0)
        drawn[:, -1] = drawn.sum(axis=1)
        return drawn

    def folded(self, strata: Ints, shape: tuple[int, int], fold: ItemFold) -> Floats:
        """Draws × …: per item the annotators' weights by stratum, handed to a fold that sums over items.

        A stratum is a number below the product of the shape. The fold gets draws × shape × items twice, sums of
        weights and of their squares, and the weights of the items, draws × items; it gives draws × ….
        """
        step = max(CELLS // (shape[0] * shape[1] * DRAWS_AT_A_TIME), 1)
        pieces = self._pieces(strata, shape[0] * shape[1], step)
        found = []
        for people, things in self.weights():
            draws = people.shape[1]
            both = np.hstack((people, people * people)).astype(np.float32)
            parts = []
            for piece, start in zip(pieces, range(0, self.items, step), strict=True):
                sums = np.ascontiguousarray((piece @ both).T).reshape(2, draws, *shape, step)[..., : self.items - start]
                parts.append(fold(sums[0], sums[1], things[start : start + step].T.astype(np.float32)))
            found.append(np.sum(parts, axis=0, dtype=np.float64))
        return np.concatenate(found)

    def _spread(self, column: sparse.csc_array) -> sparse.csr_array:
        """Annotators × items: one column of the labels; what is zero is left out."""
        entries = column.tocoo()
        rows = entries.coords[0]
        return _matrix(self.annotator[rows], self.item[rows], (self.annotators, self.items), entries.data)

    def _pieces(self, strata: Ints, size: int, step: int) -> list[sparse.csr_array]:
        """Strata of `step` items × annotators, so few that a fold's numbers stay near the processor."""
        block, place = np.divmod(self.item, step)
        rows = (block * size + strata) * step + place
        blocks = -(-self.items // step)
        whole = _matrix(rows, self.annotator, (blocks * size * step, self.annotators), np.ones(len(rows), np.float32))
        return [whole[start * size * step : (start + 1) * size * step] for start in range(blocks)]

    @cached_property
    def loads(self) -> tuple[Ints, Ints]:
        """Labels per annotator and per item."""
        return (
            np.bincount(self.annotator, minlength=self.annotators),
            np.bincount(self.item, minlength=self.items),
        )


def effective_number(loads: npt.ArrayLike) -> float:
    """How many equally busy people the labels are worth: (Σ n)² / Σ n²."""
    load_sizes = np.asarray(loads, dtype=np.float64)
    if not load_sizes.any():
        raise Undefined("there are no labels")
    return float(load_sizes.sum() ** 2 / (load_sizes * load_sizes).sum())


def two_way_interval(
    drawn: Floats, value: float, *, level: float, size: float, bounds: tuple[float, float] = (-1.0, 1.0)
) -> tuple[float, float]:
    """Percentiles of the draws, stretched about the value for `size` people or items, whichever are fewer.

    The stretch is that of Student's t over the normal, and of the variance that a sample about its own mean lacks.
    `bounds` are those of the number itself.
    """
    if len(drawn) < FEWEST_DRAWS:
        raise Undefined(f"only {len(drawn)} bootstrap samples have a value")
    if size <= 1.0:
        raise Undefined("all labels are from one annotator or one item")
    tail = (1.0 - level) / 2.0
    wider = special.stdtrit(size - 1.0, tail) / special.ndtri(tail) * np.sqrt(size / (size - 1.0))
    ends = np.clip(value + wider * (np.quantile(drawn, [tail, 1.0 - tail]) - value), *bounds)
    return min(float(ends[0]), value), max(float(ends[1]), value)


def _matrix(
    rows: Ints, columns: Ints, shape: tuple[int, int], data: npt.NDArray[Any] | None = None
) -> sparse.csr_array:
    values = np.ones(len(rows)) if data is None else data
    return sparse.csr_array((values, (rows, columns)), shape=shape)


def _poisson(rng: np.random.Generator, size: int, draws: int) -> Floats:
    """One column per draw, looked up: a Poisson number needs no more than sixteen random bits."""
    return _QUANTILES[rng.integers(0, 1 << 16, (size, draws), dtype=np.uint16)]


_REACHED = special.pdtr(np.arange(32), 1.0)  # how likely a Poisson number is at most so large
_QUANTILES = np.searchsorted(_REACHED, (np.arange(1 << 16) + 0.5) / (1 << 16)).astype(np.float64)
