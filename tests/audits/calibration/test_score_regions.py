"""Items by region of their scores: shares and intervals against their definitions, and whether they hold together."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from evenhand.audits.calibration.sample import ClassedSample
from evenhand.audits.calibration.score_regions import SCORE_REGIONS, measured_regions, region_shares, region_verdicts
from evenhand.evidence import ClassedRows
from evenhand.finding import Finding, Measured
from evenhand.tally import Clusters, Weights


def measured(p: np.ndarray, y: np.ndarray, weights: Weights | None = None, clusters=None) -> dict[str, Measured]:
    """The shares observed, by region."""
    table = np.stack([1 - p, p], axis=1)
    classed = ClassedRows("p", ("benign", "violating"), table, y.astype(np.int32), weights, {}, clusters)
    shares = list(region_shares(ClassedSample(classed), {}))
    found = measured_regions(shares, 0.95, clustered=clusters is not None)
    return {m.slice["scored"]: m for m in found if m.measure == "observed_share"}


@pytest.fixture(scope="module")
def items() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    p = np.round(rng.beta(0.5, 1.5, 4000), 2)
    return p, rng.random(4000) < p**0.8


def test_shares_and_intervals_are_those_of_the_definition(items: tuple[np.ndarray, np.ndarray]) -> None:
    p, y = items
    found = measured(p, y)
    assert len(found) == 11
    for region in SCORE_REGIONS:
        inside = (np.round(100 * p) >= 100 * region.low) & (
            (np.round(100 * p) < round(100 * region.high)) | (region.high == 1)
        )
        e = found[region.name].estimate
        exact = binomtest(int(y[inside].sum()), int(inside.sum())).proportion_ci(1 - 0.05 / 11)
        assert (e.n, e.value) == (inside.sum(), pytest.approx(y[inside].mean()))
        assert (e.low, e.high) == (pytest.approx(exact.low, abs=1e-9), pytest.approx(exact.high, abs=1e-9))


def test_a_count_is_as_many_rows(items: tuple[np.ndarray, np.ndarray]) -> None:
    p, y = (column[:900] for column in items)
    times = np.random.default_rng(2).integers(1, 4, 900)
    counted = measured(p, y, Weights.from_columns(count=times.astype(float)))
    repeated = measured(np.repeat(p, times), np.repeat(y, times))
    for name, one in repeated.items():
        other = counted[name].estimate
        assert other.n == one.estimate.n
        for part in ("value", "low", "high"):
            assert getattr(other, part) == pytest.approx(getattr(one.estimate, part), abs=1e-9)


def test_scores_in_single_precision_lie_where_they_were_written() -> None:
    p = np.repeat(np.arange(1, 10) / 10, 20)
    y = np.tile([True, False], 90)
    for kind in (np.float32, np.float64):
        found = measured(p.astype(kind).astype(float), y)
        assert [found[region.name].estimate.n for region in SCORE_REGIONS] == [0, *([20] * 9), 180]


def test_a_region_without_items_says_so() -> None:
    found = measured(np.full(50, 0.25), np.arange(50) < 20)
    assert found["0.2-0.3"].estimate.value == 0.4
    assert found["0.8-0.9"].estimate.note == "no item has such a score"


@pytest.mark.parametrize(
    ("tolerance", "verdict"), [(0.02, "higher"), (0.3, "ruled_out"), (1.25, "higher"), (2.0, "ruled_out")]
)
def test_the_tolerance_is_a_difference_or_a_ratio(tolerance: float, verdict: str) -> None:
    table = np.stack([np.full(3000, 0.65), np.full(3000, 0.35)], axis=1)
    classed = ClassedRows("p", ("benign", "violating"), table, (np.arange(3000) < 1800).astype(np.int32), None, {})
    estimates = measured_regions(list(region_shares(ClassedSample(classed), {})), 0.95, clustered=False)
    finding = Finding("calibration", "?", tuple(estimates), (), {"settings": {"tolerance": tolerance}})
    assert [one.comparison.value for one in region_verdicts(finding, {})] == [verdict, verdict]


def covered(found: dict[str, Measured], p: np.ndarray, truth: np.ndarray) -> bool:
    """Whether every interval holds the true share of its region, all at once."""
    for region in SCORE_REGIONS:
        e, inside = found[region.name].estimate, region.holds(p)
        if e.n >= 10 and not e.low - 1e-12 <= truth[inside].mean() <= e.high + 1e-12:
            return False
    return True


@pytest.mark.verify
@pytest.mark.parametrize("kind", ["plain", "clusters", "design"])
def test_intervals_hold_together(kind: str) -> None:
    """In 95 % of samples, less what 400 of them scatter; authors give ten items each, designs favour high scores."""
    held, runs = 0, 400
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        p = rng.beta(0.6, 1.4, 3000)
        truth = p**0.8
        if kind == "clusters":
            author = np.repeat(np.arange(300), 10)
            shared = rng.normal(size=300)[author]
            u = 0.5 * (1 + _erf((np.sqrt(0.3) * shared + np.sqrt(0.7) * rng.normal(size=3000)) / np.sqrt(2)))
            held += covered(measured(p, u < truth, clusters=Clusters.from_codes(author)), p, truth)
        elif kind == "design":
            y, chance = rng.random(3000) < truth, 0.2 + 0.7 * p
            drawn = rng.random(3000) < chance
            found = measured(p[drawn], y[drawn], Weights.from_columns(inclusion=chance[drawn]))
            held += covered(found, p, y.astype(float))
        else:
            held += covered(measured(p, rng.random(3000) < truth), p, truth)
    assert held / runs >= 0.95 - 2 * np.sqrt(0.05 * 0.95 / runs)


def _erf(values: np.ndarray) -> np.ndarray:
    from scipy.special import erf

    return np.asarray(erf(values))


def test_a_finding_without_regions_has_none() -> None:
    assert region_verdicts(Finding("calibration", "?", (), (), {}), {}) == []
