"""What a strategy would send to review: items in order of their review score, and the outcome at a capacity.

Counted once for a model and a strategy on one scope, and kept with the view.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evenhand.arrays import Floats
from evenhand.audits.views import Scope, View
from evenhand.errors import Undefined
from evenhand.evidence import SCALES
from evenhand.measures.collaboration import Capacity, CapacityKind, Collaboration, ReviewOutcome, ReviewStage
from evenhand.measures.score_cells import ScoreCells
from evenhand.routing.strategies import ReviewBasis, Strategy
from evenhand.tally.order import ScoreArray


def scope_cells(scope: Scope, strategy: Strategy | None = None) -> ScoreCells:
    """Items by score, and by the supplied column where the strategy has one."""
    paired = strategy is not None and strategy.column is not None
    return scope.view.memo.once(("cells", scope.group, paired), lambda: _count_cells(scope, paired=paired))


def _count_cells(scope: Scope, *, paired: bool) -> ScoreCells:
    view = scope.view
    if paired:
        return ScoreCells.paired(view.rows, supplied_uncertainty(view), scope.group)
    return ScoreCells.from_tally(view.tally, scope.group)


def probability_cells(scope: Scope) -> ScoreCells:
    """Items by the probability that their score stands for."""
    heap = scope_cells(scope)
    return heap if scope.view.scale == "probability" else replace(heap, scores=_probabilities(scope, heap))


def score_probabilities(view: View) -> Floats:
    """The probability that each distinct score of everybody stands for."""
    return _score_probabilities(view.scale, view.tally.scores)


def cell_review_scores(scope: Scope, strategy: Strategy) -> Floats:
    """One per cell, higher first, for a strategy that has one."""
    heap = scope_cells(scope, strategy)
    if len(strategy.shares) > 1:
        raise Undefined("a hybrid has no single review score")
    return strategy.rank(_basis_values(strategy.basis, scope, heap))


def review_outcome(scope: Scope, strategy: Strategy, capacity: Capacity) -> ReviewOutcome:
    """What comes out, kept once it is known."""
    if len(strategy.shares) > 1 and capacity.kind is CapacityKind.THRESHOLD:
        raise Undefined("a hybrid has no single review score: use a share or a number of items")
    return scope.view.memo.once(
        ("outcome", scope.group, strategy.name, capacity), lambda: _collaboration(scope, strategy).at(capacity)
    )


def common_outcome(scope: Scope, strategy: Strategy, capacity: Capacity) -> ReviewOutcome:
    """What comes out for the items of a scope when one queue of everybody's items is reviewed."""
    view = scope.view
    everybody = review_outcome(view.everything, strategy, capacity)
    if scope.group is None:
        return everybody
    return view.memo.once(
        ("common outcome", scope.group, strategy.name, capacity),
        lambda: _collaboration(view.everything, strategy).among(scope_cells(scope, strategy), capacity),
    )


def row_shares(view: View, strategy: Strategy, capacity: Capacity) -> Floats:
    """The share of each row that is reviewed, of one queue of everybody's items."""
    share: Floats = 1.0 - review_outcome(view.everything, strategy, capacity).pieces.per_cell()
    if strategy.column is None:
        return share[view.rows.place]
    return share[ScoreCells.row_cells(view.rows, supplied_uncertainty(view))]


def model_threshold(scope: Scope) -> float:
    """Where the model's own predictions are cut."""
    if scope.view.threshold is None:
        raise Undefined("the score has no default threshold: set `threshold`")
    return scope.view.threshold


def _collaboration(scope: Scope, strategy: Strategy) -> Collaboration:
    def make() -> Collaboration:
        heap = scope_cells(scope, strategy)
        stages = [
            ReviewStage(by.rank(_basis_values(by.basis, scope, heap)), share, tied=by.tied)
            for by, share in strategy.shares
        ]
        return Collaboration.from_stages(heap, *stages, threshold=model_threshold(scope))

    return scope.view.memo.once(("collaboration", scope.group, strategy.name), make)


def _basis_values(basis: ReviewBasis, scope: Scope, heap: ScoreCells) -> Floats:
    """What a strategy ranks by; of a rank only the order is known, which is enough for the highest first."""
    if basis is ReviewBasis.COLUMN:
        assert heap.column is not None
        return np.asarray(heap.column, dtype=np.float64)
    if basis is ReviewBasis.SCORE and scope.view.scale == "rank":
        return heap.scores.astype(np.float64)
    return _probabilities(scope, heap)


def _probabilities(scope: Scope, heap: ScoreCells) -> Floats:
    return _score_probabilities(scope.view.scale, heap.scores)


def _score_probabilities(scale: str, scores: ScoreArray) -> Floats:
    probability = SCALES[scale].probability
    if probability is None:
        raise Undefined("the score is not a probability: only its ranking can be used")
    return probability(scores.astype(np.float64))


def supplied_uncertainty(view: View) -> Floats:
    """The supplied column, row by row."""
    if view.unsure is None:
        raise Undefined("no uncertainty column is declared: set `uncertainty`")
    return view.unsure
