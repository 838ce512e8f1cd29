"""Calibrate on some rows, predict sets for others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand.conformal.cut import Cut
from evenhand.conformal.scores import scored
from evenhand.errors import InputError, nearest
from evenhand.tally import FloatArray

Sets = npt.NDArray[np.bool_]  # rows × classes: which labels are in the set
Numbers = npt.NDArray[np.int64]

KINDS = ("marginal", "class", "group")  # for whom the promise holds: everybody together, each class, each group


@dataclass(frozen=True)
class Conformal:
    """Sets that hold the label with chance 1 − alpha: one `Cut` for all, or one for each class or group.

    Whoever has too few calibration rows gets the set of all classes: nothing less would keep the promise.
    """

    score: str
    kind: str
    alpha: float
    classes: int
    cuts: tuple[Cut, ...]
    randomised: bool

    def predict(self, probabilities: npt.ArrayLike, *, group: npt.ArrayLike | None = None, seed: int = 0) -> Sets:
        """Rows × classes; a kind `group` needs the group of each row. The seed matters where sets are randomised."""
        rng = np.random.default_rng(seed) if self.randomised else None
        rows = np.shape(probabilities)[0]
        table = scored(probabilities, score=self.score, part=None if rng is None else rng.random((rows,)))
        if table.shape[1] != self.classes:
            raise InputError(f"{table.shape[1]} columns for sets of {self.classes} classes")
        chance = None if rng is None else rng.random(table.shape)
        if self.kind == "marginal":
            return self.cuts[0].holds(table, chance)
        cells = np.arange(self.classes) if self.kind == "class" else _groups(group, rows, len(self.cuts))[:, None]
        return self._by_cell(table, np.broadcast_to(cells, table.shape), chance)

    def _by_cell(self, table: FloatArray, cells: Numbers, chance: FloatArray | None) -> Sets:
        found = np.zeros(table.shape, dtype=bool)
        for number, cut in enumerate(self.cuts):
            own = cells == number
            found[own] = cut.holds(table[own], None if chance is None else chance[own])
        return found


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
) -> Conformal:
    """From rows that the model has not seen: its probabilities and the label that somebody gave.

    Rows must be exchangeable with those to come. With several labels for an item they are not, items are: name the
    `item` of each row, and items count in place of rows. `randomised` sets meet the promise exactly, for rows that are
    exchangeable (see `one_per_item`). Rows of group −1 are left out of the kind `group`.
    """
    if kind not in KINDS:
        raise InputError(f"there is no kind '{kind}': {nearest(kind, KINDS)}")
    if randomised and item is not None:
        raise InputError("randomised sets need rows of their own, not items: draw one row per item first")
    rng = np.random.default_rng([seed, 1])
    table = scored(probabilities, score=score, part=rng.random((np.shape(probabilities)[0],)) if randomised else None)
    own = _labels(label, table.shape)
    cells = _cells(kind, own, group)
    count = {"marginal": 1, "class": table.shape[1], "group": int(cells.max(initial=-1)) + 1}[kind]
    make = _maker(table[np.arange(len(own)), own], item, alpha)
    cuts = tuple(make(cells == number) for number in range(count))
    return Conformal(score, kind, alpha, table.shape[1], cuts, randomised)


def _maker(scores: FloatArray, item: npt.ArrayLike | None, alpha: float) -> Callable[[Sets], Cut]:
    if item is None:
        return lambda rows: Cut.of(scores[rows], alpha)
    items = np.asarray(item)
    if items.shape != scores.shape:
        raise InputError("there must be one item per row")
    return lambda rows: Cut.of_clusters(scores[rows], items[rows], alpha)


def _cells(kind: str, label: Numbers, group: npt.ArrayLike | None) -> Numbers:
    if kind == "group":
        return _groups(group, len(label), None)
    return label if kind == "class" else np.zeros(len(label), dtype=np.int64)


def _groups(group: npt.ArrayLike | None, rows: int, known: int | None) -> Numbers:
    found = np.asarray([] if group is None else group)
    if group is None or found.shape != (rows,) or found.dtype.kind not in "iu":
        raise InputError("sets by group need the group of each row, as a whole number")
    if known is not None and found.size and (found.min() < 0 or found.max() >= known):
        raise InputError(f"sets were calibrated for groups 0 to {known - 1}: others have no promise")
    return found.astype(np.int64)


def _labels(given: npt.ArrayLike, shape: tuple[int, ...]) -> Numbers:
    found = np.asarray(given)
    if found.shape != shape[:1] or (found.dtype.kind not in "iub" and found.size):
        raise InputError("there must be one label per row, the number of its class")
    if found.size and (found.min() < 0 or found.max() >= shape[1]):
        raise InputError(f"labels are numbers of classes, from 0 to {shape[1] - 1}")
    return found.astype(np.int64)
