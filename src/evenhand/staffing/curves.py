"""A labelled history, and what review would have done to it at every capacity.

The curves are those of `measures.collaboration`: a `ReviewRoute` is a history ready to be looked at by one strategy, as
it is or with its items redrawn. What is added here is the way back, from a target to the capacity that reaches it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Bools, Floats, Ints
from evenhand.catalogue.collaboration import OC_ACCURACY, OC_F1, OC_PRECISION, OC_RECALL
from evenhand.errors import InputError, Undefined, nearest
from evenhand.intervals.bootstrap import replicate
from evenhand.intervals.clusters import equal_clusters, few_clusters_stretch
from evenhand.measures.collaboration import ORACLE, Collaboration, Reviewer, ReviewPath
from evenhand.measures.collaboration.collaboration import PATH_KNOTS
from evenhand.measures.score_cells import ScoreCells
from evenhand.routing.strategies import Strategy
from evenhand.tally import Classes, Clusters, Mass

NEGLIGIBLE = 1e-9  # items
STRETCH_LEVEL = 0.95  # of the intervals that redraws of few clusters are stretched for

# of the kinds of a path: what counts, among what
WRONG_KINDS = np.array([0.0, 1.0, 1.0, 0.0])
TARGET_MEASURES: dict[str, tuple[Floats, Floats]] = {
    OC_ACCURACY: (np.array([1.0, 0.0, 0.0, 1.0]), np.ones(4)),
    OC_PRECISION: (np.array([0.0, 0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0, 1.0])),
    OC_RECALL: (np.array([0.0, 0.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0, 1.0])),
    OC_F1: (np.array([0.0, 0.0, 0.0, 2.0]), np.array([0.0, 1.0, 1.0, 2.0])),
}


@dataclass(frozen=True)
class LabelledHistory:
    """Labelled items: the model's probability, whether they violate, a supplied review column, and row counts.

    >>> eh.staffing.LabelledHistory.of([0.9, 0.2, 0.6], [True, False, False]).n
    3
    """

    p: Floats
    y: Bools
    given: Floats | None
    counts: Floats
    threshold: float
    clusters: Clusters | None = None

    @classmethod
    def of(
        cls,
        p: npt.ArrayLike,
        y: npt.ArrayLike,
        *,
        given: npt.ArrayLike | None = None,
        counts: npt.ArrayLike | None = None,
        threshold: float = 0.5,
        clusters: Clusters | None = None,
    ) -> LabelledHistory:
        """Checked columns. An item is predicted violating from the threshold up."""
        score = arrays.probabilities(p, "p")
        weight = arrays.counts(counts, len(score))
        if not weight.sum() > 0.0:
            raise InputError("there are no labelled items")
        column = None if given is None else arrays.numbers(given, "given", size=len(score))
        violating = arrays.labels(y, "y", size=len(score)) == 1.0
        cut = arrays.share(threshold, "the threshold", closed=True)
        return cls(score, violating, column, weight, cut, clusters)

    @property
    def n(self) -> int:
        """How many items, counts included."""
        return round(float(self.counts.sum()))

    @property
    def missed_alone(self) -> float | None:
        """The share of violations that the model misses without review; None where nothing violates."""
        violating = float(self.counts[self.y].sum())
        return float(self.counts[self.y & (self.p < self.threshold)].sum()) / violating if violating else None


@dataclass(frozen=True)
class ReviewRoute:
    """A history and a strategy, ready to be looked at with any counts of its rows.

    Each row is a cell of its own, in the order of the scores, so that counting anew costs nothing but the counts.
    """

    rows: Ints
    violating: Bools
    team: Collaboration

    @classmethod
    def for_strategy(cls, history: LabelledHistory, strategy: Strategy) -> ReviewRoute:
        rows = np.argsort(history.p, kind="stable")
        p, violating = history.p[rows], history.y[rows]
        given = None if history.given is None else history.given[rows]
        cells = ScoreCells(p, _classes(violating, history.counts[rows]), column=rows.astype(np.float64))
        return cls(
            rows, violating, Collaboration.from_stages(cells, *strategy.stages(p, given), threshold=history.threshold)
        )

    def path(self, counts: Floats, *, knots: int = PATH_KNOTS) -> ReviewPath:
        """With these counts of the rows: the history's own, or redrawn ones."""
        cells = replace(self.team.cells, classes=_classes(self.violating, counts[self.rows]))
        return replace(self.team, cells=cells).path(knots=knots)


def _classes(violating: Bools, counts: Floats) -> Classes:
    return Classes(Mass(counts * violating), Mass(counts * ~violating))


def first_capacity_reaching(path: ReviewPath, measure: str, target: float, reviewer: Reviewer = ORACLE) -> float:
    """The smallest capacity, in items, at which the measure reaches the target; `Undefined` where none does."""
    part, whole = measure_parts(measure)
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


def measure_parts(measure: str) -> tuple[Floats, Floats]:
    """A measure from its name: what counts, among what."""
    if measure not in TARGET_MEASURES:
        raise InputError(f"`targets`: there is no measure '{measure}'; {nearest(measure, TARGET_MEASURES)}")
    return TARGET_MEASURES[measure]


FEW_KNOTS = 40  # capacities looked at in redraws of several stages: their scatter is larger than what lies between
CapacityCurve = Callable[
    [Sequence[ReviewPath]], Floats
]  # from the paths of some strategies to a height at each capacity


def capacity_knots(*also: float) -> Floats:
    """Shares of the items, from none to all, closer together where they are small; and some more."""
    return np.unique(np.concatenate([np.linspace(0.0, 1.0, PATH_KNOTS) ** 2, also]))


def history_curve(
    history: LabelledHistory, routes: Sequence[ReviewRoute], curve: CapacityCurve, shares: Floats
) -> Floats:
    """The curve as the history has it."""
    return curve([route.path(history.counts).on(shares) for route in routes])


def redrawn_curves(
    history: LabelledHistory,
    routes: Sequence[ReviewRoute],
    curve: CapacityCurve,
    shares: Floats,
    *,
    replicates: int,
    seed: int,
) -> Floats:
    """The curve of each redraw, one a row: every item is there 0, 1, 2, … times, independently, once on average.

    Items that belong together are redrawn together, and few clusters are stretched.
    """
    if replicates < 20:
        raise InputError(f"invalid `replicates`: {replicates} (an interval needs at least 20)")

    def draw(rng: np.random.Generator) -> list[float]:
        counts = _redrawn_counts(history, rng)
        counts = counts if counts.any() else history.counts
        heights: list[float] = curve([route.path(counts, knots=FEW_KNOTS).on(shares) for route in routes]).tolist()
        return heights

    curves = np.array(replicate(draw, replicates=replicates, seed=seed)).T
    if history.clusters is None:
        return curves
    middle = curves.mean(axis=0)
    return np.asarray(
        middle
        + few_clusters_stretch(equal_clusters(history.clusters, history.counts), STRETCH_LEVEL) * (curves - middle)
    )


def _redrawn_counts(history: LabelledHistory, rng: np.random.Generator) -> Floats:
    if history.clusters is None:
        return rng.poisson(history.counts).astype(np.float64)
    return history.counts * history.clusters.redrawn(rng)
