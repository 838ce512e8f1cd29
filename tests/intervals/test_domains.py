"""Shares of parts that were not drawn apart: the formula by loops, the stratified estimate, and whether they cover."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evenhand.errors import InputError, Undefined
from evenhand.intervals.domains import WeightedSample
from evenhand.intervals.survey_estimators import StratifiedSample, hajek

SIZES, COUNTS = np.array([1000, 500, 20, 30]), np.array([50, 60, 20, 2])
STRATA = np.repeat(np.arange(4), COUNTS)
INCLUSION = (COUNTS / SIZES)[STRATA]


def labels(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).random(len(STRATA)) < 0.1 * (1 + STRATA)


def brute(part: np.ndarray, whole: np.ndarray) -> tuple[float, float]:
    """The ratio and its variance made linear, stratum by stratum."""
    weight = 1.0 / INCLUSION
    above = sum(w for w, inside in zip(weight, part, strict=True) if inside)
    below = sum(w for w, inside in zip(weight, whole, strict=True) if inside)
    value, variance = above / below, 0.0
    for stratum in range(4):
        own = [i for i in range(len(STRATA)) if STRATA[i] == stratum]
        rest = [weight[i] * (part[i] - value * whole[i]) / below for i in own]
        mean = sum(rest) / len(rest)
        spread = sum((z - mean) ** 2 for z in rest) / (len(rest) - 1)
        variance += len(rest) * (1.0 - len(rest) / SIZES[stratum]) * spread
    return value, variance


def test_a_part_is_a_ratio_whose_variance_keeps_the_strata() -> None:
    bad, inside = labels(), np.random.default_rng(1).random(len(STRATA)) < 0.5
    figure = WeightedSample.from_inclusion(INCLUSION, STRATA).share(bad, inside)
    value, variance = brute(bad & inside, inside)
    assert figure.value == pytest.approx(value, rel=1e-12)
    assert figure.variance == pytest.approx(variance, rel=1e-9)
    assert (figure.n, figure.hits) == (inside.sum(), (bad & inside).sum())


@pytest.mark.parametrize("seed", range(5))
def test_the_whole_is_the_stratified_estimate(seed: int) -> None:
    bad, everything = labels(seed), np.ones(len(STRATA), dtype=bool)
    ours = WeightedSample.from_inclusion(INCLUSION, STRATA).share(bad, everything)
    theirs = StratifiedSample.from_values(bad, STRATA, SIZES).figure()
    for name in ("value", "variance", "freedom", "n", "hits", "heaviest"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name), rel=1e-12), name


def test_without_strata_it_is_hajeks() -> None:
    bad, everything = labels(), np.ones(len(STRATA), dtype=bool)
    ours, theirs = WeightedSample.from_inclusion(INCLUSION).share(bad, everything), hajek(bad, INCLUSION)
    assert (ours.value, ours.variance) == pytest.approx((theirs.value, theirs.variance), rel=1e-12)
    assert ours.heaviest == pytest.approx(theirs.heaviest)


def test_a_census_has_the_intervals_of_proportions() -> None:
    bad, everything = labels(), np.ones(len(STRATA), dtype=bool)
    figure, p = WeightedSample.counted(len(bad)).share(bad, everything), bad.mean()
    assert figure.variance == pytest.approx(p * (1 - p) / len(bad))
    assert figure.heaviest == pytest.approx(1 / len(bad))


def test_what_was_drawn_for_certain_is_certain() -> None:
    bad = labels()
    assert WeightedSample.from_inclusion(np.ones(len(bad))).share(bad, np.ones_like(bad)).estimate().method == "exact"


def test_strata_that_are_each_alike_leave_no_rounding_for_a_variance() -> None:
    bad = STRATA == 1
    figure = WeightedSample.from_inclusion(INCLUSION, STRATA).share(bad, np.ones_like(bad))
    assert figure.variance == 0.0
    assert figure.estimate().low < figure.value < figure.estimate().high


def test_order_does_not_matter() -> None:
    bad, inside = labels(), np.random.default_rng(1).random(len(STRATA)) < 0.5
    order = np.random.default_rng(2).permutation(len(bad))
    one = WeightedSample.from_inclusion(INCLUSION, STRATA).share(bad, inside)
    other = WeightedSample.from_inclusion(INCLUSION[order], STRATA[order]).share(bad[order], inside[order])
    assert (one.value, one.variance) == pytest.approx((other.value, other.variance), rel=1e-12)


def test_a_known_size_that_the_labels_say_anyway_changes_nothing() -> None:
    bad, everything = labels(), np.ones(len(STRATA), dtype=bool)
    design = WeightedSample.from_inclusion(INCLUSION, STRATA)
    known, not_known = design.share(bad, everything, items=float(SIZES.sum())), design.share(bad, everything)
    assert (known.value, known.variance) == pytest.approx((not_known.value, not_known.variance), rel=1e-9)


def test_strata_that_lie_inside_as_a_whole_close_a_part() -> None:
    design = WeightedSample.from_inclusion(INCLUSION, STRATA)
    assert design.closed(STRATA < 2)
    assert not design.closed(labels())
    assert not WeightedSample.from_inclusion(INCLUSION).closed(STRATA < 2)


def test_a_part_of_known_size_is_surer_and_covers() -> None:
    """One item in ten, of which a large stratum with few labels says little: 1,500 seeded samples."""
    rng, size = np.random.default_rng(5), np.array([20_000, 1_000])
    bad = np.array([40, 300])  # violating in each stratum, a tenth of them of the community
    counts, draws, held, wide = np.array([100, 300]), 1500, [0, 0], [0.0, 0.0]
    kinds = np.stack([bad / 10, bad * 0.9, (size - bad) / 10, (size - bad) * 0.9], axis=1).astype(int)
    truth = kinds[:, 0].sum() / (kinds[:, 0] + kinds[:, 2]).sum()
    for _ in range(draws):
        drawn = np.stack([rng.multivariate_hypergeometric(kind, n) for kind, n in zip(kinds, counts, strict=True)])
        row = np.repeat(np.arange(8), drawn.reshape(-1))
        stratum, violating, inside = row // 4, row % 4 < 2, row % 2 == 0
        design = WeightedSample.from_inclusion((counts / size)[stratum], stratum)
        everything = np.ones_like(inside)
        for number, items in enumerate((None, float(size.sum() / 10))):
            found = design.share(violating, inside, items=items, like=everything).estimate()
            held[number] += found.low <= truth <= found.high
            wide[number] += found.high - found.low
    assert all(0.935 <= count / draws <= 1.0 for count in held), held
    assert wide[1] < 0.9 * wide[0]


def test_bad_designs_are_refused() -> None:
    with pytest.raises(InputError, match="above 0"):
        WeightedSample.from_inclusion([0.0, 0.5])
    with pytest.raises(InputError, match=r"^stratum 1 has items of different inclusion probabilities$"):
        WeightedSample.from_inclusion([0.1, 0.5], [0, 0])
    with pytest.raises(Undefined, match=r"^a stratum has a single label, so its variance is unknown$"):
        WeightedSample.from_inclusion([0.1, 0.1, 0.5], [0, 0, 1])
    with pytest.raises(Undefined, match=r"^no item was labelled$"):
        WeightedSample.from_inclusion([0.1, 0.1]).share(np.array([True, False]), np.array([False, False]))
    assert math.isinf(
        WeightedSample.from_inclusion([1.0, 0.5, 0.5], [0, 1, 1]).share(np.zeros(3, bool), np.ones(3, bool)).freedom
    )


@pytest.mark.parametrize("items", [None, 700.0])
def test_the_cautious_variance_takes_a_part_for_the_same_share_of_every_stratum(items: float | None) -> None:
    """An item of a stratum is in the part by chance, and violates as its like does: the variance of one such item."""
    rng = np.random.default_rng(3)
    bad, like = labels(), rng.random(len(STRATA)) < 0.8
    inside = like & (rng.random(len(STRATA)) < 0.3) & (STRATA > 0)  # the largest stratum happens to show none of it
    design, weight = WeightedSample.from_inclusion(INCLUSION, STRATA), 1.0 / INCLUSION
    figure = design.share(bad, inside, items=items, like=like)
    size = weight[inside].sum() if items is None else items
    scatter = [w * (w - 1.0) * near for w, near in zip(weight, like, strict=True)]
    centre = sum(s for s, y in zip(scatter, bad, strict=True) if y) / sum(scatter)
    if items is None:
        centre = weight[inside & bad].sum() / size
    expected = 0.0
    for stratum in range(4):
        own = stratum == STRATA
        near = own & like
        part = weight[inside].sum() / weight[like].sum() * near.sum() / own.sum()
        rate = (near & bad).sum() / max(near.sum(), 1)
        first = part * (rate * (1.0 - centre) + (1.0 - rate) * (0.0 - centre))
        second = part * (rate * (1.0 - centre) ** 2 + (1.0 - rate) * centre**2)
        expected += (second - first**2) * sum(w * (w - 1.0) for w in weight[own])
    assert figure.cautious_variance == pytest.approx(expected / size**2, rel=1e-9)
    told = weight[inside & bad].sum() + centre * (size - weight[inside].sum())
    assert figure.value == pytest.approx(told / size, rel=1e-12)


def test_columns_are_named() -> None:
    for chance, strata, said in (
        ([0.5, 1.2], None, "column 'inclusion', row 2: an inclusion probability lies above 0 and up to 1"),
        ([0.5, np.nan], None, "column 'inclusion', row 2: the value is missing or not finite"),
        ([0.5, 0.5], [0], "column 'strata': there are 1 values for 2 items"),
        ([0.5, 0.5, 0.1, 0.2], [0, 0, 1, 1], "stratum 2 has items of different inclusion probabilities"),
    ):
        with pytest.raises(InputError) as raised:
            WeightedSample.from_inclusion(chance, strata)
        assert str(raised.value) == said
    assert WeightedSample.from_inclusion([1.0, 0.5]).total(np.array([True, True])) == 3.0
