"""The estimates of a period: against a reference written from the definition, and in 500 simulated weeks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from evenhand.store.measured import (
    ADJUDICATED,
    HARMLESS,
    NOT_JUDGEABLE,
    NOT_JUDGED,
    REVIEWER,
    TARGETS,
    VIOLATES,
    MeasuredItems,
)
from evenhand.store.measured_shares import MeasuredPart
from evenhand.store.weeks import WEEK, PeriodAnswer

MEASURES = ("recall", "precision", "prevalence")
Truth = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Draw:
    """Probabilities of the draw and of the panel, by kind of item; what of that holds from the middle of the week."""

    probability: tuple[float, ...] = (0.2,)
    panel: float = 0.15
    later: float = 1.0  # times the probability
    later_panel: float = 0.15
    shares: tuple[float, ...] = (1.0,)  # of the kinds among items
    prevalence: tuple[float, ...] = (1.0,)  # times that of all

    def of_items(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Probability of the draw and of the panel, and times the prevalence, for each item."""
        kind, late = rng.choice(len(self.shares), n, p=self.shares), np.arange(n) >= n // 2
        probability = np.array(self.probability)[kind] * np.where(late, self.later, 1.0)
        return probability, np.where(late, self.later_panel, self.panel), np.array(self.prevalence)[kind]


PLAIN = Draw()
VARIED = Draw((0.3, 0.12, 0.05), 0.1, 1.5, 0.25, (0.3, 0.4, 0.3), (2.5, 0.9, 0.3))
SPARSE = Draw((0.25, 0.02), 0.15, 1.0, 0.15, (0.998, 0.002), (1.0, 5.0))  # hardly anything of the second kind is drawn


