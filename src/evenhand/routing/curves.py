"""A labelled history, and what review would have done to it at every capacity.

The curves are those of `measures.collaboration`: a `Route` is a history ready to be looked at by one strategy, as it is
or with its items redrawn. What is added here is the way back, from a target to the capacity that reaches it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.errors import InputError, Undefined, nearest
from evenhand.measures.cells import Cells
from evenhand.measures.collaboration import ORACLE, Collaboration, Path, Reviewer
from evenhand.measures.collaboration.path import KNOTS
from evenhand.routing import columns
from evenhand.routing.columns import BoolArray, Places
from evenhand.routing.strategies import Strategy
from evenhand.tally import Classes, FloatArray, Mass

NEGLIGIBLE = 1e-9  # items

# of the kinds of a path: what counts, among what
WRONG = np.array([0.0, 1.0, 1.0, 0.0])
MEASURES = {
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
        column = None if given is None else columns.matched(arrays.numbers(given, "given"), len(score), "given")
        return cls(score, columns.labels(y, len(score)), column, weight, columns.share(threshold, "the threshold"))

    @property
    def n(self) -> int:
        """How many items, counts included."""
        return round(float(self.counts.sum()))


@dataclass(frozen=True)
class Route:
    """A history and a strategy, ready to be looked at with any counts of its rows.

    Each row is a cell of its own, in the order of the scores, so that counting anew costs nothing but the counts.
    """

    rows: Places
    violating: BoolArray
    team: Collaboration

    @classmethod
    def of(cls, history: History, strategy: Strategy) -> Route:
        rows = np.argsort(history.p, kind="stable")
        p, violating = history.p[rows], history.y[rows]
        given = None if history.given is None else history.given[rows]
        cells = Cells(p, _classes(violating, history.counts[rows]), column=rows.astype(np.float64))
        return cls(rows, violating, Collaboration.of(cells, *strategy.stages(p, given), threshold=history.threshold))

    def path(self, counts: FloatArray, *, knots: int = KNOTS) -> Path:
        """With these counts of the rows: the history's own, or redrawn ones."""
        cells = replace(self.team.cells, classes=_classes(self.violating, counts[self.rows]))
        return replace(self.team, cells=cells).path(knots=knots)


def _classes(violating: BoolArray, counts: FloatArray) -> Classes:
    return Classes(Mass(counts * violating), Mass(counts * ~violating))


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
