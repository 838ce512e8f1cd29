"""The AUC interval: its variance is DeLong's, it adds four fifths of an unseen item, its edge cases are sane."""

from __future__ import annotations

import numpy as np
import pytest

import brute
from evenhand.intervals import auc
from evenhand.intervals import auc as auc_interval
from evenhand.intervals.influence import (
    AucTerm,
    class_mean_influence,
    group_auc_influence,
    influence_correlation,
    overall_auc_influence,
)
from evenhand.measures import bias
from evenhand.measures.ranking import auroc, average_precision
from evenhand.tally import Classes, Mass, Membership, PlacedRows, Rows, Weights


def placed(seed: int = 0, size: int = 400, *, count=None, inclusion=None, missing: float = 0.3) -> PlacedRows:
    rng = np.random.default_rng(seed)
    label, known = rng.random(size) < 0.4, rng.random(size) >= missing
    inside, other = rng.random(size) < 0.3, rng.random(size) < 0.4
    score = np.round(label + 0.5 * inside + rng.normal(size=size), 1)
    groups = {
        "g": Membership(np.flatnonzero(inside & known).astype(np.int32), known if missing else None),
        "h": Membership(np.flatnonzero(other).astype(np.int32)),
    }
    return PlacedRows.from_rows(score, Rows(label, groups, Weights.from_columns(count=count, inclusion=inclusion)))


def scores_of(where: PlacedRows, which) -> np.ndarray:
    rows = where.rows
    inside = np.zeros(len(rows), dtype=bool)
    inside[rows.groups["g"].rows] = True
    known = rows.groups["g"].annotated
    chosen = (inside == which.inside) & (rows.label == which.violating) & (True if known is None else known)
    return where.scores[where.place[chosen]]


@pytest.mark.parametrize("comparison", bias.COMPARISONS, ids=lambda c: c.name)
def test_variance_is_delong_plus_four_fifths_of_a_confused_item_a_side(comparison: bias.AucComparison) -> None:
    where = placed()
    split = where.tally().split("g")
    value = comparison(split) - comparison.shift
    bounded = auc_interval.split_auc_interval(split, comparison.high, comparison.low, value)
    high, low = scores_of(where, comparison.high), scores_of(where, comparison.low)
    variance = brute.delong_variance(high, low)
    variance += 0.8 * max((value - 0.5) ** 2, 1 / 12) * (len(high) ** -2 + len(low) ** -2)
    added = 0.8 * (1 / len(high) + 1 / len(low))
    shrunk = (value + 0.5 * added) / (1 + added)
    assert bounded.size * shrunk * (1 - shrunk) == pytest.approx(variance, rel=1e-10)


def test_a_count_is_a_repetition_in_the_interval_too() -> None:
    rng = np.random.default_rng(1)
    count = rng.integers(1, 4, 400).astype(float)
    weighted = placed(count=count, missing=0.0)
    repeat = np.repeat(np.arange(400), count.astype(int))
    rows = weighted.rows
    inside = np.zeros(400, dtype=bool)
    inside[rows.groups["g"].rows] = True
    again = PlacedRows.from_rows(
        weighted.scores[weighted.place][repeat],
        Rows(rows.label[repeat], {"g": Membership(np.flatnonzero(inside[repeat]).astype(np.int32))}),
    )
    for c in bias.COMPARISONS:
        ends = []
        for where in (weighted, again):
            split = where.tally().split("g")
            ends.append(auc_interval.split_auc_interval(split, c.high, c.low, c(split) - c.shift).interval(0.95))
        assert ends[0] == pytest.approx(ends[1], abs=1e-12)


def test_perfect_separation_has_a_width() -> None:
    rows = Rows(np.array([False] * 10 + [True] * 10), {})
    for score in (np.arange(20.0), -np.arange(20.0)):
        tally = PlacedRows.from_rows(score, rows).tally()
        low, high = auc_interval.classes_auc_interval(tally.everyone, auroc(tally.everyone)).interval(0.95)
        assert high - low > 0.1


def test_a_constant_score_has_a_width() -> None:
    tally = PlacedRows.from_rows(np.zeros(20), Rows(np.array([False] * 10 + [True] * 10), {})).tally()
    low, high = auc_interval.classes_auc_interval(tally.everyone, 0.5).interval(0.95)
    assert low <= 0.5 <= high


def test_one_item_on_a_side() -> None:
    tally = PlacedRows.from_rows(np.arange(11.0), Rows(np.array([False] * 5 + [True] + [False] * 5), {})).tally()
    low, high = auc_interval.classes_auc_interval(tally.everyone, auroc(tally.everyone)).interval(0.95)
    assert high - low > 0.6


