"""The concordance of a score with labels on a scale, beside loops over pairs; with two labels it is the AUROC."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import somersd

import brute
from evenhand import metrics
from evenhand.errors import InputError, Undefined
from evenhand.measures import ordinal
from evenhand.measures.ordinal import ComparablePairs


def rated(seed: int, size: int = 60, *, labels: int = 5, rho: float = 0.6, shares: list[float] | None = None):
    """Scores, and labels that are sections of a normal variable correlated with them."""
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=size)
    scores = rho * latent + np.sqrt(1 - rho**2) * rng.normal(size=size)
    cuts = np.cumsum(shares or [1 / labels] * labels)[:-1]
    return scores, 1.0 + np.searchsorted(cuts, ndtr(latent))


@pytest.mark.parametrize("digits", [0, 1, 9])
@pytest.mark.parametrize("labels", [2, 3, 5])
def test_beside_pairs(digits: int, labels: int) -> None:
    scores, stars = rated(digits, labels=labels)
    scores = scores.round(digits)
    pairs = ComparablePairs.from_items(scores, stars)
    assert pairs.concordance == pytest.approx(brute.concordance(scores, stars), rel=0, abs=1e-12)
    assert 2 * pairs.concordance - 1 == pytest.approx(somersd(stars, scores).statistic, rel=0, abs=1e-12)
    assert pairs.comparable[7] == (stars != stars[7]).sum()


def test_two_labels_are_the_auroc_with_its_interval() -> None:
    scores, stars = rated(4, labels=2)
    scores = scores.round(1)
    ranked, area = metrics.concordance(scores, stars), metrics.auroc(scores, stars == 2)
    assert (ranked.value, ranked.low, ranked.high) == pytest.approx((area.value, area.low, area.high), rel=0, abs=1e-12)
    assert (ranked.method, ranked.n) == (area.method, area.n)


def test_invariants() -> None:
    scores, stars = rated(5)
    plain = metrics.concordance(scores, stars)
    order = np.random.default_rng(0).permutation(len(scores))
    for other in (
        metrics.concordance(scores[order], stars[order]),
        metrics.concordance(np.exp(scores), stars),
        metrics.concordance(scores, stars**3),
        metrics.concordance(-scores, -stars),
    ):
        assert (other.value, other.low, other.high) == pytest.approx((plain.value, plain.low, plain.high), abs=1e-12)
    turned = metrics.concordance(-scores, stars)
    assert (turned.value, turned.low, turned.high) == pytest.approx((1 - plain.value, 1 - plain.high, 1 - plain.low))


def test_what_has_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Undefined, match="all labels are the same"):
        _ = ComparablePairs.from_items(np.array([0.1, 0.2]), np.array([3.0, 3.0])).concordance
    assert "all labels are the same" in str(metrics.concordance([0.1, 0.2], [3, 3]))
    for scores, labels in (([0.1, None], [1, 2]), ([0.1, 0.2], ["low", "high"]), ([0.1, float("nan")], [1, 2])):
        with pytest.raises(InputError, match="every value must be a number"):
            metrics.concordance(scores, labels)
    with pytest.raises(InputError, match="same length"):
        metrics.concordance([0.1, 0.2], [1, 2, 3])
    monkeypatch.setattr(ordinal, "MOST_LABELS", 2)
    with pytest.raises(InputError, match="3 distinct labels: a scale may have 2 at most"):
        metrics.concordance([0.1, 0.2, 0.3], [1, 2, 3])


def test_few_items_are_marked() -> None:
    assert metrics.concordance(*rated(1, 12)).small
    assert not metrics.concordance(*rated(1, 60)).small


@pytest.mark.verify
@pytest.mark.parametrize("rho", [0.2, 0.8, 0.95])
@pytest.mark.parametrize("shares", [[0.2] * 5, [0.6, 0.2, 0.1, 0.06, 0.04]], ids=["equal", "skewed"])
def test_the_interval_covers_the_truth(rho: float, shares: list[float]) -> None:
    truth = metrics.concordance(*rated(0, 200_000, rho=rho, shares=shares)).value
    estimates = [metrics.concordance(*rated(1 + seed, 200, rho=rho, shares=shares)) for seed in range(400)]
    covered = np.mean([one.low <= truth <= one.high for one in estimates])
    assert 0.92 <= covered <= 0.995
