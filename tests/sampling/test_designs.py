"""Designs on cells: unbiased over all and by group, whatever the score is worth, and with labels that are missing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from evenhand.errors import InputError
from evenhand.sampling.batches import Labelled
from evenhand.sampling.designs import Adaptive, Design, Done, Random
from evenhand.sampling.expectations import Expected, chances, expected, size_for, size_for_recall, split
from evenhand.sampling.frame import Frame
from evenhand.sampling.strata import Strata
from evenhand.sampling.stratifying import Stratified
from evenhand.sampling.targets import Within

DRAWS = 400
DESIGNS = {
    "default": Adaptive(),
    "random": Random(),
    "optimal": Stratified(),
    "proportional": Stratified("equal-width", 5, "proportional"),
    "equal": Stratified("quantile", 4, "equal"),
    "groups alone": Stratified(None, allocation="proportional"),
}


def population(items: int = 3000, prevalence: float = 0.08) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    label = (rng.random(items) < prevalence).astype(float)
    score = expit(2.0 * (2.0 * label + rng.normal(size=items) - 1.0) + np.log(prevalence))
    return score, label, np.where(rng.random(items) < 0.3, 1, 0)


def framed(score: np.ndarray, group: np.ndarray) -> Frame:
    return Frame.of(score, by=Strata(group, ("de", "en")))


def played(
    frame: Frame, label: np.ndarray, design: Design, n: int, rng: np.random.Generator, unclear: float = 0.0
) -> list[Labelled]:
    past: list[Labelled] = []
    gone = np.empty(0, dtype=np.int64)
    for _ in design.sizes(frame, n):
        batch = design.draw(frame, Done(past, gone), n, rng)
        gone = np.append(gone, batch.places)
        told = rng.random(len(batch.places)) >= unclear
        past.append(Labelled(batch.only(told), label[batch.draw.rows[told]]))
    return past


@pytest.mark.parametrize("name", DESIGNS)
def test_unbiased_over_all_and_by_group(name: str) -> None:
    score, label, group = population()
    frame, design, rng = framed(score, group), DESIGNS[name], np.random.default_rng(2)
    found = np.array(
        [
            [design.sampled(frame, past, group=g).figure().value for g in (None, 0, 1)]
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
        weights = np.concatenate(design.weights(frame, past))
        labels = np.concatenate([done.label for done in past])
        assert weights.sum() == pytest.approx(len(frame))
        value = design.sampled(frame, past).figure().value
        assert value == pytest.approx(float(weights @ labels) / len(frame), rel=1e-9)


def test_a_stratified_estimate_is_the_textbook_one() -> None:
    score, label, group = population()
    frame, design = framed(score, group), Stratified("quantile", 4, "equal")
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
    frame, design = framed(score, group), Stratified("quantile", 4, "pilot", 20)
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
    assert frame.sizes @ chances(frame) / len(frame) == pytest.approx(score.mean(), rel=1e-3)
    moved = expected(frame, Random(), prevalence=0.01)
    assert moved.prevalence == pytest.approx(0.01)
    assert moved.variance == pytest.approx(0.01 * 0.99)
    assert size_for(moved, Within(0.2), corrected=False).n == 9508  # published
    assert expected(frame, Adaptive()).variance < expected(frame, Random()).variance
    with pytest.raises(InputError):
        chances(frame, 0.0)


def test_the_split_is_the_best_there_is() -> None:
    removed, visible = Expected(0.8, 0.16, 5_000), Expected(0.01, 0.004, 900_000)
    n, (a, b) = 1000, split(1000, [removed, visible])
    assert a + b == n

    def variance(first: int) -> float:
        return removed.variation**2 / first + visible.variation**2 / (n - first)

    assert variance(a) == pytest.approx(min(variance(k) for k in range(50, 950)), rel=1e-3)
    assert split(120, [removed, visible])[0] == 50
    assert split(120, [Expected(0.8, 0.16, 20), visible]) == (20, 100)
    size = size_for_recall(removed, visible, Within(0.2))
    first, second = split(size.n, [removed, visible])
    logits = removed.variation**2 / first + visible.variation**2 / second
    recall = 4000 / (4000 + 9000)
    assert np.sqrt(logits) * recall * (1 - recall) == pytest.approx(0.2 * recall / 1.96, rel=0.02)


def test_settings_that_make_no_sense() -> None:
    for wrong in (("halves", 8, "optimal"), ("quantile", 8, "best")):
        with pytest.raises(InputError):
            Stratified(*wrong)
    score, _, group = population(50)
    with pytest.raises(InputError, match=r"^60 labels are more than the 50 items: label all of them, a census$"):
        Random().draw(framed(score, group), Done(), 60, np.random.default_rng(0))
    with pytest.raises(InputError, match=r"^10 labels are too few for 16 strata: give at least 26$"):
        Stratified().draw(framed(score, group), Done(), 10, np.random.default_rng(0))


@pytest.mark.parametrize("items", [300, 1000, 6000])
def test_every_label_of_the_default_stands_for_itself_at_least(items: int) -> None:
    """Also where a good part of a small pool is labelled: so that it has an inclusion probability."""
    score, label, group = population(items, 0.2)
    frame, rng = framed(score, group), np.random.default_rng(9)
    for _ in range(20):
        past = played(frame, label, Adaptive(), min(600, items // 2), rng)
        assert min(weight.min() for weight in Adaptive().weights(frame, past)) >= 1.0 - 1e-12


def test_the_fewest_labels_of_a_design() -> None:
    score, _, group = population()
    frame, alone = framed(score, group), Frame.of(score)
    assert Random().fewest(frame) == 2
    assert Random().fewest(Frame.of([0.5])) == 1
    each = Adaptive().settings.each
    assert Adaptive().fewest(alone) == 2 * each
    assert Adaptive().fewest(frame) == 2 * each
    three = Frame.of(score, by=Strata(np.arange(len(score)) % 3, ("de", "en", "fr")))
    assert Adaptive().fewest(three) == 3 * each
    assert Stratified("quantile", 4, "equal").fewest(alone) == 8
    assert Stratified("quantile", 4, "pilot", pilot=25).fewest(alone) == 100
    tiny = Frame.of([0.1, 0.1, 0.9], cells=2)
    assert Stratified("equal-width", 2, "equal").fewest(tiny) == 3  # two of the first stratum, all of the second


def test_the_variance_of_one_label_is_that_of_the_formulas() -> None:
    """Random: p(1 − p). In strata with shares w and labels in proportion to a: Σ w² p(1 − p) / (a / Σ a)."""
    frame = Frame.of(np.repeat([0.1, 0.9], [300, 100]), cells=50)
    chance = np.where(frame.logits < 0.0, 0.02, 0.4)
    weight, p = np.array([0.75, 0.25]), np.array([0.02, 0.4])
    spread, mean = p * (1.0 - p), float(weight @ p)
    assert Random().variance(frame, chance) == pytest.approx(mean * (1.0 - mean))
    within = {
        "proportional": weight @ spread,
        "equal": 2.0 * (weight**2) @ spread,
        "optimal": (weight @ np.sqrt(spread)) ** 2,
        "pilot": (weight @ np.sqrt(spread)) ** 2,
    }
    for name, formula in within.items():
        found = Stratified("equal-width", 2, name).variance(frame, chance)
        assert found == pytest.approx(float(formula), rel=1e-9), name
    floor = Adaptive().settings.floor[0]
    density = floor + (1.0 - floor) * np.sqrt(spread) / (weight @ np.sqrt(spread))
    assert Adaptive().variance(frame, chance) == pytest.approx(float(weight @ (spread / density)), rel=1e-9)
