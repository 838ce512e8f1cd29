"""Do the intervals of a migration hold? Thresholds, flag rates, changes in groups and precision, of a known population.

A population is many comments with an old and a new score, a label and two groups; samples are drawn from it with
replacement, so that the truth is known exactly. The shape `smooth` has scores of full precision, `rounded` to two
digits, `alike` has two models that nearly agree, `apart` two that hardly do.
"""

from __future__ import annotations

import itertools
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.special import expit
from scipy.stats import rankdata

from evenhand.catalogue.migration import FLAG_RATE
from evenhand.catalogue.shared import FPR, PRECISION, RECALL
from evenhand.estimate import Estimate
from evenhand.finding import SliceKey
from evenhand.intervals.matched_cut import CutScores
from evenhand.intervals.rank_correlation import spearman
from evenhand.measures.decisions import DecisionTable
from evenhand.migration.changes import ac1_estimate, change_estimate, with_check, with_groups
from evenhand.migration.labelled import LabelledCuts
from evenhand.migration.moves import plan_move
from evenhand.migration.score_log import CommentGroup, ScoreLog
from evenhand.migration.settings import MigrationSettings
from evenhand.migration.threshold_map import share_estimate
from studies.study import Row, Study

COMMENTS = 50_000  # of the population
SHAPES = ("smooth", "rounded", "alike", "apart")
SIZES = (100, 1000, 10_000)
OLD_THRESHOLDS = (0.7, 0.8, 0.9)
GROUPS = {"large": 0.3, "small": 0.05}  # shares of the comments
SETTINGS = MigrationSettings()
KEPT = (FLAG_RATE, PRECISION, FPR, RECALL)


def cells() -> list[Row]:
    return [{"shape": shape, "comments": size} for shape, size in itertools.product(SHAPES, SIZES)]


class Population(NamedTuple):
    """All comments there are."""

    old: np.ndarray
    new: np.ndarray
    label: np.ndarray
    groups: dict[str, np.ndarray]


@cache
def population(shape: str) -> Population:
    """Scores that follow what a comment is like; comments of the groups get higher new scores."""
    rng = np.random.default_rng(3)
    like = rng.normal(size=COMMENTS)
    groups = {name: rng.random(COMMENTS) < share for name, share in GROUPS.items()}
    noise = {"alike": 0.2, "apart": 2.0}.get(shape, 0.7)
    lifted = sum(0.3 * inside for inside in groups.values())
    old = expit(-1.0 + 1.4 * (like + noise * rng.normal(size=COMMENTS)) / np.hypot(1.0, noise))
    new = expit(-2.0 + 1.8 * (like + noise * rng.normal(size=COMMENTS)) / np.hypot(1.0, noise) + lifted)
    if shape == "rounded":
        old, new = old.round(2), new.round(2)
    return Population(old, new, rng.random(COMMENTS) < expit(-3.0 + 2.0 * like), groups)


@cache
def truth(shape: str, threshold: float) -> dict[str, tuple[float, float]]:
    """Between which thresholds the population crosses what the old one had: a new threshold may be either end."""
    people = population(shape)
    flagged = people.old >= threshold
    scores, place = np.unique(people.new, return_inverse=True)
    every, violating = (np.bincount(place, kind, len(scores))[::-1].cumsum()[::-1] for kind in (None, people.label))
    precision, wanted = violating / every, flagged[people.label].mean()
    rates = {
        FLAG_RATE: (every / len(flagged), flagged.mean()),
        RECALL: (violating / people.label.sum(), wanted),
        FPR: ((every - violating) / (~people.label).sum(), flagged[~people.label].mean()),
        PRECISION: (-precision, -people.label[flagged].mean()),
    }
    found = {}
    for name, (rate, kept) in rates.items():
        last = int(np.flatnonzero(rate >= kept)[-1]) if name != PRECISION else int(np.argmax(rate <= kept)) - 1
        found[str(name)] = float(scores[last]), float(scores[min(last + 1, len(scores) - 1)])
    return found


