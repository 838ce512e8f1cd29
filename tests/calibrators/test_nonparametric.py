"""Isotonic regression against scikit-learn, histogram binning against a loop over items."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from calibrators.made import binary, several
from evenhand.calibrators import fit
from evenhand.calibrators.predictions import UncalibratedPredictions
from evenhand.errors import InputError


def rescaled(values: np.ndarray, before: np.ndarray) -> np.ndarray:
    return np.array([v / v.sum() if v.sum() > 0 else b for v, b in zip(values, before, strict=True)])


@pytest.mark.parametrize("made", [several, binary])
@pytest.mark.parametrize("digits", [2, 15])
def test_isotonic_is_that_of_scikit_learn(made, digits) -> None:
    p, labels = made(1500, sureness=2.0)
    p = np.round(p, digits)
    p /= p.sum(axis=1, keepdims=True)
    new, _ = made(700, sureness=2.0, seed=1)
    weights = np.random.default_rng(0).integers(0, 4, len(p)).astype(float)
    found = fit(p, labels, weights, method="isotonic")
    expected = np.empty_like(new)
    for k in range(p.shape[1]):
        theirs = IsotonicRegression(out_of_bounds="clip").fit(p[:, k], labels == k, sample_weight=weights)
        expected[:, k] = theirs.predict(new[:, k])
    np.testing.assert_allclose(found.apply(new), rescaled(expected, new), atol=1e-12)


def binned(p: np.ndarray, labels: np.ndarray, new: np.ndarray, bins: int) -> np.ndarray:
    """For each new probability the share of the class among the old ones in its bin, or the middle of the bin."""

    def place(value: float) -> int:
        return next(b for b in range(bins) if value <= (b + 1) / bins)

    found = np.empty_like(new)
    for k in range(p.shape[1]):
        inside: list[list[bool]] = [[] for _ in range(bins)]
        for value, label in zip(p[:, k], labels, strict=True):
            inside[place(value)].append(label == k)
        shares = [sum(bin_) / len(bin_) if bin_ else (b + 0.5) / bins for b, bin_ in enumerate(inside)]
        found[:, k] = [shares[place(value)] for value in new[:, k]]
    return rescaled(found, new)


@pytest.mark.parametrize("bins", [1, 4, 15, 200])
def test_histogram_is_a_count_by_bin(bins) -> None:
    p, labels = several(600, sureness=2.0)
    new = np.r_[several(300, sureness=2.0, seed=1)[0], np.eye(4), [[0.5, 0.25, 0.25, 0.0]]]
    found = fit(p, labels, method="histogram", bins=bins)
    np.testing.assert_allclose(found.apply(new), binned(p, labels, new, bins), atol=1e-12)
    assert found.options == {"bins": bins, "equal": "width"}


def test_bins_of_equal_mass_hold_equally_many() -> None:
    p, labels = several(1000, sureness=2.0)
    found = fit(p, labels, method="histogram", bins=10, equal="mass")
    for k, (edges, shares) in enumerate(zip(found.curve.edges, found.curve.shares, strict=True)):
        ends = [-1.0, *edges, 1.0]
        for low, high, share in zip(ends[:-1], ends[1:], shares, strict=True):
            inside = (p[:, k] > low) & (p[:, k] <= high)
            assert inside.sum() == 100
            assert share == pytest.approx((labels[inside] == k).mean(), abs=1e-12)
    coarse = np.repeat([[0.7, 0.3], [0.4, 0.6]], 50, axis=0)
    level = fit(coarse, np.tile([0, 1], 50), method="histogram", bins=10, equal="mass")
    assert [len(edges) for edges in level.curve.edges] == [2, 2]
    np.testing.assert_allclose(level.apply(coarse), 0.5)


@pytest.mark.parametrize("method", ["isotonic", "histogram"])
def test_a_row_of_zeros_keeps_its_probabilities(method) -> None:
    """Each class was never right at these probabilities, so there is nothing to share out."""
    p = np.tile([[0.3, 0.0, 0.7], [0.0, 0.3, 0.7], [0.6, 0.0, 0.4], [0.0, 1.0, 0.0]], (60, 1))
    found = fit(p, np.tile([2, 2, 0, 1], 60), method=method)
    row = np.array([[0.3, 0.3, 0.4]])
    assert not found.curve.curves(UncalibratedPredictions.from_values(row)).any()
    np.testing.assert_array_equal(found.apply(row), row)
    np.testing.assert_allclose(found.apply(p[:4]), np.eye(3)[[2, 2, 0, 1]], atol=1e-12)


@pytest.mark.parametrize("method", ["isotonic", "histogram"])
def test_few_items_are_named(method) -> None:
    p, labels = several(400)
    found = fit(p, labels, method=method, classes=("a", "b", "c", "d"))
    few = [name for name, count in zip("abcd", np.bincount(labels), strict=True) if count < 50]
    assert few
    for name in few:
        assert any(f"validation items are '{name}'" in warning for warning in found.warnings)


@pytest.mark.parametrize("options", [{"bins": 0}, {"bins": 2.5}, {"bins": True}, {"equal": "size"}, {"bin": 4}])
def test_options_that_mean_nothing(options) -> None:
    with pytest.raises(InputError):
        fit(*several(100), method="histogram", **options)
