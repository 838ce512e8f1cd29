"""What review does to a labelled history, at every capacity at once.

A `Path` holds, for growing capacity, how much of each kind of item (rightly or wrongly predicted, violating or not) has
been reviewed. It is piecewise linear, because ties are split, so whatever is linear in it is known at every capacity
from its knots. Everything else in planning goes through `Route.path`, `after` and `MEASURES`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from evenhand.errors import InputError, Undefined, nearest
from evenhand.measures.collaboration import ORACLE, Reviewer
from evenhand.routing import columns
from evenhand.routing.columns import BoolArray, Places
from evenhand.routing.ranking import Stage, select
from evenhand.routing.strategies import Strategy
from evenhand.tally import FloatArray

KNOTS = 200  # capacities at which a strategy of several stages is looked at, closer together where they are small
FEW_KNOTS = 40  # the same for redraws, whose scatter is larger than what lies between
NEGLIGIBLE = 1e-9  # items

# of (predicted benign & benign, predicted violating & benign, predicted benign & violating, both violating)
TN, FP, FN, TP = range(4)
WRONG = np.array([0.0, 1.0, 1.0, 0.0])
MEASURES = {  # what of it counts, among what
    "oc_accuracy": (np.array([1.0, 0.0, 0.0, 1.0]), np.ones(4)),
    "oc_precision": (np.array([0.0, 0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0, 1.0])),
    "oc_recall": (np.array([0.0, 0.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0, 1.0])),
    "oc_f1": (np.array([0.0, 0.0, 0.0, 2.0]), np.array([0.0, 1.0, 1.0, 2.0])),
}


@dataclass(frozen=True)
class History:
    """Labelled items: the model's probability, whether they violate, a supplied review column, and row counts."""

    p: FloatArray
    y: BoolArray
    given: FloatArray | None
    counts: FloatArray
    threshold: float

    @classmethod
    def of(
        cls,
        p: npt.ArrayLike,
        y: npt.ArrayLike,
        *,
        given: npt.ArrayLike | None = None,
        counts: npt.ArrayLike | None = None,
        threshold: float = 0.5,
    ) -> History:
        """Checked columns. An item is predicted violating from the threshold up."""
        score = columns.probabilities(p)
        weight = columns.counts(counts, len(score))
        if not weight.sum() > 0.0:
            raise InputError("there are no labelled items")
        column = None if given is None else columns.matched(columns.numbers(given, "given"), len(score), "given")
        return cls(score, columns.labels(y, len(score)), column, weight, columns.share(threshold, "the threshold"))

    @cached_property
    def kind(self) -> Places:
        """TN, FP, FN or TP, as the model alone would have it."""
        return 2 * self.y.astype(np.int64) + (self.p >= self.threshold)

    @cached_property
    def totals(self) -> FloatArray:
        """How much there is of each kind."""
        return np.bincount(self.kind, self.counts, minlength=4).astype(np.float64)

    @property
    def n(self) -> int:
        """How many items, counts included."""
        return round(float(self.counts.sum()))


@dataclass(frozen=True, slots=True)
class Path:
    """Items reviewed, from 0 to all, and of each kind how many of them (a row per knot)."""

    reviewed: FloatArray
    kinds: FloatArray

    def at(self, items: FloatArray) -> FloatArray:
        """The kinds reviewed at other capacities."""
        return np.stack([np.interp(items, self.reviewed, column) for column in self.kinds.T], axis=1)

    def after(self, reviewer: Reviewer = ORACLE) -> FloatArray:
        """The confusion of model and people together, at each knot: who was not reviewed is as the model said."""
        rest = self.kinds[-1] - self.kinds
        benign, violating = self.kinds[:, [TN, FP]].sum(axis=1), self.kinds[:, [FN, TP]].sum(axis=1)
        e0, e1 = reviewer.benign_error, reviewer.violating_error
        decided = [(1.0 - e0) * benign, e0 * benign, e1 * violating, (1.0 - e1) * violating]
        whole: FloatArray = rest + np.stack(decided, axis=1)
        return whole


@dataclass(frozen=True, slots=True)
class Route:
    """A history in the order in which a strategy would have it reviewed."""

    kind: Places
    stages: tuple[Stage, ...]

    @classmethod
    def of(cls, history: History, strategy: Strategy) -> Route:
        return cls(history.kind, strategy.stages(history.p, history.given))

    def path(self, counts: FloatArray, *, knots: int = KNOTS) -> Path:
        """With these counts of the rows: the history's own, or redrawn ones. One stage is exact at every capacity."""
        if len(self.stages) > 1:
            return self._looked_at(counts, knots)
        ranking = self.stages[0].ranking
        place = 4 * ranking.group + self.kind
        mass = np.bincount(place, counts, minlength=4 * ranking.groups).reshape(-1, 4)
        kinds = np.cumsum(np.vstack([np.zeros(4), mass[mass.sum(axis=1) > 0.0]]), axis=0)
        return Path(kinds.sum(axis=1), kinds)

    def _looked_at(self, counts: FloatArray, knots: int) -> Path:
        whole = counts.sum()
        capacities = np.unique(np.append(np.floor(whole * np.linspace(0.0, 1.0, knots) ** 2), whole))
        rows = [np.bincount(self.kind, counts * select(self.stages, counts, k), minlength=4) for k in capacities]
        return Path(capacities, np.stack(rows))


def first_reaching(path: Path, measure: str, target: float, reviewer: Reviewer = ORACLE) -> float:
    """The smallest capacity, in items, at which the measure reaches the target; `Undefined` where none does."""
    part, whole = known(measure)
    confusion = path.after(reviewer)
    size = confusion @ whole
    ahead = confusion @ (part - target * whole)
    reached = (ahead >= -NEGLIGIBLE) & (size > NEGLIGIBLE)
    if not reached.any():
        raise Undefined(f"{measure} does not reach {target:g} at any capacity")
    at = int(np.argmax(reached))
    if not at:
        return 0.0
    below, above = path.reviewed[at - 1], path.reviewed[at]
    if size[at - 1] <= NEGLIGIBLE:  # the measure begins to exist with the next item
        return float(min(below + 1.0, above))
    rise = ahead[at] - ahead[at - 1]
    return float(below + (above - below) * (-ahead[at - 1] / rise if rise > 0.0 else 1.0))


def known(measure: str) -> tuple[FloatArray, FloatArray]:
    """A measure from its name: what counts, among what."""
    if measure not in MEASURES:
        raise InputError(f"there is no measure '{measure}' to plan for; {nearest(measure, MEASURES)}")
    return MEASURES[measure]