def test_a_census_is_certain() -> None:
    where = placed(inclusion=np.ones(400))
    split = where.tally().split("g")
    for c in bias.COMPARISONS:
        value = c(split) - c.shift
        assert auc_interval.split_auc_interval(split, c.high, c.low, value).interval(0.95) == pytest.approx(
            (value, value)
        )


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("comparison", bias.COMPARISONS, ids=lambda c: c.name)
def test_influence_is_the_derivative(comparison: bias.AucComparison, missing: float) -> None:
    """Give one row a little more weight and see how the number moves."""
    where = placed(missing=missing)
    tally = where.tally()
    splits = {name: tally.split(name) for name in ("g", "h")}
    values = {name: comparison(splits[name]) for name in splits}
    terms = [
        AucTerm(factor, name, comparison.high, comparison.low, values[name] - comparison.shift)
        for name, factor in (("g", 1.0), ("h", -0.6))
    ]
    influence = group_auc_influence(where, tally, terms, splits)
    by_row = influence.rows(where)
    assert influence.variance(where) == pytest.approx(float(by_row @ by_row), rel=1e-10)
    step = 1e-5
    for row in np.random.default_rng(2).integers(0, 400, 25):
        weight = np.ones(400)
        weight[row] += step
        moved = where.with_rows(Rows(where.rows.label, where.rows.groups, Weights(weight, weight, weight))).tally()
        change = (comparison(moved.split("g")) - values["g"]) - 0.6 * (comparison(moved.split("h")) - values["h"])
        assert by_row[row] == pytest.approx(change / step, abs=2e-6)


def test_influence_on_the_whole_and_on_a_rate() -> None:
    where = placed()
    tally = where.tally()
    value = auroc(tally.everyone)
    by_row = overall_auc_influence(where, tally, value).rows(where)
    label = where.rows.label
    plain = brute.delong_variance(where.scores[where.place[label]], where.scores[where.place[~label]])
    m, n = label.sum(), (~label).sum()
    assert by_row @ by_row == pytest.approx(plain, rel=1.0 / min(m, n))  # DeLong divides by m - 1
    rate = tally.flagged(0.5)
    share = rate[where.place[label]].mean()
    trace = class_mean_influence(where, tally, (rate - share) / m, None, violating=True).rows(where)
    assert trace @ trace == pytest.approx(share * (1 - share) / m, rel=1e-9)


def test_influences_on_other_bases_do_not_add() -> None:
    where = placed()
    tally = where.tally()
    one = overall_auc_influence(where, tally, 0.5)
    two = class_mean_influence(where, tally, np.zeros(len(tally.scores)), None, violating=False)
    with pytest.raises(ValueError, match=r"^influences add only on the same base$"):
        one + two


def test_correlation_of_a_number_with_itself_and_with_its_opposite() -> None:
    where = placed()
    tally = where.tally()
    one = overall_auc_influence(where, tally, auroc(tally.everyone))
    assert influence_correlation((where, one), (where, one)) == pytest.approx(1.0)
    assert influence_correlation((where, one), (where, one * -2.0)) == pytest.approx(-1.0)
    assert influence_correlation((where, one), (where, one * 0.0)) == 0.0


@pytest.mark.parametrize("inclusion", [None, np.linspace(0.1, 1.0, 400)], ids=["plain", "weighted"])
def test_influences_add_row_by_row(inclusion) -> None:
    where = placed(9, inclusion=inclusion)
    tally = where.tally()
    everyone = overall_auc_influence(where, tally, auroc(tally.everyone))
    cells = np.linspace(-1.0, 2.0, len(tally.scores)) / 100.0
    mean = class_mean_influence(where, tally, cells, None, violating=True)
    both, twice = everyone + mean * 3.0, mean + mean
    np.testing.assert_allclose(both.rows(where), everyone.rows(where) + 3.0 * mean.rows(where), atol=1e-15)
    np.testing.assert_allclose(twice.rows(where), 2.0 * mean.rows(where), atol=1e-15)
    np.testing.assert_allclose(
        (mean + everyone * -1.0).rows(where), mean.rows(where) - everyone.rows(where), atol=1e-15
    )
    np.testing.assert_allclose(mean.rows(where), np.where(where.rows.label, cells[where.place], 0.0), atol=1e-15)
    weights = where.rows.weights
    spread = np.ones(400) if weights is None else weights.spread
    for one in (both, twice, mean):
        assert one.variance(where) == pytest.approx(float(np.sum(spread * one.rows(where) ** 2)), rel=1e-12)


