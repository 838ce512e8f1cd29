"""Prediction sets: split the rows, calibrate on one part, predict sets for the other, and measure their coverage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Floats, Ints, class_numbers
from evenhand.conformal.scores import Cut, nonconformity
from evenhand.errors import InputError, Undefined, nearest
from evenhand.pandas_frames import rows_as_given


@rows_as_given
def split_by_item(item: npt.ArrayLike, *, share: float = 0.5, seed: int = 0) -> npt.NDArray[np.bool_]:
    """Per row whether it calibrates: a share of the items, drawn at random, with all their rows.

    >>> eh.conformal.split_by_item(["a", "a", "b", "b"]).tolist()
    [True, True, False, False]
    """
    if not 0.0 < share < 1.0:
        raise InputError("the share that calibrates must be between 0 and 1")
    items, place = np.unique(np.asarray(item), return_inverse=True)
    chosen = np.zeros(len(items), dtype=bool)
    chosen[np.random.default_rng(seed).permutation(len(items))[: round(share * len(items))]] = True
    return chosen[place]


def one_per_item(item: npt.ArrayLike, *, seed: int = 0) -> npt.NDArray[np.int64]:
    """The number of one row of each item, drawn at random: such rows are exchangeable, whatever their items share.

    >>> eh.conformal.one_per_item(["a", "a", "b", "b"]).tolist()
    [0, 2]
    """
    items = np.asarray(item)
    order = np.random.default_rng(seed).permutation(len(items))
    _, first = np.unique(items[order], return_index=True)
    return np.sort(order[first])


PredictionSets = npt.NDArray[np.bool_]  # rows × classes: which labels are in the set

KINDS = ("marginal", "class", "group")  # for whom the guarantee holds: everybody together, each class, each group


@dataclass(frozen=True)
class ConformalPredictor:
    """Sets that hold the label with chance 1 − alpha: one `Cut` for all, or one for each class or group.

    Whoever has too few calibration rows gets the set of all classes: no smaller set would meet the guarantee.

    >>> p = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.3, 0.7]] * 10)
    >>> labels = np.array([0, 1, 1, 1] * 10)
    >>> predictor = eh.conformal.calibrate(p, labels, alpha=0.1)
    >>> predictor.predict([[0.95, 0.05], [0.5, 0.5]]).tolist()
    [[True, False], [True, True]]
    """

    score: str
    kind: str
    alpha: float
    classes: int
    cuts: tuple[Cut, ...]
    randomised: bool

    @rows_as_given
    def predict(
        self, probabilities: npt.ArrayLike, *, group: npt.ArrayLike | None = None, seed: int = 0
    ) -> PredictionSets:
        """Rows × classes; a kind `group` needs the group of each row. The seed matters where sets are randomised."""
        rng = np.random.default_rng(seed) if self.randomised else None
        rows = np.shape(probabilities)[0]
        table = nonconformity(probabilities, score=self.score, part=None if rng is None else rng.random((rows,)))
        if table.shape[1] != self.classes:
            raise InputError(f"{table.shape[1]} columns for sets of {self.classes} classes")
        chance = None if rng is None else rng.random(table.shape)
        if self.kind == "marginal":
            return self.cuts[0].holds(table, chance)
        cells = (
            np.arange(self.classes) if self.kind == "class" else _checked_groups(group, rows, len(self.cuts))[:, None]
        )
        return self._by_cell(table, np.broadcast_to(cells, table.shape), chance)

    def __repr__(self) -> str:
        return f"<ConformalPredictor {self.score}, {self.kind}: alpha = {self.alpha:g}, {self.classes} classes>"

    def _by_cell(self, table: Floats, cells: Ints, chance: Floats | None) -> PredictionSets:
        sets = np.zeros(table.shape, dtype=bool)
        for number, cut in enumerate(self.cuts):
            own = cells == number
            sets[own] = cut.holds(table[own], None if chance is None else chance[own])
        return sets


def calibrate(
    probabilities: npt.ArrayLike,
    label: npt.ArrayLike,
    *,
    alpha: float,
    kind: str = "marginal",
    score: str = "lac",
    group: npt.ArrayLike | None = None,
    item: npt.ArrayLike | None = None,
    randomised: bool = False,
    seed: int = 0,
) -> ConformalPredictor:
    """From rows that the model has not seen: its probabilities and the label that somebody gave.

    Rows must be exchangeable with those to come. With several labels for an item they are not, items are: name the
    `item` of each row, and items count in place of rows. `randomised` sets meet the guarantee exactly, for rows that
    are exchangeable (see `one_per_item`). Rows of group −1 are left out of the kind `group`.

    >>> p = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.3, 0.7]] * 10)
    >>> labels = np.array([0, 1, 1, 1] * 10)
    >>> eh.conformal.calibrate(p, labels, alpha=0.1)
    <ConformalPredictor lac, marginal: alpha = 0.1, 2 classes>
    """
    if kind not in KINDS:
        raise InputError(f"there is no kind '{kind}': {nearest(kind, KINDS)}")
    if randomised and item is not None:
        raise InputError("randomised sets need rows of their own, not items: draw one row per item first")
    rng = np.random.default_rng([seed, 1])
    table = nonconformity(
        probabilities, score=score, part=rng.random((np.shape(probabilities)[0],)) if randomised else None
    )
    own = class_numbers(label, rows=table.shape[0], classes=table.shape[1])
    cells = _cells_of(kind, own, group)
    count = {"marginal": 1, "class": table.shape[1], "group": int(cells.max(initial=-1)) + 1}[kind]
    make = _cut_maker(table[np.arange(len(own)), own], item, alpha)
    cuts = tuple(make(cells == number) for number in range(count))
    return ConformalPredictor(score, kind, alpha, table.shape[1], cuts, randomised)


def _cut_maker(scores: Floats, item: npt.ArrayLike | None, alpha: float) -> Callable[[PredictionSets], Cut]:
    if item is None:
        return lambda rows: Cut.of(scores[rows], alpha)
    items = np.asarray(item)
    if items.shape != scores.shape:
        raise InputError("there must be one item per row")
    return lambda rows: Cut.of_clusters(scores[rows], items[rows], alpha)


def _cells_of(kind: str, label: Ints, group: npt.ArrayLike | None) -> Ints:
    if kind == "group":
        return _checked_groups(group, len(label), None)
    return label if kind == "class" else np.zeros(len(label), dtype=np.int64)


def _checked_groups(group: npt.ArrayLike | None, rows: int, known: int | None) -> Ints:
    groups = np.asarray([] if group is None else group)
    if group is None or groups.shape != (rows,) or groups.dtype.kind not in "iu":
        raise InputError("sets by group need the group of each row, as a whole number")
    if known is not None and groups.size and (groups.min() < 0 or groups.max() >= known):
        raise InputError(f"sets were calibrated for groups 0 to {known - 1}: there is no guarantee for others")
    return groups.astype(np.int64)


@dataclass(frozen=True)
class Coverage:
    """Of `rows` rows: how many sets hold their label, and how many labels are in the sets together.

    >>> coverage = eh.conformal.coverage(np.array([[True, False], [True, True]]), [0, 1])
    >>> coverage.share, coverage.size
    (1.0, 1.5)
    """

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


def coverage(sets: PredictionSets, label: npt.ArrayLike) -> Coverage:
    """Over all rows.

    >>> eh.conformal.coverage(np.array([[True, False], [True, False]]), [0, 1]).share
    0.5
    """
    return coverage_by(sets, label, np.zeros(len(sets), dtype=np.int64), 1)[0]


def coverage_by(sets: PredictionSets, label: npt.ArrayLike, cell: npt.ArrayLike, cells: int) -> tuple[Coverage, ...]:
    """By class (the cell is the label) or group; rows of cell −1 are in none.

    >>> sets, labels = np.array([[True, False], [True, False]]), [0, 1]
    >>> [one.share for one in eh.conformal.coverage_by(sets, labels, cell=labels, cells=2)]
    [1.0, 0.0]
    """
    own, place = np.asarray(label), np.asarray(cell)
    if own.shape != (len(sets),) or place.shape != own.shape:
        raise InputError("there must be one label and one cell per set")
    covered = sets[np.arange(len(sets)), own]
    known = place >= 0
    counts = [
        np.bincount(place[known], part, cells).astype(np.int64)
        for part in (np.ones(int(known.sum())), covered[known], sets.sum(axis=1)[known])
    ]
    return tuple(Coverage(*(int(part[number]) for part in counts)) for number in range(cells))
