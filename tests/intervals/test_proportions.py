"""Wilson's form: the interval inverts the test, values beside SciPy's, and differences worked by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import binomtest, chi2_contingency, fisher_exact, norm

from evenhand.intervals.proportions import WilsonInterval, p_equal_shares, wilson
from evenhand.intervals.significance import p_value_from_interval, student_quantile
from evenhand.measures import rates
from evenhand.tally import Amount, Confusion


def counts(part: int, whole: int) -> WilsonInterval:
    return wilson(Amount(part, part, part), Amount(whole - part, whole - part, whole - part))


def test_wilson_of_counts() -> None:
    """Method 3 of Newcombe 1998 (Statistics in Medicine 17:857), and what SciPy makes of the same counts."""
    for part, whole, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        found = counts(part, whole).interval(0.95)
        assert found == pytest.approx((low, high), abs=5e-5)
        theirs = binomtest(part, whole).proportion_ci(method="wilson")
        assert found == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@pytest.mark.parametrize("level", [0.95, 0.9995])
@pytest.mark.parametrize(("part", "whole"), [(0, 12), (1, 30), (4, 32), (81, 263), (30, 30)])
def test_tails_are_exact(part: int, whole: int, level: float) -> None:
    expected = binomtest(part, whole).proportion_ci(level, method="exact")
    assert counts(part, whole).tail_interval(level) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_tails_hold_where_wilsons_do_not() -> None:
    """Thirty-two items, one in 44 of them flagged: the chance that the interval is above the truth."""
    for method, most in ((WilsonInterval.tail_interval, 0.00025), (WilsonInterval.interval, 0.01)):
        above = [k for k in range(33) if method(counts(k, 32), 0.9995)[0] > 1 / 44]
        assert stats.binom.pmf(above, 32, 1 / 44).sum() <= most
    assert stats.binom.pmf(above, 32, 1 / 44).sum() > 0.005


def test_tails_under_a_design_allow_for_the_variance_that_was_estimated() -> None:
    plain, estimated = WilsonInterval(0.1, 0.01), WilsonInterval(0.1, 0.01, freedom=5.0)
    low, high = estimated.tail_interval(0.99)
    assert low < plain.tail_interval(0.99)[0]
    assert high > plain.tail_interval(0.99)[1]
    assert WilsonInterval(0.1, 0.0).tail_interval(0.99) == (0.1, 0.1)


def test_difference_of_counts() -> None:
    """Method 10 of Newcombe 1998 (Statistics in Medicine 17:873), worked by hand from two Wilson intervals each."""
    for a, m, b, n, low, high in (
        (56, 70, 48, 80, 0.0524, 0.3339),
        (9, 10, 3, 10, 0.1705, 0.8090),
        (10, 10, 0, 10, 0.6075, 1.0),
    ):
        assert counts(a, m).square_and_add(counts(b, n), 0.95) == pytest.approx((low, high), abs=5e-5)


@given(st.floats(0.0, 1.0), st.floats(1e-6, 1.0), st.floats(2.0, 1e6), st.floats(0.01, 0.99))
def test_interval_and_test_agree(value: float, size: float, freedom: float, null: float) -> None:
    bounded = WilsonInterval(value, size, freedom)
    low, high = bounded.interval(0.95)
    assert 0.0 <= low <= value <= high <= 1.0
    p_value = bounded.p_value(null)
    if abs(p_value - 0.05) > 1e-6:
        assert (low <= null <= high) == (p_value > 0.05)


def test_quantiles() -> None:
    assert student_quantile(0.95) == pytest.approx(norm.ppf(0.975), abs=1e-9)
    assert student_quantile(0.95, 9.0) == pytest.approx(2.262157, abs=1e-6)


def test_certainty() -> None:
    """A census has no spread: the interval is the value, and any other value is impossible."""
    sure = WilsonInterval(0.3, 0.0)
    assert sure.interval(0.95) == (0.3, 0.3)
    assert sure.p_value(0.3) == 1.0
    assert sure.p_value(0.4) == 0.0
    assert p_equal_shares(sure, WilsonInterval(0.3, 0.0)) == 1.0
    assert p_equal_shares(sure, WilsonInterval(0.3, 0.01)) == 1.0
    assert p_equal_shares(sure, WilsonInterval(0.31, 0.0)) == 0.0


def test_correlation_narrows_a_difference() -> None:
    first, second = WilsonInterval(0.8, 0.01), WilsonInterval(0.7, 0.01)
    widths = [math.dist(*([end] for end in first.square_and_add(second, 0.95, r))) for r in (0.0, 0.5, 0.9)]
    assert widths == sorted(widths, reverse=True)


def test_a_difference_counts_the_scatter_of_both() -> None:
    one, two = WilsonInterval(0.8, 0.01), WilsonInterval(0.7, 0.02)
    expected = 2 * norm.sf(0.1 / math.sqrt(0.7 * 0.3 * 0.03))
    assert one.p_difference(two) == pytest.approx(expected, rel=1e-9)
    assert one.p_difference(WilsonInterval(0.8 + 1e-15, 0.0)) == 1.0


def test_p_from_interval() -> None:
    assert p_value_from_interval(0.196, 0.0, 0.4, 0.95) == pytest.approx(0.05, abs=1e-3)
    assert p_value_from_interval(-0.5, -0.6, -0.4, 0.95) < 1e-6
    assert p_value_from_interval(0.0, -0.1, 0.1, 0.95) == 1.0


def test_equal_shares_large_counts() -> None:
    """The chi-square test of a 2 × 2 table with Yates' correction: 150/1000 against 300/1200."""
    p = p_equal_shares(counts(150, 1000), counts(300, 1200))
    assert p == pytest.approx(chi2_contingency([[150, 850], [300, 900]]).pvalue, abs=1e-12)
    assert p_equal_shares(counts(150, 1000), counts(150, 1000)) == 1.0


