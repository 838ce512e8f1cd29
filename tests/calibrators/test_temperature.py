"""Temperature and weighted temperature against their definition, and what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, special

from calibrators.made import binary, lifted, several, two
from evenhand.calibrators import fit
from evenhand.calibrators.temperature import HIGHEST, LOWEST


def loss(t: float, p: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> float:
    """Weighted log loss at one temperature, item by item."""
    total = 0.0
    for row, label, weight in zip(p, labels, weights, strict=True):
        scaled = [value ** (1.0 / t) for value in row]
        total -= weight * np.log(scaled[label] / sum(scaled))
    return total


def paper_weights(labels: np.ndarray) -> np.ndarray:
    return np.array([1.0 - np.count_nonzero(labels == label) / len(labels) for label in labels])


@pytest.mark.parametrize("method", ["ts", "wts"])
@pytest.mark.parametrize("made", [several, binary])
@pytest.mark.parametrize("sureness", [0.6, 2.5])
def test_the_least_loss_of_a_plain_search(method, made, sureness) -> None:
    p, labels = made(400, sureness=sureness)
    weights = paper_weights(labels) if method == "wts" else np.ones(len(labels))
    found, p = fit(p, labels, method=method).curve.temperature, lifted(p)
    best = optimize.minimize_scalar(
        lambda t: loss(t, p, labels, weights), bounds=(0.05, 50.0), method="bounded", options={"xatol": 1e-9}
    )
    assert found == pytest.approx(best.x, rel=1e-5)
    assert loss(found, p, labels, weights) <= best.fun * (1.0 + 1e-12)
    scaled = special.softmax(np.log(p) / found, axis=1)
    over = (scaled * np.log(p)).sum(axis=1) - np.log(p)[np.arange(len(p)), labels]
    assert abs(weights @ over) < 1e-9 * len(p)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("made", [several, binary])
def test_a_calibrated_model_stays_as_it_is(seed, made) -> None:
    p, labels = made(20_000, seed=seed)
    assert fit(p, labels, method="ts").curve.temperature == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("sureness", [0.5, 3.0])
def test_the_temperature_that_was_planted(sureness) -> None:
    p, labels = several(20_000, sureness=sureness)
    assert fit(p, labels, method="ts").curve.temperature == pytest.approx(sureness, rel=0.05)


def test_weighted_is_plain_where_classes_are_equally_many() -> None:
    p, labels = several(8000, sureness=2.0)
    few = np.bincount(labels).min()
    rows = np.concatenate([np.flatnonzero(labels == k)[:few] for k in range(4)])
    plain, weighted = (fit(p[rows], labels[rows], method=method) for method in ("ts", "wts"))
    assert weighted.curve.temperature == pytest.approx(plain.curve.temperature, abs=1e-8)
    assert weighted.warnings == ()
    p, labels = several(8000, sureness=2.0)
    weights = 1.0 / np.bincount(labels)[labels]
    plain, weighted = (fit(p, labels, weights, method=method).curve.temperature for method in ("ts", "wts"))
    assert weighted == pytest.approx(plain, abs=1e-8)


@pytest.mark.parametrize(("positives", "expected"), [(0.10, 2.48), (0.02, 4.87)])
def test_weighted_undoes_a_calibrated_rare_class(positives, expected) -> None:
    """True log-odds normal with a standard deviation of 2.4: integration gives T = 2.48 at 10 % and 4.87 at 2 %."""
    p, labels = binary(400_000, positives=positives, spread=2.4)
    found = fit(p, labels, method="wts")
    assert found.curve.temperature == pytest.approx(expected, rel=0.04)
    (warning,) = found.warnings
    said = f"gives T = {found.curve.temperature:.1f} where plain temperature scaling gives 1.0 (by which hardly"
    assert said in warning
    assert "calibrated already" not in warning  # a temperature is no test of that
    assert "at the expense of overall calibration" in warning


@pytest.mark.parametrize("method", ["ts", "wts"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sureness", [0.3, 4.0])
def test_no_decision_changes(method, dtype, sureness) -> None:
    p, labels = several(2000, sureness=sureness)
    found = fit(p, labels, method=method)
    rng = np.random.default_rng(3)
    tied = np.round(rng.dirichlet(np.ones(4), 4000) * 5) / 5
    tied = tied[np.isclose(tied.sum(axis=1), 1.0)]
    near = np.full((2000, 4), 0.25)
    near[np.arange(2000), rng.integers(0, 4, 2000)] = np.nextafter(0.25, 1.0)
    for rows in (p, tied, near, np.eye(4)):
        rows = rows.astype(dtype)
        after = found.apply(rows)
        np.testing.assert_array_equal(after.argmax(axis=1), rows.argmax(axis=1))
    top = tied == tied.max(axis=1, keepdims=True)
    after = found.apply(tied)
    np.testing.assert_array_equal(after == after.max(axis=1, keepdims=True), top)
    assert (top.sum(axis=1) > 1).sum() > 100


def test_a_row_may_be_all_but_equal() -> None:
    found = fit(*several(2000, sureness=4.0), method="ts")
    row = np.array([[0.25, np.nextafter(0.25, 1.0), 0.25, 0.25]])
    assert found.apply(row).argmax() == 1


def test_classes_told_apart_without_an_error() -> None:
    p = np.tile([[0.9, 0.1], [0.2, 0.8]], (50, 1))
    found = fit(p, np.tile([0, 1], 50), method="ts")
    assert found.curve.temperature == LOWEST
    assert "without an error" in found.warnings[0]
    assert np.isfinite(found.apply(p)).all()


def test_probabilities_that_say_nothing() -> None:
    rng = np.random.default_rng(0)
    backwards = two(np.where(np.arange(200) % 2, 0.2, 0.8))
    found = fit(backwards, np.arange(200) % 2, method="ts")
    assert found.curve.temperature == HIGHEST
    assert "carry almost no information" in found.warnings[0]
    level = fit(np.full((100, 4), 0.25), rng.integers(0, 4, 100), method="ts")
    assert level.curve.temperature == 1.0


def test_logits_are_meant_as_their_softmax() -> None:
    p, labels = several(2000, sureness=2.0)
    logits = np.log(p) + np.random.default_rng(1).normal(size=(len(p), 1)) * 30.0
    by_logits = fit(logits, labels, method="ts", logits=True)
    assert by_logits.curve.temperature == pytest.approx(fit(p, labels, method="ts").curve.temperature, rel=1e-9)
    expected = special.softmax(np.log(p) / by_logits.curve.temperature, axis=1)
    np.testing.assert_allclose(by_logits.apply(logits, logits=True), expected, atol=1e-12)
    np.testing.assert_allclose(by_logits.apply(p), expected, atol=1e-12)
