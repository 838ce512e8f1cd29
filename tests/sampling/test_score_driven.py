"""The default design: what it draws, that it is unbiased whatever the classifier is worth, and what it saves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import expit

from evenhand.errors import InputError
from evenhand.sampling import strata
from evenhand.sampling.batches import LabelledBatch, SampleBatch, fit_recalibration
from evenhand.sampling.design import DrawnSoFar
from evenhand.sampling.estimation import (
    estimate_batches,
    estimate_by_difference,
    estimate_draw,
    label_draws,
    row_weights,
)
from evenhand.sampling.frame import SamplingFrame
from evenhand.sampling.score_driven import ScoreDrivenDesign, ScoreDrivenSettings, batch_weights, draw_batch, next_batch
from evenhand.sampling.sequential import SequentialDesign, _recalibrated_chances, draw_sequential
from marks import smoke
from sampling.made import FRAME, batches, pool_of

DESIGN = ScoreDrivenSettings()


def population(items: int = 6000, prevalence: float = 0.06, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    label = (rng.random(items) < prevalence).astype(float)
    return expit(2.0 * (2.0 * label + rng.normal(size=items) - 1.0) + np.log(prevalence)), label


def played(frame: SamplingFrame, label: np.ndarray, n: int, rng: np.random.Generator) -> list[LabelledBatch]:
    past: list[LabelledBatch] = []
    for size in DESIGN.batches(n):
        batch = draw_batch(frame, past, size, rng, DESIGN)
        past.append(LabelledBatch.of(batch, label[batch.draw.rows]))
    return past


def test_batches_double_and_add_up() -> None:
    assert DESIGN.batches(60) == (60,)
    assert DESIGN.batches(1000) == (100, 200, 400, 300)
    for n in (4, 99, 151, 700, 12345):
        assert sum(DESIGN.batches(n)) == n
        assert DESIGN.weights(n).sum() == pytest.approx(1.0)


def test_a_batch_goes_where_labels_are_uncertain() -> None:
    score, _label = population()
    batch = next_batch(SamplingFrame.of(score), [], 100, seed=1)
    assert len(set(batch.draw.rows)) == 100
    assert batch.draw.sizes.sum() == 6000
    assert (batch.draw.counts >= 2).all()
    assert score[batch.draw.rows].mean() > 1.5 * score.mean()
    assert batch.draw.weights.sum() == pytest.approx(6000)
    per_item = batch.draw.counts / batch.draw.sizes
    assert per_item.min() >= 0.5 * DESIGN.floor[0] * 100 / 6000  # the floor, but for rounding


@pytest.mark.parametrize("height", [0.2, 1.0, 5.0])
def test_no_label_stands_for_much_more_than_its_share(height: float) -> None:
    """Whatever the score claims, in any batch, a label counts at most 2.5 times as much as one drawn at random.

    A stratum gets whole labels, at least two of them, so its own rounding comes on top.
    """
    score, label = population()
    odds = np.clip(score, 1e-6, 1.0 - 1e-6)
    frame = SamplingFrame.of(1.0 / (1.0 + ((1.0 - odds) / odds) ** height))
    for seed in range(5):
        past: list[LabelledBatch] = []
        for size in DESIGN.batches(700):
            batch = next_batch(frame, past, size, seed=seed)
            past.append(LabelledBatch.of(batch, label[batch.draw.rows]))
            shares = batch.draw.weights * size / batch.draw.sizes.sum()
            assert shares.max() <= 1.0 / DESIGN.floor[1] * 1.25
        own = label_draws(frame, past, batch_weights(past)).weights
        assert own.max() * len(own) / len(frame) <= 1.0 / DESIGN.floor[1] * 1.25


def test_a_pool_that_needs_no_more_labels_is_left_out_of_a_batch() -> None:
    score, label = population()
    frame = SamplingFrame.of(score)
    first = next_batch(frame, [], 100, seed=1)
    done = DrawnSoFar((LabelledBatch.of(first, label[first.draw.rows]),), first.places, most=0)
    pool = SimpleNamespace(frame=frame, items=len(frame), labels=400)
    rng = np.random.default_rng(0)
    assert ScoreDrivenDesign().next_draw(pool, done, rng, until_kept=True) is None
    assert len(ScoreDrivenDesign().next_draw(pool, replace(done, most=60), rng, until_kept=True).places) == 60


def test_no_item_is_drawn_twice_and_the_same_seed_draws_the_same() -> None:
    score, label = population()
    frame = SamplingFrame.of(score)

    def rows(seed: int) -> list[int]:
        past: list[LabelledBatch] = []
        for size in DESIGN.batches(900):
            batch = next_batch(frame, past, size, seed=seed)
            past.append(LabelledBatch.of(batch, label[batch.draw.rows]))
        return [row for done in past for row in done.batch.draw.rows.tolist()]

    assert rows(1) == rows(1) != rows(2)
    assert len(set(rows(1))) == 900


def test_the_floor_falls_with_violations_found() -> None:
    floors = [DESIGN.floor_after(found) for found in (0, 5, 20, 100, 10**6)]
    assert floors == sorted(floors, reverse=True)
    assert (floors[0], floors[-1]) == DESIGN.floor


CLASSIFIERS = {
    "good": lambda score, rng: score,
    "useless": lambda score, rng: rng.permutation(score),
    "backwards": lambda score, rng: 1.0 - score,
    "constant": lambda score, rng: np.full(len(score), 0.3),
    "coarse": lambda score, rng: np.round(score, 1),
    "overconfident": lambda score, rng: expit(4.0 * np.log(score / (1 - score)) - 4.0),
}


@pytest.mark.parametrize("classifier", smoke(CLASSIFIERS))
def test_it_is_unbiased_whatever_the_classifier_is_worth(classifier: str) -> None:
    rng = np.random.default_rng(11)
    score, label = population()
    frame = SamplingFrame.of(CLASSIFIERS[classifier](score, rng))
    n, draws = 400, 300
    values, beyond, variances = [], [], []
    for _ in range(draws):
        past = played(frame, label, n, rng)
        figure = estimate_batches(frame, past, DESIGN.weights(n)).figure()
        values.append(figure.value)
        variances.append(figure.variance)
        beyond.append(estimate_by_difference(frame, past, DESIGN.weights(n)).figure().value)
    for found in (values, beyond):
        assert abs(np.mean(found) - label.mean()) <= 3.5 * np.std(found) / np.sqrt(draws)
    assert np.mean(variances) == pytest.approx(np.var(values), rel=0.3)
    at_random = label.mean() * (1 - label.mean()) / n
    assert np.var(values) <= (0.5 if classifier == "good" else 1.25 * 1.25) * at_random


def test_rows_carry_weights_that_give_the_estimate() -> None:
    score, label = population()
    frame = SamplingFrame.of(score)
    past, part = played(frame, label, 700, np.random.default_rng(1)), DESIGN.weights(700)
    weights = np.concatenate(row_weights(past, part))
    seen = np.concatenate([done.label for done in past])
    assert weights.sum() == pytest.approx(6000)
    assert weights @ seen / 6000 == pytest.approx(estimate_batches(frame, past, part).figure().value)
    assert (weights >= part[-1] - 1e-12).all()


def test_labelling_everything_gives_the_truth() -> None:
    score, label = population(items=300)
    frame = SamplingFrame.of(score)
    past: list[LabelledBatch] = []
    for size in (100, 150, 50):
        batch = draw_batch(frame, past, size, np.random.default_rng(2), DESIGN)
        past.append(LabelledBatch.of(batch, label[batch.draw.rows]))
    figure = estimate_batches(frame, past, [0.0, 0.0, 1.0]).figure()
    assert figure.value == pytest.approx(label.mean())
    assert figure.estimate().method == "exact"


def test_languages_are_kept_apart() -> None:
    score, label = population()
    language = np.arange(6000) % 3
    by = strata.column_strata({"language": language})
    batch: SampleBatch = next_batch(SamplingFrame.of(score, by=by), [], 120, seed=4)
    for stratum in range(len(batch.draw.sizes)):
        assert len(set(language[batch.draw.rows[batch.draw.strata == stratum]])) == 1
    assert set(language[batch.draw.rows]) == {0, 1, 2}
    one = estimate_draw(batch.draw, label[batch.draw.rows]).figure()
    assert one.n == 120


def test_recalibration_finds_the_line_behind_labels() -> None:
    rng = np.random.default_rng(5)
    logits = rng.normal(-3, 2, 20_000)
    label = (rng.random(20_000) < expit(-1.0 + 0.6 * logits)).astype(float)
    found = fit_recalibration(logits, label, np.ones(20_000))
    assert (found.intercept, found.slope) == (pytest.approx(-1.0, abs=0.1), pytest.approx(0.6, abs=0.05))


@pytest.mark.parametrize("scale", [1.0, 20.0])
def test_recalibration_is_at_the_peak(scale: float) -> None:
    """The slope of the posterior is nil there, also from a start at which all chances are 0 or 1."""
    rng = np.random.default_rng(6)
    logits = scale * rng.normal(-1, 1, 80)
    label = (rng.random(80) < 0.2).astype(float)
    found = fit_recalibration(logits, label, np.ones(80))
    rest = label - expit(found.intercept + found.slope * logits)
    assert rest.sum() - found.intercept / 25.0 == pytest.approx(0.0, abs=1e-3)
    assert rest @ logits - (found.slope - 1.0) == pytest.approx(0.0, abs=1e-2 * scale)


@pytest.mark.parametrize("only", [0.0, 1.0])
def test_labels_that_are_all_alike_do_not_run_away(only: float) -> None:
    found = fit_recalibration(np.linspace(-3, 3, 50), np.full(50, only), np.ones(50))
    assert abs(found.intercept) < 12
    assert abs(found.slope) < 4


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: SamplingFrame.of([0.1, float("nan")]), "column 'score', row 2: the value is missing or not finite"),
        (lambda: SamplingFrame.of([0.1, 1.5]), "column 'score', row 2: a probability lies between 0 and 1"),
        (lambda: SamplingFrame.of([]), "there are no items to draw from"),
        (lambda: DESIGN.batches(1), "the number of labels must be a whole number from 4 up, not 1"),
        (
            lambda: next_batch(SamplingFrame.of([0.1, 0.2, 0.3]), [], 4, seed=0),
            "4 labels requested, but only 3 items are left: label all of them (a census)",
        ),
        (
            lambda: next_batch(
                SamplingFrame.of(np.full(90, 0.2), by=strata.column_strata({"l": np.arange(90) // 2})), [], 60, seed=0
            ),
            "60 labels are too few: each of the 45 groups needs at least 2",
        ),
        (
            lambda: LabelledBatch.of(next_batch(SamplingFrame.of(np.linspace(0, 1, 50)), [], 8, seed=0), [1, 0]),
            "column 'label': there are 2 values for 8 items",
        ),
        (
            lambda: LabelledBatch.of(next_batch(SamplingFrame.of(np.linspace(0, 1, 50)), [], 2, seed=0), [1, 2]),
            "column 'label', row 2: a label is 0 or 1",
        ),
    ],
)
def test_wrong_arguments_are_named(wrong, message) -> None:
    with pytest.raises(InputError) as raised:
        wrong()
    assert str(raised.value) == message


def test_a_group_is_estimated_by_itself() -> None:
    past = batches(ScoreDrivenDesign(), 200)
    parts = batch_weights(past)
    assert parts == pytest.approx([len(done.label) / 200 for done in past])
    shares = [ScoreDrivenDesign().share(pool_of(FRAME), past, group=group) for group in (None, 0, 1)]
    for group, ours in zip((None, 0, 1), shares, strict=True):
        theirs = estimate_batches(FRAME, past, parts, group=group).figure()
        assert (ours.value, ours.cautious_variance) == (
            pytest.approx(theirs.value, rel=1e-12),
            pytest.approx(theirs.cautious_variance, rel=1e-12),
        )
    whole = estimate_batches(FRAME, past, parts).figure()
    assert shares[0].variance == pytest.approx(whole.variance, rel=1e-12)
    assert shares[0].heaviest == pytest.approx(whole.heaviest, rel=1e-12)
    values = [share.value for share in shares]
    assert len(set(values)) == 3
    assert values[0] == pytest.approx(2 / 3 * values[1] + 1 / 3 * values[2], rel=1e-9)


def test_draws_lie_in_their_cells_and_a_batch_takes_no_more_than_its_part() -> None:
    score = np.repeat([0.02, 0.1, 0.3, 0.7], [3000, 500, 300, 200])
    frame = SamplingFrame.of(score)
    draws = draw_sequential(frame, [], 400, np.random.default_rng(1), SequentialDesign())
    chance = _recalibrated_chances(frame, [])[frame.cell_of(draws.places)]
    expected = (draws.mean - draws.other) / (draws.violating - draws.other)
    assert expected == pytest.approx(chance)  # of the very cell that the place lies in
    assert len(np.unique(draws.places)) > 200
    first = draw_batch(frame, [], 400, np.random.default_rng(2), ScoreDrivenSettings())
    past = [LabelledBatch(first, (np.arange(400) % 9 == 0).astype(float))]
    later = draw_batch(frame, past, 200, np.random.default_rng(3), ScoreDrivenSettings()).draw
    assert (later.counts <= np.maximum(np.floor(later.sizes / 3), ScoreDrivenSettings().each)).all()
    assert later.counts.sum() == 200


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            lambda: draw_batch(FRAME, [], 601, np.random.default_rng(8), ScoreDrivenSettings()),
            "601 labels requested, but only 600 items are left: label all of them (a census)",
        ),
        (lambda: next_batch(FRAME, [], 99, seed=-1), "the seed must be a whole number from 0 up, not -1"),
    ],
)
def test_batches_that_cannot_be_drawn(wrong: Callable[[], object], said: str) -> None:
    with pytest.raises(InputError) as raised:
        wrong()
    assert str(raised.value) == said
