"""The calibrator as scikit-learn knows estimators."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict

import evenhand as eh
from evenhand.calibrators import METHODS, ProbabilityCalibrator, estimator, fit


@pytest.fixture(scope="module")
def overconfident() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    logit = rng.normal(size=400)
    return 1.0 / (1.0 + np.exp(-3.0 * logit)), rng.random(400) < 1.0 / (1.0 + np.exp(-logit))


def test_the_example_holds() -> None:
    assert not doctest.testmod(estimator).failed


@pytest.mark.parametrize("method", METHODS)
def test_it_gives_what_the_function_gives(overconfident: tuple[np.ndarray, np.ndarray], method: str) -> None:
    p, label = overconfident
    columns = np.stack([1.0 - p, p], axis=1)
    expected = fit(columns, label.astype(int), method=method).apply(columns)
    for given in (p, p[:, None], columns):
        np.testing.assert_array_equal(ProbabilityCalibrator(method).fit(given, label).predict_proba(given), expected)


@pytest.mark.verify
def test_clone_parameters_and_search(overconfident: tuple[np.ndarray, np.ndarray]) -> None:
    p, label = overconfident
    given = ProbabilityCalibrator("histogram", bins=7)
    assert clone(given).get_params() == given.get_params() == {"method": "histogram", "bins": 7, "classes": None}
    search = GridSearchCV(ProbabilityCalibrator(), {"method": ["ts", "isotonic"]}, scoring="neg_log_loss", cv=3)
    assert search.fit(p[:, None], label).best_params_ == {"method": "ts"}
    held = cross_val_predict(ProbabilityCalibrator("beta"), p[:, None], label, cv=3, method="predict_proba")
    assert float(eh.metrics.ece(held[:, 1], label)) < float(eh.metrics.ece(p, label))


def test_labels_are_any_values_in_the_order_of_the_columns() -> None:
    p = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7], [0.5, 0.3, 0.2]] * 5)
    labels = np.array(["rude", "calm", "threat", "rude"] * 5)
    fitted = ProbabilityCalibrator("ts", classes=["rude", "calm", "threat"]).fit(p, labels)
    assert fitted.predict(p[:3]).tolist() == ["rude", "calm", "threat"]
    with pytest.raises(eh.InputError, match="the label 'rude' is not one of the classes"):
        ProbabilityCalibrator(classes=["a", "b", "c"]).fit(p, labels)
    with pytest.raises(eh.InputError, match="3 columns and 2 classes"):
        ProbabilityCalibrator(classes=["a", "b"]).fit(p, labels)
