"""A model and a strategy on one part of the evidence, made once: what people would review, at any capacity."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evenhand.audits.view import Scope, View
from evenhand.errors import Undefined
from evenhand.evidence import SCALES
from evenhand.measures.cells import Cells
from evenhand.measures.collaboration import Capacity, Collaboration, Outcome, Stage
from evenhand.routing.strategies import TOXICITY, UNCERTAINTY, Hybrid, Strategy, Supplied
from evenhand.tally import FloatArray


def cells(scope: Scope, strategy: Strategy | None = None) -> Cells:
    """Items by score, and by the supplied column where the strategy has one."""
    paired = isinstance(strategy, Supplied)
    key = ("cells", scope.group, paired)
    if key not in scope.view.kept:
        view = scope.view
        found = Cells.paired(view.rows, _unsure(view), scope.group) if paired else Cells.of(view.tally, scope.group)
        view.kept[key] = found
    found = scope.view.kept[key]
    assert isinstance(found, Cells)
    return found


def probable(scope: Scope) -> Cells:
    """Items by the probability that their score stands for."""
    heap = cells(scope)
    return heap if scope.view.scale == "probability" else replace(heap, scores=_probabilities(scope, heap))


def review_scores(scope: Scope, strategy: Strategy) -> FloatArray:
    """One per cell, higher first, for a strategy that has one."""
    heap = cells(scope, strategy)
    if isinstance(strategy, Supplied):
        assert heap.column is not None
        values = np.asarray(heap.column, dtype=np.float64)
        return -values if strategy.lower_first else values
    if isinstance(strategy, Hybrid):
        raise Undefined("a hybrid has no single review score")
    return _by(strategy, scope, heap)


def outcome(scope: Scope, strategy: Strategy, capacity: Capacity) -> Outcome:
    """What comes out, kept once it is known."""
    if isinstance(strategy, Hybrid) and capacity.kind == "threshold":
        raise Undefined("a hybrid has no single review score: give a share or a number of items")
    key = ("outcome", scope.group, strategy.name, capacity)
    if key not in scope.view.kept:
        scope.view.kept[key] = _team(scope, strategy).at(capacity)
    found = scope.view.kept[key]
    assert isinstance(found, Outcome)
    return found


def threshold(scope: Scope) -> float:
    """Where the model's own predictions are cut."""
    if scope.view.threshold is None:
        raise Undefined("the score has no threshold: give one with --threshold")
    return scope.view.threshold


def _team(scope: Scope, strategy: Strategy) -> Collaboration:
    key = ("team", scope.group, strategy.name)
    if key not in scope.view.kept:
        heap = cells(scope, strategy)
        stages: tuple[Stage, ...]
        if isinstance(strategy, Hybrid):
            high, unsure = (_by(by, scope, heap) for by in (TOXICITY, UNCERTAINTY))
            stages = (Stage(high, strategy.part), Stage(unsure, 1.0 - strategy.part))
        else:
            stages = (Stage(review_scores(scope, strategy), tied=strategy.tied),)
        scope.view.kept[key] = Collaboration.of(heap, *stages, threshold=threshold(scope))
    found = scope.view.kept[key]
    assert isinstance(found, Collaboration)
    return found


def _by(strategy: Strategy, scope: Scope, heap: Cells) -> FloatArray:
    """By a function of the probability; of a rank only the order is known, which is enough for the highest first."""
    if strategy is TOXICITY and scope.view.scale == "rank":
        return heap.scores.astype(np.float64)
    return strategy.review_score(_probabilities(scope, heap))


def _probabilities(scope: Scope, heap: Cells) -> FloatArray:
    probability = SCALES[scope.view.scale].probability
    if probability is None:
        raise Undefined("the score is no probability: only its order means something")
    return probability(heap.scores.astype(np.float64))


def _unsure(view: View) -> FloatArray:
    if view.unsure is None:
        raise Undefined("no column says how unsure the model is: declare it with --uncertainty")
    return view.unsure
