"""Designs on cells: unbiased over all and by group, whatever the score is worth, and with labels that are missing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from evenhand.errors import InputError
from evenhand.sampling.batches import LabelledBatch
from evenhand.sampling.cell_design import CellDesign
from evenhand.sampling.design import DrawnSoFar, PoolExpectation
from evenhand.sampling.expectations import (
    cell_chances,
    expect_pool,
    size_for_prevalence,
    size_for_recall,
    split_labels,
)
from evenhand.sampling.frame import SamplingFrame
from evenhand.sampling.score_driven import ScoreDrivenDesign
from evenhand.sampling.simple_random import RandomDesign
from evenhand.sampling.sizes import Within
from evenhand.sampling.strata import Strata
from evenhand.sampling.stratified import StratifiedDesign
from sampling.made import pool_of

DRAWS = 400
DESIGNS = {
    "default": ScoreDrivenDesign(),
    "random": RandomDesign(),
    "optimal": StratifiedDesign(),
    "proportional": StratifiedDesign("equal-width", 5, "proportional"),
    "equal": StratifiedDesign("quantile", 4, "equal"),
    "groups alone": StratifiedDesign(None, allocation="proportional"),
}


def population(items: int = 3000, prevalence: float = 0.08) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    label = (rng.random(items) < prevalence).astype(float)
    score = expit(2.0 * (2.0 * label + rng.normal(size=items) - 1.0) + np.log(prevalence))
    return score, label, np.where(rng.random(items) < 0.3, 1, 0)


def framed(score: np.ndarray, group: np.ndarray) -> SamplingFrame:
    return SamplingFrame.of(score, by=Strata(group, ("de", "en")))


def played(
    frame: SamplingFrame,
    label: np.ndarray,
    design: CellDesign,
    n: int,
    rng: np.random.Generator,
    unclear: float = 0.0,
) -> list[LabelledBatch]:
    past: list[LabelledBatch] = []
    gone = np.empty(0, dtype=np.int64)
    for _ in design.sizes(frame, n):
        batch = design.draw(frame, DrawnSoFar(past, gone), n, rng)
        gone = np.append(gone, batch.places)
        told = rng.random(len(batch.places)) >= unclear
        past.append(LabelledBatch(batch.only(told), label[batch.draw.rows[told]]))
    return past


@pytest.mark.verify
@pytest.mark.parametrize("name", DESIGNS)
def test_unbiased_over_all_and_by_group(name: str) -> None:
    score, label, group = population()
    frame, design, rng = framed(score, group), DESIGNS[name], np.random.default_rng(2)
    found = np.array(
        [
            [design.share(pool_of(frame), past, group=g).value for g in (None, 0, 1)]
            for past in (played(frame, label, design, 240, rng) for _ in range(DRAWS))
        ]
    )
    truth = [label.mean(), label[group == 0].mean(), label[group == 1].mean()]
    error = found.std(axis=0) / np.sqrt(DRAWS)
    assert (np.abs(found.mean(axis=0) - truth) < 3.5 * error).all()


@pytest.mark.parametrize("name", DESIGNS)
def test_weights_are_the_estimate_and_add_up_to_the_population(name: str) -> None:
    score, label, group = population()
    frame, design = framed(score, group), DESIGNS[name]
    for unclear in (0.0, 0.1):
        past = played(frame, label, design, 300, np.random.default_rng(6), unclear)
        weights = design.label_draws(frame, past).weights
        labels = np.concatenate([done.label for done in past])
        assert weights.sum() == pytest.approx(len(frame))
        value = design.sampled(frame, past).figure().value
        assert value == pytest.approx(float(weights @ labels) / len(frame), rel=1e-9)


def test_a_stratified_estimate_is_the_textbook_one() -> None:
    score, label, group = population()
    frame, design = framed(score, group), StratifiedDesign("quantile", 4, "equal")
    (done,) = played(frame, label, design, 160, np.random.default_rng(3))
    draw = done.batch.draw
    value = variance = 0.0
    for stratum, size in enumerate(draw.sizes.tolist()):
        values = done.label[draw.strata == stratum]
        share = size / len(frame)
        value += share * values.mean()
        variance += share**2 * (1 - len(values) / size) * values.var(ddof=1) / len(values)
    figure = design.sampled(frame, [done]).figure()
    assert (figure.value, figure.variance) == (pytest.approx(value), pytest.approx(variance))


def test_a_pilot_is_followed_by_what_it_teaches() -> None:
    score, label, group = population()
    frame, design = framed(score, group), StratifiedDesign("quantile", 4, "pilot", 20)
    first, second = played(frame, label, design, 400, np.random.default_rng(3))
    assert (first.batch.draw.counts == 20).all()
    assert not set(first.batch.places) & set(second.batch.places)
    total = first.batch.draw.counts + second.batch.draw.counts
    assert total.sum() >= 400
    assert total[3] > 1.5 * total[0]  # of the first group; violations are where scores are high
    assert design.sizes(frame, 400) == (160, 240)
    assert design.sizes(frame, 100) == (160,)


@pytest.mark.parametrize("name", DESIGNS)
def test_items_that_nobody_can_tell_are_left_to_the_others(name: str) -> None:
    """Left out at random: the estimate stays where it was, and no stratum is without a variance."""
    score, label, group = population()
    frame, design, rng = framed(score, group), DESIGNS[name], np.random.default_rng(5)
    found = [design.sampled(frame, played(frame, label, design, 240, rng, 0.15)).figure().value for _ in range(DRAWS)]
    assert np.mean(found) == pytest.approx(label.mean(), abs=3.5 * np.std(found) / np.sqrt(DRAWS) + 0.02 * label.mean())


def test_what_is_expected_agrees_with_the_prevalence_given() -> None:
    score, _, group = population()
    frame = framed(score, group)
    assert frame.sizes @ cell_chances(frame) / len(frame) == pytest.approx(score.mean(), rel=1e-3)
    moved = expect_pool(frame, RandomDesign(), prevalence=0.01)
    assert moved.prevalence == pytest.approx(0.01)
    assert moved.variance == pytest.approx(0.01 * 0.99)
    assert size_for_prevalence(moved, Within(0.2), corrected=False).n == 9508  # published
    assert expect_pool(frame, ScoreDrivenDesign()).variance < expect_pool(frame, RandomDesign()).variance
    with pytest.raises(InputError):
        cell_chances(frame, 0.0)


def test_the_split_is_the_best_there_is() -> None:
    removed, visible = PoolExpectation(0.8, 0.16, 5_000), PoolExpectation(0.01, 0.004, 900_000)
    n, (a, b) = 1000, split_labels(1000, [removed, visible])
    assert a + b == n

    def variance(first: int) -> float:
        return removed.variation**2 / first + visible.variation**2 / (n - first)

    assert variance(a) == pytest.approx(min(variance(k) for k in range(50, 950)), rel=1e-3)
    assert split_labels(120, [removed, visible])[0] == 50
    assert split_labels(120, [PoolExpectation(0.8, 0.16, 20), visible]) == (20, 100)
    size = size_for_recall(removed, visible, Within(0.2))
    first, second = split_labels(size.n, [removed, visible])
    logits = removed.variation**2 / first + visible.variation**2 / second
    recall = 4000 / (4000 + 9000)
    assert np.sqrt(logits) * recall * (1 - recall) == pytest.approx(0.2 * recall / 1.96, rel=0.02)


def test_settings_that_make_no_sense() -> None:
    for wrong in (("halves", 8, "optimal"), ("quantile", 8, "best")):
        with pytest.raises(InputError):
            StratifiedDesign(*wrong)
    score, _, group = population(50)
    with pytest.raises(
        InputError, match=r"^60 labels requested, but there are only 50 items: label all of them \(a census\)$"
    ):
        RandomDesign().draw(framed(score, group), DrawnSoFar(), 60, np.random.default_rng(0))
    with pytest.raises(InputError, match=r"^10 labels are too few for 16 strata: at least 26 are needed$"):
        StratifiedDesign().draw(framed(score, group), DrawnSoFar(), 10, np.random.default_rng(0))


@pytest.mark.parametrize("items", [300, 1000, 6000])
def test_every_label_of_the_default_stands_for_itself_at_least(items: int) -> None:
    """Also where a good part of a small pool is labelled: so that it has an inclusion probability."""
    score, label, group = population(items, 0.2)
    frame, rng = framed(score, group), np.random.default_rng(9)
    for _ in range(20):
        past = played(frame, label, ScoreDrivenDesign(), min(600, items // 2), rng)
        assert ScoreDrivenDesign().label_draws(frame, past).weights.min() >= 1.0 - 1e-12


def test_the_fewest_labels_of_a_design() -> None:
    score, _, group = population()
    frame, alone = framed(score, group), SamplingFrame.of(score)
    assert RandomDesign().fewest(frame) == 2
    assert RandomDesign().fewest(SamplingFrame.of([0.5])) == 1
    each = ScoreDrivenDesign().rules.each
    assert ScoreDrivenDesign().fewest(alone) == 2 * each
    assert ScoreDrivenDesign().fewest(frame) == 2 * each
    three = SamplingFrame.of(score, by=Strata(np.arange(len(score)) % 3, ("de", "en", "fr")))
    assert ScoreDrivenDesign().fewest(three) == 3 * each
    assert StratifiedDesign("quantile", 4, "equal").fewest(alone) == 8
    assert StratifiedDesign("quantile", 4, "pilot", pilot=25).fewest(alone) == 100
    tiny = SamplingFrame.of([0.1, 0.1, 0.9], cells=2)
    assert StratifiedDesign("equal-width", 2, "equal").fewest(tiny) == 3  # two of the first stratum, all of the second


def test_the_variance_of_one_label_is_that_of_the_formulas() -> None:
    """Random: p(1 − p). In strata with shares w and labels in proportion to a: Σ w² p(1 − p) / (a / Σ a)."""
    frame = SamplingFrame.of(np.repeat([0.1, 0.9], [300, 100]), cells=50)
    chance = np.where(frame.logits < 0.0, 0.02, 0.4)
    weight, p = np.array([0.75, 0.25]), np.array([0.02, 0.4])
    spread, mean = p * (1.0 - p), float(weight @ p)
    assert RandomDesign().variance(frame, chance) == pytest.approx(mean * (1.0 - mean))
    within = {
        "proportional": weight @ spread,
        "equal": 2.0 * (weight**2) @ spread,
        "optimal": (weight @ np.sqrt(spread)) ** 2,
        "pilot": (weight @ np.sqrt(spread)) ** 2,
    }
    for name, formula in within.items():
        found = StratifiedDesign("equal-width", 2, name).variance(frame, chance)
        assert found == pytest.approx(float(formula), rel=1e-9), name
    floor = ScoreDrivenDesign().rules.floor[0]
    density = floor + (1.0 - floor) * np.sqrt(spread) / (weight @ np.sqrt(spread))
    assert ScoreDrivenDesign().variance(frame, chance) == pytest.approx(float(weight @ (spread / density)), rel=1e-9)
