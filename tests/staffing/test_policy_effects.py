"""What a policy would have done to judged items: by brute force, and with intervals that cover."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.catalogue.collaboration import OC_RECALL, REVIEWED, WRONG_REMOVALS
from evenhand.routing import parse_strategy
from evenhand.staffing import JudgedSample, PolicyChoice

UNCERTAINTY, TOXICITY = parse_strategy("uncertainty"), parse_strategy("toxicity")


def world(rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    p = rng.beta(0.6, 1.4, size)
    return p, rng.random(size) < p


def brute(sample: JudgedSample, choice: PolicyChoice, members: np.ndarray) -> dict[str, float | None]:
    """Item by item: remove, leave, or review the most doubtful until the day is over."""
    found = removed = wrong = reviewed = violating = total = 0.0
    upper = 2.0 if choice.upper is None else choice.upper
    lower = -1.0 if choice.lower is None else choice.lower
    middle = [i for i in range(len(sample.p)) if lower <= sample.p[i] < upper]
    key = {i: float(choice.strategy.review_score([sample.p[i]])[0]) for i in middle}
    budget, share = choice.reviews_per_day, dict.fromkeys(range(len(sample.p)), 0.0)
    for i in sorted(middle, key=lambda i: -key[i]):
        share[i] = min(1.0, max(0.0, budget) / sample.weights[i])
        budget -= sample.weights[i] * share[i]
    for i in np.flatnonzero(members):
        w, y = sample.weights[i], bool(sample.y[i])
        gone = sample.p[i] >= upper
        total, violating = total + w, violating + w * y
        removed, wrong = removed + w * gone, wrong + w * (gone and not y)
        reviewed += w * share[i]
        found += w * y * (1.0 if gone else share[i])
    return {
        OC_RECALL: found / violating if violating else None,
        WRONG_REMOVALS: wrong / removed if removed else None,
        REVIEWED: reviewed / total,
    }


@pytest.mark.parametrize("strategy", [UNCERTAINTY, TOXICITY])
@pytest.mark.parametrize(("upper", "lower"), [(0.8, 0.1), (None, 0.3), (0.9, None), (None, None)])
def test_every_number_is_that_of_going_through_the_items(strategy, upper, lower) -> None:
    rng = np.random.default_rng(3)
    p, y = world(rng, 300)
    groups = {"one": rng.random(300) < 0.3, "nobody": np.zeros(300, dtype=bool)}
    sample = JudgedSample(p, y, rng.uniform(0.5, 3.0, 300), groups)
    for reviews in (0.0, 40.0, 1e6):
        choice = PolicyChoice(upper, lower, strategy, reviews)
        everybody, one, nobody = sample.effects(choice)
        for effect, members in ((everybody, np.ones(300, dtype=bool)), (one, groups["one"])):
            expected = brute(sample, choice, members)
            for measure, estimate in effect.estimates.items():
                assert estimate.value == pytest.approx(expected[measure]), (measure, reviews)
        assert (one.items, nobody.items) == (int(groups["one"].sum()), 0)
        assert nobody.estimates[OC_RECALL].value is None


def test_more_reviews_find_what_the_curve_says() -> None:
    p, y = world(np.random.default_rng(4), 500)
    sample = JudgedSample(p, y, np.full(500, 0.2))
    choice = PolicyChoice(0.8, 0.1, TOXICITY, 20.0)
    now, then = sample.capacity_curve(choice, [20.0, 30.0])
    gain = sample.gain(choice, 10.0)
    assert gain.value == pytest.approx(then.recall.value - now.recall.value)
    assert gain.low is not None
    assert gain.low <= gain.value <= gain.high
    assert sample.gain(choice, 0.0).value == 0.0


@pytest.mark.parametrize("replicates", [60, pytest.param(600, marks=pytest.mark.verify)])
def test_intervals_cover_what_the_policy_does_to_everything(replicates: int) -> None:
    rng = np.random.default_rng(5)
    p, y = world(rng, 20_000)
    choice = PolicyChoice(0.75, 0.1, UNCERTAINTY, 100.0)
    whole = JudgedSample(p, y, np.full(20_000, 1_000 / 20_000)).effects(choice)[0].estimates
    hits = dict.fromkeys((OC_RECALL, WRONG_REMOVALS), 0)
    for _ in range(replicates):
        drawn = rng.choice(20_000, 250, replace=False)
        effect = JudgedSample(p[drawn], y[drawn], np.full(250, 4.0)).effects(choice)[0].estimates
        for measure in hits:
            low, high, truth = effect[measure].low, effect[measure].high, whole[measure].value
            assert None not in (low, high, truth)
            hits[measure] += low <= truth <= high
    assert min(hits.values()) >= 0.92 * replicates