@pytest.mark.parametrize("violating", [True, False])
@pytest.mark.parametrize("group", ["g", "h"])
def test_the_influence_on_a_group_is_on_its_members_of_one_class(group: str, violating: bool) -> None:
    where = placed(10)
    tally = where.tally()
    cells = np.arange(1.0, len(tally.scores) + 1.0)
    members = np.zeros(400, dtype=bool)
    members[where.rows.groups[group].rows] = True
    expected = np.where(members & (where.rows.label == violating), cells[where.place], 0.0)
    np.testing.assert_array_equal(
        class_mean_influence(where, tally, cells, group, violating=violating).rows(where), expected
    )


@pytest.mark.parametrize("comparison", bias.COMPARISONS, ids=lambda c: f"{c.high.inside}{c.low.inside}{c.shift}")
def test_degrees_of_freedom_are_half_of_satterthwaites(comparison: bias.AucComparison) -> None:
    where = placed(12, size=60)
    split = where.tally().split("g")
    value = comparison(split) - comparison.shift
    bounded = auc_interval.split_auc_interval(split, comparison.high, comparison.low, value)
    high, low = scores_of(where, comparison.high), scores_of(where, comparison.low)
    above = [np.mean((low < s) + 0.5 * (low == s)) for s in high]
    below = [np.mean((high > s) + 0.5 * (high == s)) for s in low]
    terms = [(np.var(part, ddof=1) / len(part)) ** 2 / (0.5 * (len(part) - 1)) for part in (above, below)]
    assert bounded.freedom == pytest.approx(bounded.error**4 / sum(terms), rel=1e-9)


def test_one_item_on_a_side_takes_the_most() -> None:
    label = np.array([True, False, False, False])
    tally = PlacedRows.from_rows(np.array([0.5, 0.1, 0.7, 0.2]), Rows(label, {})).tally()
    bounded = auc_interval.classes_auc_interval(tally.everyone, 2 / 3)
    below = np.var([1.0, 0.0, 1.0], ddof=1) / 3
    unseen = 0.8 * (1 / 12) * (1 + 1 / 9)
    assert bounded.error**2 == pytest.approx(2 / 3 * 1 / 3 + below + unseen)
    half = PlacedRows.from_rows(
        np.array([0.5, 0.1, 0.7, 0.2]), Rows(label, {}, Weights.from_columns(inclusion=np.full(4, 0.5)))
    ).tally()
    weighed = auc_interval.classes_auc_interval(
        half.everyone, 2 / 3
    )  # one item that was not drawn weighs half of the first's
    unseen = 0.8 * (1 / 12) * (1 / 4 + 1 / 36)
    assert weighed.error**2 == pytest.approx(2 / 3 * 1 / 3 * 0.5 + 0.5 * below + unseen)


def heaped(digits: int) -> Classes:
    rng = np.random.default_rng(2)
    label = rng.random(300) < 0.3
    score = np.round(label + rng.normal(size=300), digits)
    grid = np.unique(score)
    counts = [np.array([(score[label == kind] == at).sum() for at in grid], dtype=float) for kind in (True, False)]
    return Classes(*(Mass(count) for count in counts))


@pytest.mark.parametrize("digits", [0, 1, 6])
def test_influence_on_an_average_precision_is_its_derivative(digits: int) -> None:
    """A little more weight on the items of one cell and class moves the area by their influence."""
    classes, tiny = heaped(digits), 1e-6
    found = auc.average_precision_influence(classes)
    before = average_precision(classes)
    for kind in (0, 1):
        masses = [mass.weight for mass in classes]
        for cell in np.flatnonzero(masses[kind])[::7]:
            more = [mass.copy() for mass in masses]
            more[kind][cell] += tiny
            moved = (average_precision(Classes(*(Mass(mass) for mass in more))) - before) / tiny
            assert found[kind][cell] == pytest.approx(moved, abs=1e-6)


def test_influences_cancel() -> None:
    classes = heaped(1)
    total = sum(
        float(mass.weight @ values)
        for mass, values in zip(classes, auc.average_precision_influence(classes), strict=True)
    )
    assert total == pytest.approx(0.0, abs=1e-12)


def test_nothing_is_taken_for_certain() -> None:
    """All found, nothing wrong: as sure as a share of the items that were to be found, and no more."""
    perfect = Classes(Mass(np.array([0.0, 30.0])), Mass(np.array([70.0, 0.0])))
    low, high = auc.average_precision_interval(perfect, 1.0).interval(0.95)
    assert 0.8 < low < 0.95
    assert high == 1.0
    single = Classes(Mass(np.array([0.0, 1.0])), Mass(np.array([70.0, 0.0])))
    assert auc.average_precision_interval(single, 1.0).interval(0.95)[0] < 0.2
