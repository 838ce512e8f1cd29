"""Why a number changed: parts that add up, by hand, and causes planted in the synthetic community."""

from __future__ import annotations

import math
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.audits.composition import Composition
from evenhand.comparison import ChangeCause, compare_period_files, compare_runs, period_causes
from evenhand.comparison.causes import CAUSED_MEASURES, SHIFTS, change_causes
from evenhand.finding import Finding
from evenhand.synthetic.community import community

ROLES = {"label": "violating", "decision": "removed", "slices": ["language", "community"], "audits": "accuracy"}


@cache
def items() -> pl.DataFrame:
    made = community(20_000, seed=3).items
    return made.select("language", "community", violating=pl.col("toxicity") >= 0.5, p=pl.col("model_a"))


def halves(seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Two independent periods of the same community, moderated by the same policy."""
    shuffled = items().sample(fraction=1.0, shuffle=True, seed=seed).with_columns(removed=pl.col("p") >= 0.6)
    half = len(shuffled) // 2
    return shuffled[:half], shuffled[half:]


def audited(table: pl.DataFrame, **more: Any) -> Finding:
    return eh.audit(table, **{**ROLES, **more}).findings[0]


def causes(this: pl.DataFrame, last: pl.DataFrame) -> dict[str, Any]:
    return {one.measure: one for one in period_causes(audited(this), audited(last))}


def test_the_parts_add_up_to_the_change_that_is_published() -> None:
    last, this = halves(1)
    for one in (*causes(this.with_columns(removed=pl.col("p") >= 0.5), last).values(), *causes(this, last).values()):
        parts = [estimate.value for estimate in one.contributions.values()]
        assert abs(math.fsum(parts) - one.change) < 1e-12
    now, before = audited(this), audited(last)
    assert causes(this, last)["recall"].change == pytest.approx(now.get("recall").value - before.get("recall").value)


def test_a_policy_that_was_changed_is_the_cause_of_a_change_in_recall() -> None:
    last, this = halves(2)
    found = causes(this.with_columns(removed=pl.col("p") >= 0.4), last)
    assert found["recall"].largest is ChangeCause.DECISIONS
    assert found["recall"].contributions[ChangeCause.DECISIONS].value > 0.05
    assert abs(found["prevalence"].contributions[ChangeCause.DECISIONS].value) < 1e-12


def test_a_mix_that_was_changed_is_the_cause_of_a_change_in_prevalence() -> None:
    """Politics, where most is violating, becomes three times as common."""
    last, this = halves(3)
    politics = this.filter(pl.col("community") == "politics")
    found = causes(pl.concat([this, politics.sample(fraction=2.0, with_replacement=True, seed=1)]), last)
    assert found["prevalence"].largest is ChangeCause.PARTS
    parts, labels = (found["prevalence"].contributions[one] for one in (ChangeCause.PARTS, ChangeCause.LABELS))
    assert parts.low > 0.0
    assert abs(labels.value) < abs(parts.value) / 2.0


def test_violations_that_became_more_frequent_are_the_cause_of_a_change_in_prevalence() -> None:
    last, this = halves(4)
    rng = np.random.default_rng(0)
    raised = this.with_columns(violating=pl.col("violating") | pl.Series(rng.random(len(this)) < 0.04))
    found = causes(raised, last)
    assert found["prevalence"].largest is ChangeCause.LABELS
    assert found["prevalence"].contributions[ChangeCause.LABELS].low > 0.0


def test_nothing_changed_has_no_cause() -> None:
    last, this = halves(5)
    named = [one.largest for one in causes(this, last).values()]
    assert named.count(None) >= 1


def scored(seed: int, *, threshold: float) -> Finding:
    frame = items().sample(6000, seed=seed).with_columns(en=pl.col("language") == "en")
    roles = {"score": "p", "label": "violating", "groups": "en", "slices": "community", "audits": "bias"}
    return eh.audit(frame, **roles, threshold=threshold).findings[0]


def test_a_comparison_of_runs_says_why_a_group_is_flagged_more() -> None:
    comparison = compare_runs([scored(1, threshold=0.3)], [scored(2, threshold=0.6)])
    (exhibit,) = (
        e
        for e in comparison.exhibits
        if e.kind == "causes" and e.columns["measure"][0] == "fpr" and e.slice.get("group") == "en"
    )
    by_cause = dict(zip(exhibit.columns["cause"], exhibit.columns["contribution"], strict=True))
    assert max(by_cause, key=lambda cause: abs(by_cause[cause])) == "decisions"
    difference = comparison.get("fpr", of="bias", group="en", run="now", against="earlier")
    assert abs(math.fsum(by_cause.values()) - difference.value) < 1e-12
    assert any(reading.text.startswith("Why FPR of en changed by") for reading in comparison.readings)


def test_two_files_of_periods_are_explained(tmp_path: Path) -> None:
    last, this = halves(2)
    files = []
    for name, table in (("this", this.with_columns(removed=pl.col("p") >= 0.4)), ("last", last)):
        report = eh.audit(table, **ROLES)
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(report.json(), encoding="utf-8")
    comparison = compare_period_files(*map(str, files))
    assert [one["measure"] for one in comparison.record()["causes"]] == ["prevalence", "recall"]
    assert any(line.startswith("Why Recall changed by +") for line in comparison.lines())


def brute(this: np.ndarray, last: np.ndarray) -> list[float]:
    """Two parts without a score: every order of exchanging shares, labels and decisions, one after the other."""

    def table(shares: np.ndarray, labels: np.ndarray, decisions: np.ndarray) -> np.ndarray:
        rate = labels[:, 1].sum(axis=1) / labels.sum(axis=(1, 2))
        size = shares.sum(axis=(1, 2)) / shares.sum()
        removed = decisions[..., 1] / decisions.sum(axis=2)
        kinds = np.stack([size * (1 - rate), size * rate], axis=1)
        return np.stack([kinds * (1 - removed), kinds * removed], axis=2).sum(axis=0)

    moved = np.zeros(3)
    for order in permutations(range(3)):
        chosen = [last, last, last]
        for one in order:
            before = CAUSED_MEASURES["recall"](table(*chosen))
            chosen[one] = this
            moved[one] += float(CAUSED_MEASURES["recall"](table(*chosen)) - before) / 6
    return moved.tolist()


def test_contributions_beside_every_order() -> None:
    rng = np.random.default_rng(1)
    tables = [rng.integers(5, 60, (2, 2, 2)).astype(float) for _ in range(2)]
    bands = np.full(2, -1)
    both = [Composition(("a", "b"), bands, one, one) for one in tables]
    found = change_causes(*both, "recall", level=0.95)
    assert found is not None
    expected = dict(zip((SHIFTS[0], SHIFTS[2], SHIFTS[3]), brute(*tables), strict=True))
    assert {cause: e.value for cause, e in found.contributions.items()} == pytest.approx(expected)


@pytest.mark.verify
def test_intervals_of_contributions_cover() -> None:
    """A population in which the mix and the policy change: how often is the true contribution inside?"""
    share = [np.array([0.7, 0.3]), np.array([0.5, 0.5])]
    rate, removal = np.array([0.1, 0.3]), [np.array([0.6, 0.5]), np.array([0.75, 0.65])]

    def population(period: int) -> np.ndarray:
        labels = np.stack([share[period] * (1 - rate), share[period] * rate], axis=1)
        removed = np.stack([np.full(2, 0.02), removal[period]], axis=1)
        return np.stack([labels * (1 - removed), labels * removed], axis=2)

    def made(table: np.ndarray) -> Composition:
        return Composition(("a", "b"), np.full(2, -1), table, table)

    truth = change_causes(made(1e6 * population(1)), made(1e6 * population(0)), "recall", level=0.95)
    assert truth is not None
    rng, inside = np.random.default_rng(2), dict.fromkeys(truth.contributions, 0)
    for _ in range(200):
        this, last = (rng.multinomial(3000, population(n).ravel()).reshape(2, 2, 2).astype(float) for n in (1, 0))
        found = change_causes(made(this), made(last), "recall", level=0.95)
        assert found is not None
        for cause, e in found.contributions.items():
            inside[cause] += e.low <= truth.contributions[cause].value <= e.high
    assert min(inside.values()) >= 200 * (0.95 - 3.0 * (0.05 * 0.95 / 200) ** 0.5)
