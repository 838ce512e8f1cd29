"""Classifiers as scikit-learn knows them: fitted estimators with classes, probabilities and predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.metrics import get_scorer

from evenhand.classifiers.estimator import TextEstimator
from evenhand.classifiers.models import open_model
from evenhand.classifiers.protocol import Scores, TargetKind, Targets
from evenhand.errors import InputError

TEXTS = ["0.9", "0.2", "0.6"]


@dataclass(frozen=True, repr=False)
class Echo(TextEstimator):
    """Each text is its own probability; with several classes the second has the rest."""

    kind: TargetKind = "binary"
    name: str = "echo"
    version: str = "1a2b"
    batch: int = 2

    @property
    def targets(self) -> Targets:
        return Targets(self.kind, ("toxic",) if self.kind == "binary" else ("toxic", "fine"))

    def score(self, texts: Sequence[str]) -> Scores:
        p = np.array([[float(text)] for text in texts])
        return Scores(self.targets, p if self.kind == "binary" else np.hstack([p, 1.0 - p]))


def test_binary() -> None:
    model = Echo()
    assert model.classes_.tolist() == [False, True]
    np.testing.assert_allclose(model.predict_proba(TEXTS), [[0.1, 0.9], [0.8, 0.2], [0.4, 0.6]])
    assert model.predict(np.array(TEXTS)).tolist() == [True, False, True]
    assert model.predict_proba([]).shape == (0, 2)
    assert repr(model) == "Echo('echo', version 1a2b, binary: toxic)"


def test_one_of_several() -> None:
    model = Echo("multi-class")
    assert model.classes_.tolist() == ["toxic", "fine"]
    assert model.predict(TEXTS).tolist() == ["toxic", "fine", "toxic"]
    assert repr(model) == "Echo('echo', version 1a2b, multi-class: toxic, fine)"


def test_any_of_several() -> None:
    model = Echo("multi-label")
    assert model.predict(TEXTS).tolist() == [[True, False], [False, True], [True, False]]
    assert model.predict_proba(TEXTS).shape == (3, 2)


def test_a_text_without_a_score_has_no_class() -> None:
    assert np.isnan(Echo().predict_proba(["0.5", "nan"])[1]).all()
    with pytest.raises(InputError, match="echo: text 2 has no score"):
        Echo().predict(["0.5", "nan"])


@pytest.mark.parametrize("scorer", ["roc_auc", "average_precision", "neg_log_loss", "balanced_accuracy"])
def test_scorers_of_scikit_learn_take_it(scorer: str) -> None:
    assert np.isfinite(get_scorer(scorer)(Echo(), TEXTS, [True, False, False]))


def test_the_shipped_model_is_an_estimator() -> None:
    model = open_model("default")
    assert is_classifier(model)
    assert repr(model) == f"LinearClassifier('default', version {model.version}, binary: toxic)"
    assert model.predict(["Thank you for your help.", "You are a stupid fool."]).tolist() == [False, True]
