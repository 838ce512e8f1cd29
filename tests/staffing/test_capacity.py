"""Planning against brute force (every capacity, every item), by hand, and bad input in one line."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.measures.collaboration import ORACLE
from evenhand.measures.collaboration.outcome import Reviewer
from evenhand.routing import HybridStrategy, parse_strategy
from evenhand.routing.strategies import TOXICITY, UNCERTAINTY
from evenhand.staffing.capacity import Costs, Workload, capacity_for_target, cheapest_capacity, cost_curve
from evenhand.staffing.crossings import strategy_crossings
from evenhand.staffing.curves import TARGET_MEASURES, LabelledHistory, ReviewRoute, first_capacity_reaching

DAY = Workload(items_per_day=1000, seconds_per_review=36, hours_per_day=1)  # a hundred reviews a person
COSTS = Costs(false_removal=4, missed_violation=10, review=1)
CLUMSY = Reviewer(benign_error=0.2, violating_error=0.1)


def drawn(n: int = 300, seed: int = 0, digits: int | None = None) -> LabelledHistory:
    rng = np.random.default_rng(seed)
    p = rng.beta(0.5, 1.5, n)
    p = p if digits is None else np.round(p, digits)
    return LabelledHistory.of(p, rng.random(n) < p**1.3)


def brute(history: LabelledHistory, strategy, k: float, reviewer: Reviewer) -> dict[str, float]:
    """Item by item: the chance that each is decided to violate."""
    shares = strategy.shares_reviewed(history.p, k, history.given, history.counts)
    tally = dict.fromkeys(("tn", "fp", "fn", "tp", "wrong"), 0.0)
    for p, y, share, count in zip(history.p, history.y, shares, history.counts, strict=True):
        alone = float(p >= history.threshold)
        by_person = 1.0 - reviewer.violating_error if y else reviewer.benign_error
        removed = share * by_person + (1.0 - share) * alone
        tally["tp" if y else "fp"] += count * removed
        tally["fn" if y else "tn"] += count * (1.0 - removed)
        tally["wrong"] += count * share * (alone != y)
    n = history.counts.sum()
    return tally | {
        "oc_accuracy": (tally["tp"] + tally["tn"]) / n,
        "oc_recall": tally["tp"] / max(tally["tp"] + tally["fn"], 1e-300),
        "oc_precision": tally["tp"] / max(tally["tp"] + tally["fp"], 1e-300),
        "oc_f1": 2 * tally["tp"] / max(2 * tally["tp"] + tally["fn"] + tally["fp"], 1e-300),
    }


STRATEGIES = [UNCERTAINTY, TOXICITY, HybridStrategy(0.4)]
each = pytest.mark.parametrize("strategy", STRATEGIES, ids=str)


@each
@pytest.mark.parametrize("reviewer", [ORACLE, CLUMSY])
@pytest.mark.parametrize("digits", [None, 1])
def test_paths_are_what_brute_force_counts(strategy, reviewer: Reviewer, digits: int | None) -> None:
    history = drawn(60, digits=digits)
    path = ReviewRoute.for_strategy(history, strategy).path(history.counts)
    capacities = path.reviewed if len(path.reviewed) < 70 else path.reviewed[::3]
    rows = dict(zip(path.reviewed.tolist(), path.after(reviewer), strict=True))
    for k in capacities.tolist():
        expected = brute(history, strategy, k, reviewer)
        assert rows[k] == pytest.approx([expected[name] for name in ("tn", "fp", "fn", "tp")])


@pytest.mark.parametrize("strategy", [UNCERTAINTY, TOXICITY], ids=str)
def test_paths_are_linear_within_ties(strategy) -> None:
    history = drawn(60, digits=1)
    path = ReviewRoute.for_strategy(history, strategy).path(history.counts)
    for k in (1, 7, 13.5, 44):
        expected = brute(history, strategy, k, ORACLE)["wrong"]
        assert path.at(np.array([k]))[0, [1, 2]].sum() == pytest.approx(expected)


@each
@pytest.mark.parametrize("reviewer", [ORACLE, CLUMSY])
@pytest.mark.parametrize("measure", TARGET_MEASURES)
def test_the_smallest_capacity_for_a_target_is_that_of_trying_all(strategy, reviewer: Reviewer, measure: str) -> None:
    history = drawn(120)
    tried = [brute(history, strategy, k, reviewer)[measure] for k in range(121)]
    path = ReviewRoute.for_strategy(history, strategy).path(history.counts)
    for target in (tried[0], tried[0] + 0.5 * (max(tried) - tried[0]), max(tried) - 1e-12):
        whole = next(k for k, value in enumerate(tried) if value >= target - 1e-9)
        found = first_capacity_reaching(path, measure, target, reviewer)
        assert whole - 1 - 1e-6 <= found <= whole + 1e-6


@each
@pytest.mark.parametrize("reviewer", [ORACLE, CLUMSY, Reviewer(0.5, 0.5)])
def test_the_cheapest_capacity_is_that_of_trying_all(strategy, reviewer: Reviewer) -> None:
    history = drawn(120)
    tried = []
    for k in range(121):
        now = brute(history, strategy, k, reviewer)
        tried.append((4 * now["fp"] + 10 * now["fn"] + k) * 1000 / 120)
    share, cost = cost_curve(history, strategy, COSTS, DAY, reviewer=reviewer)
    assert np.interp(np.arange(121) / 120, share, cost) == pytest.approx(tried)
    plan = cheapest_capacity(history, strategy, COSTS, DAY, reviewer=reviewer, replicates=20)
    assert plan.cost is not None
    assert plan.cost_without_review is not None
    assert plan.cost.value == pytest.approx(min(tried))
    assert plan.capacity.value == pytest.approx(int(np.argmin(np.round(tried, 9))) / 120)
    assert plan.cost_without_review.value == pytest.approx(tried[0])


def test_by_hand() -> None:
    """Ten items; the model is wrong about .45 (violates) and .9 (benign)."""
    p = [0.05, 0.1, 0.2, 0.3, 0.45, 0.55, 0.7, 0.8, 0.9, 0.98]
    y = [0, 0, 0, 0, 1, 1, 1, 1, 0, 1]
    history = LabelledHistory.of(p, y)
    plan = capacity_for_target(history, UNCERTAINTY, "oc_accuracy", 0.9, DAY, replicates=20)
    assert plan.capacity.value == pytest.approx(0.2)  # .45 and .55 tie, each reviewed by half: .9 needs both
    both = capacity_for_target(history, TOXICITY, "oc_accuracy", 0.9, DAY, replicates=20)
    assert both.capacity.value == pytest.approx(0.2)
    assert both.reviewers.value == 2  # 200 of 1000 items, a hundred each
    all_right = capacity_for_target(history, TOXICITY, "oc_accuracy", 1.0, DAY, replicates=20)
    assert all_right.capacity.value == pytest.approx(0.6)
    now = cheapest_capacity(history, TOXICITY, COSTS, DAY, replicates=20)
    assert now.cost_without_review is not None
    assert now.cost_without_review.value == pytest.approx((4 + 10) * 100)
    assert now.cost is not None
    assert now.cost.value == pytest.approx(6 * 100)  # six reviews find both errors


def test_a_reviewer_who_errs_more_than_the_model_makes_things_worse() -> None:
    """The model is wrong about one item in twenty, evenly; a reviewer who is wrong about one in ten costs more."""
    p = np.linspace(0.0025, 0.9975, 200)
    history = LabelledHistory.of(p, (p >= 0.5) ^ (np.arange(200) % 20 == 10))
    free = Costs(1, 1, 0)
    good = cheapest_capacity(history, TOXICITY, free, DAY, replicates=20)
    bad = cheapest_capacity(history, TOXICITY, free, DAY, reviewer=Reviewer(0.1, 0.1), replicates=20)
    assert (good.capacity.value, good.reviewers.value) == (0.95, 10.0)
    assert (bad.capacity.value, bad.reviewers.value) == (0.0, 0.0)
    out = capacity_for_target(history, TOXICITY, "oc_accuracy", 0.97, DAY, reviewer=Reviewer(0.1, 0.1), replicates=20)
    assert out.capacity.note == "oc_accuracy does not reach 0.97 at any capacity"


def test_counts_are_repetitions() -> None:
    rng = np.random.default_rng(4)
    p, counts = np.round(rng.random(40), 1), rng.integers(0, 4, 40)
    y = rng.random(40) < p
    once = LabelledHistory.of(p, y, counts=counts)
    repeated = LabelledHistory.of(np.repeat(p, counts), np.repeat(y, counts))
    for strategy in STRATEGIES:
        first, second = (ReviewRoute.for_strategy(h, strategy).path(h.counts) for h in (once, repeated))
        assert first.kinds == pytest.approx(second.kinds)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10), st.booleans()), min_size=2, max_size=40), st.sampled_from(STRATEGIES))
def test_properties_of_the_oracle(rows: list[tuple[int, bool]], strategy) -> None:
    history = LabelledHistory.of([p / 10 for p, _ in rows], [y for _, y in rows])
    path = ReviewRoute.for_strategy(history, strategy).path(history.counts)
    right = path.after() @ np.array([1.0, 0, 0, 1.0])
    assert (np.diff(right) >= -1e-9).all()
    assert right[-1] == pytest.approx(len(rows))
    accuracy = float(np.mean((history.p >= 0.5) == history.y))  # OC-Acc = Acc + α RE
    assert right / len(rows) == pytest.approx(accuracy + path.kinds @ np.array([0, 1.0, 1.0, 0]) / len(rows))


def crossings_by_brute_force(history: LabelledHistory, first, second, n: int) -> list[int]:
    """Whole capacities after which the leader is another one."""
    lead = [
        brute(history, first, k, ORACLE)["wrong"] - brute(history, second, k, ORACLE)["wrong"] for k in range(n + 1)
    ]
    found, sign = [], 0
    for k, value in enumerate(lead):
        if abs(value) > 1e-9:
            if sign and np.sign(value) != sign:
                found.append(k)
            sign = int(np.sign(value))
    return found


@pytest.mark.verify
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_all_crossings_are_found(seed: int) -> None:
    history = drawn(50, seed=seed)
    expected = crossings_by_brute_force(history, UNCERTAINTY, TOXICITY, 50)
    assume(expected)
    found = strategy_crossings(history, UNCERTAINTY, TOXICITY, replicates=20)
    assert [math.floor(c.capacity * 50 + 1e-9) + 1 for c in found.every] == expected
    assert found.main.value in [c.capacity for c in found.every]
    also = strategy_crossings(history, UNCERTAINTY, TOXICITY, measure="oc_accuracy", replicates=20)
    assert [c.capacity for c in also.every] == pytest.approx([c.capacity for c in found.every])


def test_a_planted_crossing_lies_in_its_interval() -> None:
    """Half of the middle tenth is wrong, a fifth above .8, little elsewhere. Uncertainty finds the middle at once;
    toxicity comes to it last, and by then has also found what is above: .045 + .5 x = .057 + .02 x at .45 + x.
    """
    rng = np.random.default_rng(2)
    p = rng.random(4000)
    wrong = np.select([np.abs(p - 0.5) < 0.05, p > 0.8], [0.5, 0.2], 0.02)
    history = LabelledHistory.of(p, (p >= 0.5) ^ (rng.random(4000) < wrong))
    found = strategy_crossings(history, UNCERTAINTY, TOXICITY, replicates=100)
    assert found.leader == "toxicity"
    assert found.main.low < 0.475 < found.main.high
    assert found.main.high - found.main.low < 0.1


def test_strategies_that_never_cross_say_so() -> None:
    history = drawn(50)
    same = strategy_crossings(history, TOXICITY, TOXICITY, replicates=20)
    assert (same.every, same.main.note) == ((), "the two strategies are equal at every capacity")
    p = np.linspace(0.01, 0.99, 99)
    perfect = LabelledHistory.of(p, p > 0.5)
    assert strategy_crossings(perfect, TOXICITY, UNCERTAINTY, replicates=20).main.note is not None  # no errors at all
    upside_down = LabelledHistory.of([0.9, 0.8, 0.1, 0.2], [0, 0, 0, 0])
    ahead = strategy_crossings(upside_down, TOXICITY, UNCERTAINTY, replicates=20)
    assert ahead.main.note == "toxicity is at least as good at every capacity"


def test_no_violations_and_no_errors() -> None:
    benign = LabelledHistory.of([0.1, 0.2, 0.9], [0, 0, 0])
    plan = capacity_for_target(benign, TOXICITY, "oc_recall", 0.9, DAY, replicates=20)
    assert plan.capacity.note == "oc_recall does not reach 0.9 at any capacity"
    perfect = LabelledHistory.of([0.1, 0.2, 0.9], [0, 0, 1])
    plan = capacity_for_target(perfect, TOXICITY, "oc_accuracy", 1.0, DAY, replicates=20)
    assert (plan.capacity.value, plan.reviewers.value) == (0.0, 0.0)
    assert cheapest_capacity(perfect, TOXICITY, COSTS, DAY, replicates=20).capacity.value == 0.0


def test_precision_begins_with_the_first_removal() -> None:
    """Nothing is predicted to violate: precision exists once people have found something."""
    history = LabelledHistory.of([0.1, 0.2, 0.3], [0, 0, 1])
    plan = capacity_for_target(history, TOXICITY, "oc_precision", 0.9, DAY, replicates=20)
    assert plan.capacity.value == pytest.approx(1 / 3)


def test_seeds_make_intervals_repeatable() -> None:
    history = drawn(200)
    runs = [
        capacity_for_target(history, UNCERTAINTY, "oc_accuracy", 0.95, DAY, replicates=50, seed=s) for s in (1, 1, 2)
    ]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_a_supplied_column_plans_too() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(500)
    y = rng.random(500) < p
    history = LabelledHistory.of(p, y, given=(p >= 0.5) != y)  # knows the errors
    plan = capacity_for_target(history, parse_strategy("column:oracle"), "oc_accuracy", 1.0, DAY, replicates=20)
    assert plan.capacity.value == pytest.approx(((p >= 0.5) != y).mean())


def test_bad_input_is_one_line() -> None:
    history = drawn(20)
    for call, said in (
        (lambda: Costs(-1, 1, 1), "the cost 'false_removal' must be a number above 0, not -1"),
        (lambda: Costs(1, math.nan, 1), "not nan"),
        (lambda: Workload(0, 30, 6), "`items_per_day` must be a number above 0, not 0"),
        (lambda: Workload(10, 30, 25), "invalid `hours_per_day`: 25"),
        (lambda: Reviewer(1.2), "a reviewer's error on benign items must be from 0 to 1, not 1.2"),
        (lambda: LabelledHistory.of([], []), "no labelled items"),
        (lambda: LabelledHistory.of([0.1], [1], counts=[0]), "no labelled items"),
        (lambda: LabelledHistory.of([math.nan], [1]), "column 'p', row 1"),
        (lambda: LabelledHistory.of([0.1], [1], threshold=2), "the threshold must be from 0 to 1"),
        (lambda: capacity_for_target(history, TOXICITY, "oc_acuracy", 0.9, DAY), "did you mean 'oc_accuracy'?"),
        (
            lambda: capacity_for_target(history, TOXICITY, "oc_accuracy", 95, DAY),
            "the target must be from 0 to 1, not 95",
        ),
        (
            lambda: capacity_for_target(history, TOXICITY, "oc_recall", 0.9, DAY, replicates=3),
            "an interval needs at least 20",
        ),
        (lambda: capacity_for_target(history, TOXICITY, "oc_recall", 0.9, DAY, level=1), "the level must be between"),
        (
            lambda: strategy_crossings(history, TOXICITY, UNCERTAINTY, measure="oc_f1"),
            "crossings are not known for 'oc_f1'",
        ),
    ):
        with pytest.raises(InputError) as error:
            call()
        assert said in str(error.value)
        assert "\n" not in str(error.value)