def drawn(people: Population, size: int, rng: np.random.Generator) -> tuple[ScoreLog, np.ndarray]:
    """A sample, as a log."""
    rows = rng.integers(0, COMMENTS, size)
    groups = tuple(
        CommentGroup({SliceKey.GROUP: name}, name, np.flatnonzero(inside[rows]))
        for name, inside in people.groups.items()
    )
    return ScoreLog("sample", people.old[rows], people.new[rows], people.label[rows], groups, (), {}), rows


def holds(estimate: Estimate, *truths: float) -> float | None:
    """Whether an interval holds every one of these; None where there is none."""
    if estimate.low is None or estimate.high is None:
        return None
    return float(all(estimate.low - 1e-12 <= one <= estimate.high + 1e-12 for one in truths))


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    found: dict[str, list[float | None]] = {}
    for _ in range(draws):
        for name, hit in one(cell["shape"], cell["comments"], rng).items():
            found.setdefault(name, []).append(hit)
    return [
        {"number": name, "coverage": float(np.mean(hits)), "defined": len(hits) / len(every)}
        for name, every in found.items()
        if (hits := [hit for hit in every if hit is not None])
    ]


def one(shape: str, size: int, rng: np.random.Generator) -> dict[str, float | None]:
    """Which intervals of one sample hold the truth; those that hold together are judged together."""
    people = population(shape)
    log, _ = drawn(people, size, rng)
    cuts = CutScores.from_scores(log.new)
    labels = LabelledCuts.from_labels(log.new, log.label, cuts) if log.label is not None and log.label.any() else None
    moves = [plan_move(log, cuts, labels, threshold, SETTINGS) for threshold in OLD_THRESHOLDS]
    moves = with_check(log, with_groups(log, moves, SETTINGS.level), SETTINGS)
    hits: dict[str, float | None] = {"rank_agreement": _ranks(shape, log)}
    for move in moves:
        for kept, estimate in move.matched.items():
            hits[f"{kept} {move.name}"] = holds(estimate, *truth(shape, move.old)[str(kept)])
        if (table := move.tables.get(FLAG_RATE)) is not None:
            hits |= {f"{name} {move.name}": hit for name, hit in _decisions(people, move.old, move.matched, table)}
    hits["held_out"] = _together([holds(move.held_out, 0.0) for move in moves if move.held_out])
    hits["groups"] = _together([_ratio(people, move, change) for move in moves for change in move.groups])
    return hits


def _ranks(shape: str, log: ScoreLog) -> float | None:
    return holds(spearman(list(zip(log.old, log.new, strict=True)), 0.95), _true_ranks(shape))


@cache
def _true_ranks(shape: str) -> float:
    people = population(shape)
    return float(np.corrcoef(rankdata(people.old), rankdata(people.new))[0, 1])


def _decisions(people: Population, old: float, matched, table: DecisionTable):
    """Numbers at the threshold that was found, of which the truth is counted in the population."""
    whole = DecisionTable.from_decisions(people.old >= old, people.new >= matched[FLAG_RATE].value)
    rate = share_estimate(table.new, table.items, 0.95)
    yield "new_rate", holds(rate, whole.new / whole.items)
    yield "change", holds(change_estimate(table, 0.95), (whole.new - whole.old) / whole.items)
    q = (whole.old + whole.new) / (2 * whole.items)
    chance, alike = 2 * q * (1 - q), (whole.both + whole.neither) / whole.items
    yield "ac1", holds(ac1_estimate(table, 0.95), (alike - chance) / (1 - chance))


def _ratio(people: Population, move, change) -> float | None:
    inside = people.groups[change.group.slice[SliceKey.GROUP]]
    before, after = (people.old >= move.old)[inside].sum(), (people.new >= move.new.value)[inside].sum()
    return holds(change.ratio, after / before)


def _together(hits: list[float | None]) -> float | None:
    known = [hit for hit in hits if hit is not None]
    return float(all(known)) if known else None


STUDY = Study("migration", cells(), run, draws=1000)
