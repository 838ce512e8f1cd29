"""Vector, Platt and beta scaling against scipy's search and scikit-learn, and their gradient at the optimum."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, special
from sklearn.linear_model import LogisticRegression

from calibrators.made import binary, lifted, several, two
from evenhand.calibrators import fit


def log_loss(p: np.ndarray, labels: np.ndarray) -> float:
    return -float(np.mean([np.log(row[label]) for row, label in zip(p, labels, strict=True)]))


def vector_logits(values: np.ndarray, p: np.ndarray) -> np.ndarray:
    slopes, offsets = np.split(values, 2)
    return special.log_softmax(slopes * np.log(p) + offsets, axis=1)


@pytest.mark.parametrize("sureness", [0.5, 1.0, 3.0])
def test_vector_is_the_least_loss(sureness) -> None:
    p, labels = several(1500, sureness=sureness)
    found, p = fit(p, labels, method="vector"), lifted(p)

    def loss(values: np.ndarray) -> float:
        return -float(vector_logits(values, p)[np.arange(len(p)), labels].mean())

    best = optimize.minimize(loss, np.r_[np.ones(4), np.zeros(4)], method="BFGS", options={"gtol": 1e-7})
    ours = np.r_[found.curve.slopes, found.curve.offsets]
    np.testing.assert_allclose(ours[:4], best.x[:4], atol=1e-4)
    np.testing.assert_allclose(ours[4:], best.x[4:] - best.x[4:].mean(), atol=1e-4)
    assert loss(ours) <= best.fun + 1e-12
    assert log_loss(found.apply(p), labels) == pytest.approx(loss(ours), abs=1e-12)
    truth = np.eye(4)[labels]
    over = np.exp(vector_logits(ours, p)) - truth
    assert np.abs(np.r_[(over * np.log(p)).mean(axis=0), over.mean(axis=0)]).max() < 1e-8
    assert sum(found.curve.offsets) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(("positives", "sureness"), [(0.3, 1.0), (0.05, 3.0), (0.5, 0.4)])
def test_platt_is_logistic_regression_on_the_log_odds(positives, sureness) -> None:
    p, labels = binary(2000, positives=positives, sureness=sureness)
    fitted, p = fit(p, labels, method="platt"), lifted(p)
    found, log_odds = fitted.curve, np.log(p[:, 1]) - np.log(p[:, 0])
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(log_odds[:, None], labels)
    assert (found.slope, found.offset) == pytest.approx((theirs.coef_[0, 0], theirs.intercept_[0]), abs=1e-5)
    np.testing.assert_allclose(fitted.apply(p), theirs.predict_proba(log_odds[:, None]), atol=1e-6)
    over = special.expit(found.slope * log_odds + found.offset) - labels
    assert max(abs(over.mean()), abs((over * log_odds).mean())) < 1e-8
    assert found.slope == pytest.approx(1.0 / sureness, rel=0.15)


def beta_loss(values: np.ndarray, p: np.ndarray, labels: np.ndarray) -> float:
    log_odds = values[0] * np.log(p[:, 1]) - values[1] * np.log(p[:, 0]) + values[2]
    return float(np.mean(np.logaddexp(0.0, log_odds) - labels * log_odds))


@pytest.mark.parametrize("case", ["inside", "a at 0", "b at 0", "both at 0"])
def test_beta_is_the_least_loss_it_may_have(case) -> None:
    rng = np.random.default_rng(5)
    p, labels = binary(2000, sureness=1.7)
    if case != "inside":
        slopes = {"a at 0": (-0.6, 1.5), "b at 0": (1.5, -0.6), "both at 0": (-0.5, -0.5)}[case]
        p = two(rng.uniform(0.01, 0.99, 2000))
        odds = slopes[0] * np.log(p[:, 1]) - slopes[1] * np.log(p[:, 0])
        labels = (rng.random(2000) < special.expit(odds)).astype(int)
    found = fit(p, labels, method="beta")
    ours = np.array([found.curve.a, found.curve.b, found.curve.c])
    bounds = [(0.0, None), (0.0, None), (None, None)]
    best = optimize.minimize(
        beta_loss, [1.0, 1.0, 0.0], (p, labels), method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-14}
    )
    assert beta_loss(ours, p, labels) <= best.fun + 1e-9
    np.testing.assert_allclose(ours, best.x, atol=5e-3)
    assert ours[:2].min() >= 0.0
    held = {"inside": [], "a at 0": [0], "b at 0": [1], "both at 0": [0, 1]}[case]
    assert (ours[held] == 0.0).all()
    assert any("less likely" in warning for warning in found.warnings) == (case == "both at 0")


def test_beta_is_vector_scaling_of_two_classes() -> None:
    p, labels = binary(3000, sureness=1.7)
    beta, vector = (fit(p, labels, method=method) for method in ("beta", "vector"))
    assert (beta.curve.a, beta.curve.b) == pytest.approx((vector.curve.slopes[1], vector.curve.slopes[0]), abs=1e-6)
    np.testing.assert_allclose(beta.apply(p), vector.apply(p), atol=1e-7)


@pytest.mark.parametrize("method", ["vector", "platt", "beta"])
def test_classes_told_apart_without_an_error(method) -> None:
    p = two(np.r_[np.linspace(0.05, 0.4, 60), np.linspace(0.6, 0.95, 60)])
    found = fit(p, np.repeat([0, 1], 60), method=method, classes=("benign", "toxic"))
    assert [name for name in ("benign", "toxic") if any(f"'{name}' is separated" in w for w in found.warnings)]
    after = found.apply(p)
    assert np.isfinite(after).all()
    np.testing.assert_array_equal(after.argmax(axis=1), np.repeat([0, 1], 60))


def test_one_class_told_apart_without_an_error() -> None:
    p, labels = several(2000)
    p, labels = p[labels != 1], labels[labels != 1]
    alone = np.tile([0.0, 1.0, 0.0, 0.0], (80, 1))
    p, labels = np.r_[p * [1, 0, 1, 1] / (1 - p[:, 1:2]), alone], np.r_[labels, np.ones(80, dtype=int)]
    found = fit(p, labels, method="vector")
    assert ["'1' is separated" in warning for warning in found.warnings] == [True]
    np.testing.assert_allclose(found.apply(alone)[:, 1], 1.0, atol=1e-5)


@pytest.mark.parametrize("method", ["vector", "platt"])
def test_a_score_that_points_the_other_way_is_named(method) -> None:
    p, labels = binary(1000)
    found = fit(p[:, ::-1], labels, method=method)
    assert any("less likely" in warning for warning in found.warnings)
