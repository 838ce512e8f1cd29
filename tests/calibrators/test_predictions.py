"""Predictions that a calibrator is given."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.calibrators.predictions import UncalibratedPredictions


def test_logits_among_some_classes_are_those_logits() -> None:
    logits = np.array([[2.0, 0.5, -1.0], [0.0, 1.0, 3.0]])
    some = UncalibratedPredictions.from_values(logits, logits=True).among([0, 2])
    shares = np.exp(logits[:, [0, 2]])
    assert some.logits
    assert some.probabilities == pytest.approx(shares / shares.sum(axis=1, keepdims=True))