@pytest.mark.parametrize(("a", "m", "b", "n"), [(3, 12, 1, 40), (12, 12, 30, 40), (0, 15, 0, 9), (7, 64, 6, 576)])
def test_equal_shares_small_counts(a: int, m: int, b: int, n: int) -> None:
    """Fisher's exact test: twice its smaller one-sided p-value."""
    tails = [fisher_exact([[a, m - a], [b, n - b]], alternative=side).pvalue for side in ("less", "greater")]
    assert p_equal_shares(counts(a, m), counts(b, n)) == pytest.approx(min(1.0, 2 * min(tails)), abs=1e-10)


def test_design_share() -> None:
    """The variance of a ratio, Σ w²(1 − π)(y − p)² / W², and one heavy item of the rarer kind that was not drawn."""
    part, rest = Amount(30.0, 80.0, 10.0, 4.0), Amount(70.0, 200.0, 20.0, 3.0)
    share = wilson(part, rest)
    variance = (80.0 * 0.7**2 + 200.0 * 0.3**2) / 100.0**2 + (0.3 - 1.0) ** 2 * 0.04**2
    moved = (0.3 + 0.04) / 1.04
    assert share.size == pytest.approx(variance / (moved * (1 - moved)), rel=1e-12)


def test_an_outcome_nobody_saw_is_not_impossible() -> None:
    """Equal weights of 5: as sure as the 20 items that were drawn, less what is known of the finite population."""
    seen, unseen = Amount(100.0, 20 * 25 * 0.8, 20.0, 4.0), Amount(0.0, 0.0, 0.0, 0.0)
    assert wilson(seen, unseen).size == pytest.approx(0.8 / 20, rel=0.1)
    census = Amount(100.0, 0.0, 100.0, 0.0)
    assert wilson(census, unseen).interval(0.95) == (1.0, 1.0)


def test_a_share_at_its_end_has_no_size() -> None:
    assert WilsonInterval.from_variance(0.0, 0.01).size == WilsonInterval.from_variance(1.0, 0.01).size == 0.0
    assert WilsonInterval.from_variance(0.0, 0.01, shift=0.5).size == pytest.approx(0.04)


def test_fishers_test_where_one_sample_is_much_smaller() -> None:
    """10 of 100 beside 1 of 3: of the eleven, at least eight are in the first sample, however they fall."""
    tails = stats.hypergeom(103, 11, 100)
    expected = min(1.0, 2.0 * min(tails.cdf(10), tails.sf(9)))
    assert p_equal_shares(WilsonInterval(0.1, 0.01), WilsonInterval(1 / 3, 1 / 3)) == pytest.approx(expected, rel=1e-9)


def test_equal_shares_are_tested_by_the_rarer_outcome() -> None:
    for hits in ((3, 9), (27, 21)):
        tails = stats.hypergeom(60, sum(hits), 30)
        expected = min(1.0, 2 * min(tails.cdf(hits[0]), tails.sf(hits[0] - 1)))
        assert p_equal_shares(
            WilsonInterval(hits[0] / 30, 1 / 30), WilsonInterval(hits[1] / 30, 1 / 30)
        ) == pytest.approx(expected)


def test_an_item_of_the_part_that_was_not_drawn_is_of_the_usual_weight_there() -> None:
    """Every flagged benign item was labelled, and one in twenty of the others: one more could not be flagged."""
    flagged, left = Amount(20.0, 0.0, 20.0, heaviest=0.0), Amount(4000.0, 76_000.0, 200.0, heaviest=19.0)
    anywhere, on_its_side = (wilson(flagged, left, unseen).interval(0.95) for unseen in (None, (0.0, 19.0)))
    assert (anywhere[1] - anywhere[0]) > 3.0 * (on_its_side[1] - on_its_side[0])
    error = 20.0 * math.sqrt(76_000.0) / 4020.0**2
    assert on_its_side[1] - on_its_side[0] == pytest.approx(2.0 * 1.96 * error, rel=0.05)


def test_nothing_drawn_on_a_side_says_nothing_of_its_weights() -> None:
    none, some = Amount(0.0, 0.0, 0.0, heaviest=0.0), Amount(4000.0, 76_000.0, 200.0, heaviest=19.0)
    assert rates.fpr(Confusion(none, some, none, some)).unseen() == (some.heaviest, some.spread / some.weight)