def week(
    rng: np.random.Generator, n: int, *, prevalence: float, capacity: int, slots: float, draw: Draw = PLAIN
) -> tuple[MeasuredItems, Truth, dict[str, float]]:
    """A policy that scores a group higher, reviewers who err by class and group, and a capacity that may not suffice.

    A fifth of the drawn items is judged early, before the random order gets to them.
    """
    probability, panel_probability, factor = draw.of_items(rng, n)
    group = rng.random(n) < 0.2
    truth = rng.random(n) < prevalence * factor * np.where(group, 1.5, 1.0)
    score = 1.0 / (1.0 + np.exp(2.6 - 1.4 * (rng.normal(size=n) + 1.8 * truth + 0.5 * group)))
    error = rng.random(n)
    verdicts = np.where(truth, error < np.where(group, 0.75, 0.88), error >= np.where(group, 0.97, 0.985))
    removed, queued = score >= 0.9, (score >= 0.2) & (score < 0.9)
    place = np.argsort(-np.where(queued, score * (1.0 - score), -1.0))
    reached = np.zeros(n, dtype=bool)
    reached[place[: min(capacity, int(queued.sum()))]] = True
    drawn, order = rng.random(n) < probability, rng.random(n)
    judged = reached | (drawn & ((order < slots) | (np.arange(n) < n // 5)))
    panel = drawn & (rng.random(n) < panel_probability)
    items = MeasuredItems(
        removed_unseen=removed, reached=reached, verdict=np.where(judged, verdicts, NOT_JUDGED).astype(np.int64),
        drawn=drawn, probability=probability, order=order, panel=panel, panel_probability=panel_probability,
        panel_verdict=np.where(panel & judged, truth, NOT_JUDGED).astype(np.int64),
    )  # fmt: skip
    out = removed | (reached & verdicts)
    target = {
        name: {"recall": (out & t).sum() / t.sum(), "precision": (out & t).sum() / out.sum(), "prevalence": t.mean()}
        for name, t in zip(TARGETS, (verdicts, truth), strict=True)
    }
    looked_at = reached | removed
    naive = {
        "prevalence": verdicts[reached].mean(),
        "recall": (out & verdicts & looked_at).sum() / (verdicts & looked_at).sum(),
        "precision": verdicts[reached & out].mean(),
    }
    return items, target, naive


def simulate(weeks: int, n: int, draws: Sequence[Draw] = (PLAIN,)) -> dict[tuple[str, str], np.ndarray]:
    """Error of the estimate, whether the interval covers, and error of the naive figure, by target and measure."""
    rng, found = np.random.default_rng(20261116), dict[tuple[str, str], list[tuple[float, float, float]]]()
    for number in range(weeks):
        prevalence, capacity = 0.05 + 0.02 * np.sin(number / 20), int(rng.choice([n // 25, n // 10, n]))
        items, truth, naive = week(rng, n, prevalence=prevalence, capacity=capacity, slots=rng.uniform(0.6, 1.2),
                                   draw=draws[number % len(draws)])  # fmt: skip
        for target in TARGETS:
            for name, estimate in items.estimates(target).items():
                if name in MEASURES and estimate.value is not None:
                    true = truth[target][name]
                    covered = estimate.low <= true <= estimate.high
                    found.setdefault((target, name), []).append((estimate.value - true, covered, naive[name] - true))
    return {key: np.array(rows, dtype=float) for key, rows in found.items()}


def check(results: dict[tuple[str, str], np.ndarray], weeks: int, *, coverage: float) -> None:
    assert set(results) == {(target, name) for target in TARGETS for name in MEASURES}
    for key, rows in results.items():
        assert len(rows) > 0.85 * weeks, key
        error = rows[:, 0].std() / np.sqrt(len(rows))
        assert abs(rows[:, 0].mean()) < 3.0 * error, (key, rows[:, 0].mean() / error)
        assert rows[:, 1].mean() >= coverage, (key, rows[:, 1].mean())
        naive = rows[:, 2].std() / np.sqrt(len(rows))
        assert abs(rows[:, 2].mean()) > 8.0 * naive, f"the naive {key} is not wrong here"


SHAPES = {"one probability": (PLAIN,), "several, and another policy from midweek": (VARIED,), "a rare kind": (SPARSE,)}


@pytest.mark.parametrize("shape", SHAPES)
def test_some_weeks_are_estimated_without_bias(shape: str) -> None:
    check(simulate(36, 40_000, SHAPES[shape]), 36, coverage=0.8)


@pytest.mark.verify
def test_five_hundred_weeks_are_estimated_without_bias_and_covered() -> None:
    check(simulate(500, 60_000, (VARIED, PLAIN, VARIED, SPARSE)), 500, coverage=0.93)


def reference(items: MeasuredItems) -> dict[str, float]:
    """Item by item, from the definition: reviewed items count once, sampled ones for N / n of their kind."""
    waiting = [
        items.order[i]
        for i in range(len(items.order))
        if items.drawn[i] and not items.reached[i] and items.verdict[i] == NOT_JUDGED
    ]
    frontier = min(waiting, default=np.inf)
    weight, removed = {}, {}
    for kind in (True, False):
        unseen = [i for i in range(len(items.order)) if not items.reached[i] and items.removed_unseen[i] == kind]
        sampled = [i for i in unseen if items.drawn[i] and items.order[i] < frontier and items.verdict[i] >= 0]
        weight |= {i: len(unseen) / len(sampled) for i in sampled}
        removed |= dict.fromkeys(sampled, kind)
    for i in np.flatnonzero(items.reached):
        if items.verdict[i] >= 0:
            weight[i], removed[i] = 1.0, items.verdict[i] == VIOLATES
    violating = {i for i in weight if items.verdict[i] == VIOLATES}
    out = {i for i in weight if removed[i]}
    total = {name: sum(weight[i] for i in part) for name, part in
             {"all": set(weight), "violating": violating, "out": out, "both": out & violating}.items()}  # fmt: skip
    return {
        "recall": total["both"] / total["violating"],
        "precision": total["both"] / total["out"],
        "prevalence": total["violating"] / total["all"],
    }


def adjudicated_reference(items: MeasuredItems) -> float:
    """Prevalence by the panel, each of its verdicts by the inverse of its probability; every drawn item is judged."""
    weight = 1.0 / (items.probability * items.panel_probability)
    answered = items.panel_verdict >= 0
    return float(weight[answered & (items.panel_verdict == VIOLATES)].sum() / weight[answered].sum())


def test_panel_verdicts_count_by_the_inverse_of_their_probability() -> None:
    items, truth, _ = week(np.random.default_rng(11), 400_000, prevalence=0.08, capacity=9000, slots=1.2, draw=VARIED)
    value = items.estimates(ADJUDICATED)["prevalence"].value
    assert value == pytest.approx(adjudicated_reference(items), rel=0.05)
    assert value == pytest.approx(truth[ADJUDICATED]["prevalence"], rel=0.05)
    unweighted = (items.panel_verdict == VIOLATES).sum() / (items.panel_verdict >= 0).sum()
    assert unweighted > 1.3 * truth[ADJUDICATED]["prevalence"]  # what is drawn more often violates more often


def test_a_kind_with_hardly_any_judgement_does_not_spoil_the_weights_of_the_others() -> None:
    """Items of three kinds; of the last so few that one is judged, by hand."""
    n = 6000
    kind = np.repeat([0, 1, 2], [2900, 3000, 100])
    probability = np.array([0.5, 0.1, 0.02])[kind]
    violates = (np.arange(n) % 10 < np.array([5, 1, 1])[kind]).astype(np.int64)
    drawn = np.zeros(n, dtype=bool)
    for first, size, every in ((0, 2900, 2), (2900, 3000, 10)):
        drawn[first : first + size : every] = True
    drawn[5900] = True
    violates[2900:5900] = np.arange(3000) // 10 % 10 == 0  # a tenth of those that are drawn, too
    none = np.zeros(n, dtype=bool)
    items = MeasuredItems(
        removed_unseen=none, reached=none, verdict=np.where(drawn, violates, NOT_JUDGED), drawn=drawn,
        probability=probability, order=np.linspace(0.0, 0.9, n), panel=none, panel_probability=np.full(n, 0.1),
        panel_verdict=np.full(n, NOT_JUDGED),
    )  # fmt: skip
    part = MeasuredPart(~none, none, drawn, items.verdict, probability)
    own = {0: violates[drawn & (kind == 0)].mean(), 1: 0.1}
    merged = (violates[drawn & (kind > 0)] / probability[drawn & (kind > 0)]).sum()
    merged /= (1.0 / probability[drawn & (kind > 0)]).sum()
    weights = 1.0 / probability[drawn & (kind > 0)]
    merged += (weights**2 * (violates[drawn & (kind > 0)] - merged)).sum() / weights.sum() ** 2
    assert part.reviewer_share().value == pytest.approx((2900 * own[0] + 3100 * merged) / n, abs=1e-12)


def test_items_that_no_panel_could_get_leave_the_adjudicated_target_unknown() -> None:
    items, _, _ = week(np.random.default_rng(3), 9000, prevalence=0.1, capacity=900, slots=1.2)
    half = np.where(np.arange(9000) < 4500, 0.0, items.panel_probability)
    estimates = MeasuredItems(**{**vars(items), "panel_probability": half}).estimates(ADJUDICATED)
    assert "could not come before the panel" in str(estimates["recall"].note)


@pytest.mark.parametrize("seed", range(5))
def test_estimates_are_those_of_the_reference(seed: int) -> None:
    items, _, _ = week(np.random.default_rng(seed), 3000, prevalence=0.15, capacity=300, slots=0.7)
    items.verdict[::37] = np.where(items.verdict[::37] >= 0, NOT_JUDGEABLE, items.verdict[::37])
    pools = replace(items.pools(REVIEWER), corrected=False)  # of the bias of a ratio, which the definition has
    for name, value in reference(items).items():
        assert pools.estimate(name).value == pytest.approx(value, abs=1e-12)
        assert items.estimates(REVIEWER)[name].value == pytest.approx(value, abs=0.02)


def test_a_panel_that_agrees_with_reviewers_changes_no_value() -> None:
    items, _, _ = week(np.random.default_rng(3), 90_000, prevalence=0.1, capacity=9000, slots=1.2)
    agreeing = np.where(items.panel_verdict >= 0, items.verdict, NOT_JUDGED)
    same = MeasuredItems(**{**vars(items), "panel_verdict": agreeing})
    plain = [replace(same.pools(target), corrected=False) for target in TARGETS]
    for name in MEASURES:
        assert plain[0].estimate(name).value == pytest.approx(plain[1].estimate(name).value, abs=1e-12)


def test_what_nobody_could_judge_bounds_the_values() -> None:
    items, _, _ = week(np.random.default_rng(4), 5000, prevalence=0.15, capacity=500, slots=1.2)
    unclear = np.flatnonzero(items.verdict >= 0)[::9]
    items.verdict[unclear] = NOT_JUDGEABLE
    low, high = items.bounds("prevalence")
    value = items.estimates()["prevalence"].value
    assert low is not None
    assert high is not None
    assert low < value < high
    items.verdict[unclear] = HARMLESS
    assert items.estimates()["prevalence"].value == pytest.approx(low)


def test_bounds_are_in_the_records_for_every_measure_and_target() -> None:
    items, _, _ = week(np.random.default_rng(4), 60_000, prevalence=0.15, capacity=6000, slots=1.2)
    (plain,) = {record["not_judgeable"] for record in PeriodAnswer(0, WEEK, items).records(0.95)}
    assert plain == 0
    assert all(one["least"] == one["value"] == one["largest"] for one in PeriodAnswer(0, WEEK, items).records(0.95))
    unclear = np.flatnonzero(items.verdict >= 0)[::9]
    items.verdict[unclear] = NOT_JUDGEABLE
    records = PeriodAnswer(0, WEEK, items).records(0.95)
    assert len(records) == 6
    for record in records:
        assert record["least"] <= record["value"] <= record["largest"], record
        assert record["least"] < record["largest"], record
        assert record["not_judgeable"] == items.not_judgeable > 0
        assert (record["least"], record["largest"]) == items.bounds(record["measure"], record["slice"]["target"])


def test_too_few_judgements_say_so() -> None:
    items, _, _ = week(np.random.default_rng(5), 400, prevalence=0.1, capacity=40, slots=0.0)
    nobody = MeasuredItems(**{**vars(items), "verdict": np.where(items.reached, items.verdict, NOT_JUDGED)})
    assert nobody.estimates()["recall"].note == "fewer than two drawn items were judged: pool several periods"
