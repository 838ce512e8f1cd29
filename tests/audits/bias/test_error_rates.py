"""Error rates beside everyone else's: the numbers by counting, intervals that hold together, and the three verdicts."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.audits.bias.error_rates import by_harm, error_rate_verdicts
from evenhand.audits.group_words import ErrorRate
from evenhand.audits.tolerance import Comparison, compare
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.finding import Finding
from evenhand.intervals.mover import mover_ratio


def made(seed: int = 0, rows: int = 4000, shift: float = 1.0, groups: int = 3) -> pl.DataFrame:
    """Groups g0, g1, …; benign items of g0 score higher."""
    rng = np.random.default_rng(seed)
    label = rng.random(rows) < 0.3
    members = {f"g{n}": rng.random(rows) < 0.2 for n in range(groups)}
    logit = rng.normal(0, 1, rows) + 2.0 * (label - 0.5) + shift * (members["g0"] & ~label)
    return pl.DataFrame({"p": 1 / (1 + np.exp(-logit)), "toxic": label, **members})


def audited(frame: pl.DataFrame, **settings: object) -> Finding:
    groups = [column for column in frame.columns if column.startswith("g")]
    options = {"audits": "bias", **settings}
    (finding,) = eh.audit(frame, score="p", label="toxic", groups=groups, **options).findings  # type: ignore[arg-type]
    return finding


def counted(frame: pl.DataFrame, group: str, rate: ErrorRate) -> tuple[float, float]:
    """The rate in the group and outside it, by counting rows."""
    wrong = pl.col("p") >= 0.5 if rate is ErrorRate.FALSE_POSITIVE else pl.col("p") < 0.5
    rows = frame.filter(pl.col("toxic") == (rate is ErrorRate.FALSE_NEGATIVE)).with_columns(wrong=wrong)
    return rows.filter(group)["wrong"].mean(), rows.filter(~pl.col(group))["wrong"].mean()  # type: ignore[return-value]


SHORT = {ErrorRate.FALSE_POSITIVE: "fpr", ErrorRate.FALSE_NEGATIVE: "fnr"}


@pytest.mark.parametrize("rate", list(ErrorRate))
def test_ratio_and_difference_are_those_of_the_rows(rate: ErrorRate) -> None:
    frame = made()
    finding = audited(frame)
    for group in ("g0", "g1", "g2"):
        inside, outside = counted(frame, group, rate)
        assert finding.get(f"{SHORT[rate]}_ratio", group=group).value == pytest.approx(inside / outside, abs=1e-12)
        assert finding.get(f"{SHORT[rate]}_difference", group=group).value == pytest.approx(inside - outside, abs=1e-12)
        (verdict,) = [v for v in error_rate_verdicts(finding, {}, [group]) if v.rate is rate]
        assert (verdict.inside, verdict.outside) == pytest.approx((inside, outside), abs=1e-12)


def test_the_higher_rate_comes_first_with_its_verdict() -> None:
    finding = audited(made())
    first, *_ = by_harm(error_rate_verdicts(finding, {}, ["g1", "g2", "g0"]))
    assert first == "g0"
    assert finding.verdicts[0].statement.startswith("Benign items in group g0 are flagged ")


def test_a_group_that_nobody_flags_is_not_before_one_that_is_flagged_more() -> None:
    """A rate of 0 is far from equal, but no harm: what is undetermined is ordered by what may be harm."""
    frame = made(shift=0.2, rows=500).with_columns(p=pl.when(pl.col("g1") & ~pl.col("toxic")).then(0.1).otherwise("p"))
    verdicts = error_rate_verdicts(audited(frame), {}, ["g1", "g0"])
    false_positives = [one for one in verdicts if one.rate is ErrorRate.FALSE_POSITIVE]
    assert all(one.comparison is not Comparison.HIGHER for one in false_positives)
    assert list(by_harm(false_positives)) == ["g0", "g1"]


@pytest.mark.parametrize(
    ("low", "high", "tolerance", "is_ratio", "verdict"),
    [
        (1.3, 9.0, 1.25, True, Comparison.HIGHER),
        (0.1, 0.79, 1.25, True, Comparison.LOWER),
        (0.81, 1.24, 1.25, True, Comparison.RULED_OUT),
        (1.1, 1.3, 1.25, True, Comparison.UNDETERMINED),
        (0.5, 2.0, 1.25, True, Comparison.UNDETERMINED),
        (0.021, 0.3, 1.25, False, Comparison.HIGHER),
        (0.021, 0.3, 0.05, False, Comparison.UNDETERMINED),
        (-0.3, -0.06, 0.05, False, Comparison.LOWER),
        (-0.04, 0.05, 0.05, False, Comparison.RULED_OUT),
    ],
)
def test_three_verdicts(low: float, high: float, tolerance: float, is_ratio: bool, verdict: Comparison) -> None:
    estimate = Estimate((low + high) / 2, low, high, 0.95, "x", 100)
    assert compare(estimate, tolerance, is_ratio=is_ratio) is verdict


def test_nobody_else_is_affected_so_that_there_is_no_ratio() -> None:
    frame = made(shift=0.0).with_columns(p=pl.when(pl.col("g0") | pl.col("toxic")).then("p").otherwise(0.1))
    finding = audited(frame)
    assert "outside the group is 0" in (finding.get("fpr_ratio", group="g0").note or "")
    (verdict,) = [v for v in error_rate_verdicts(finding, {}, ["g0"]) if v.rate is ErrorRate.FALSE_POSITIVE]
    assert not verdict.is_ratio
    assert verdict.comparison is Comparison.HIGHER
    assert "more often than other benign items" in finding.verdicts[0].statement


def test_where_nobody_of_a_group_is_affected_no_number_of_labels_is_promised() -> None:
    frame = made(shift=0.0).with_columns(p=pl.when(pl.col("g0") & ~pl.col("toxic")).then(0.1).otherwise("p"))
    verdicts = error_rate_verdicts(audited(frame.head(150)), {}, ["g0"])
    (none,) = [v for v in verdicts if v.rate is ErrorRate.FALSE_POSITIVE]
    assert (none.inside, none.comparison) == (0.0, Comparison.UNDETERMINED)
    assert none.more_labels(1.25) is None


def test_without_a_threshold_scores_alone_are_compared() -> None:
    finding = audited(made(), scale="rank")
    assert error_rate_verdicts(finding, {}, ["g0"]) == []
    assert finding.verdicts[0].statement.startswith("For items in group g0, the scores of ")


@pytest.mark.parametrize("tolerance", [0.0, 1.0, -2.0, 1000.0, math.nan])
def test_a_tolerance_is_a_ratio_or_a_difference(tolerance: float) -> None:
    with pytest.raises(InputError, match="invalid `tolerance`"):
        audited(made(rows=200), tolerance=tolerance)


def test_intervals_drawn_again_leave_these_alone() -> None:
    """A percentile of 200 draws cannot hold for twenty comparisons together."""
    finding = audited(made(rows=800), interval="bootstrap", replicates=50)
    assert finding.get("fpr_ratio", group="g0").method == "mover_simultaneous"
    assert finding.get("fpr_gap", group="g0").method == "poisson_bootstrap"


def test_the_ratio_of_nothing_has_an_upper_end() -> None:
    low, high = mover_ratio((0.0, 0.0, 0.03), (0.1, 0.05, 0.18))
    assert low == 0.0
    assert high == pytest.approx(0.03 / math.sqrt(0.05 * 0.15))


@pytest.mark.verify
def test_all_intervals_hold_together() -> None:
    """12 ratios and 12 differences, of groups of 40 to 400 items: all at once in 94 % of 1,000 samples or more."""
    rng = np.random.default_rng(5)
    sizes, flag, miss = (40, 80, 160, 240, 320, 400), (0.3, 0.2, 0.15, 0.1, 0.1, 0.08), 0.3
    held = 0
    for _ in range(1000):
        columns, truth = _sample(rng, sizes, flag, miss)
        finding = audited(columns)
        held += all(
            estimate.low <= truth[group, rate][kind] <= estimate.high
            for (group, rate) in truth
            for kind in ("ratio", "difference")
            if (estimate := finding.get(f"{rate}_{kind}", group=group)).low is not None and estimate.high is not None
        )
    assert held >= 940 - 2 * math.sqrt(1000 * 0.05 * 0.95)


def _sample(
    rng: np.random.Generator, sizes: tuple[int, ...], flag: tuple[float, ...], miss: float
) -> tuple[pl.DataFrame, dict[tuple[str, str], dict[str, float]]]:
    """Disjoint groups and 2,000 other items: half violating, missed alike; benign ones flagged by group."""
    whole = (*sizes, 2000)
    member = np.repeat(np.arange(len(whole)), whole)
    label = np.concatenate([np.arange(size) % 2 == 0 for size in whole])
    rate = np.repeat((*flag, 0.1), whole)
    flagged = np.where(label, rng.random(len(member)) >= miss, rng.random(len(member)) < rate)
    columns = {f"g{n}": member == n for n in range(len(sizes))}
    truth: dict[tuple[str, str], dict[str, float]] = {}
    for number, own in enumerate(flag):
        others = np.average(rate, weights=(member != number) & ~label)
        truth[f"g{number}", "fpr"] = {"ratio": own / others, "difference": own - others}
        truth[f"g{number}", "fnr"] = {"ratio": 1.0, "difference": 0.0}
    return pl.DataFrame({"p": np.where(flagged, 0.9, 0.1), "toxic": label, **columns}), truth
