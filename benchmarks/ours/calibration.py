"""Every calibration number of four classes at once, with the sums of float64 checked against exact ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from benchmarks.clock import timed
from evenhand.measures.calibration import (
    Calibration,
    JudgedPredictions,
    ModelPredictions,
    WeightedPredictions,
    measure_calibration,
)

REPEATS = 7
NAMES = ("ece", "ace", "sce", "cece", "msece", "wsece", "ece_variance", "brier", "log_loss", "accuracy", "weighted_f1")


def everything(folder: str) -> dict[str, Any]:
    p, label = np.load(f"{folder}/p.npy"), np.load(f"{folder}/label.npy")
    found, values = timed(lambda: numbers(measure_calibration(ModelPredictions.from_probabilities(p), label)), REPEATS)
    weighed, rng = (
        WeightedPredictions.from_predictions(ModelPredictions.from_probabilities(p)),
        np.random.default_rng(0),
    )
    again = timed(
        lambda: numbers(JudgedPredictions.from_labels(weighed, weighed.predictions.redrawn(rng)).measure()), REPEATS
    )[0]
    return found | {"redrawn": again, "values": values, "off": abs(values["ece"] - exact(p, label))}


def numbers(found: Calibration) -> dict[str, float]:
    classes = {f"class_{m}_{k}": getattr(found, f"class_{m}")(k) for m in ("ece", "ace") for k in found.present}
    curves = [found.reliability(k) for k in (None, *found.present)] + [found.column_reliability(k) for k in range(4)]
    assert all(len(curve.weight) == found.bins.count for curve in curves)
    return {name: getattr(found, name) for name in NAMES} | classes | {"brier_0": found.class_briers[0]}


def exact(p: np.ndarray, label: np.ndarray, bins: int = 15) -> float:
    """ECE with sums that are rounded once."""
    confidence, right = p.max(axis=1).astype(np.float64), p.argmax(axis=1) == label
    place = np.searchsorted(np.arange(1, bins) / bins, confidence)
    return sum(abs(math.fsum((right - confidence)[place == b])) for b in range(bins)) / len(p)
