"""Evenhand: every calibration number of four classes at once, with the sums of float64 checked against exact ones."""

from __future__ import annotations

import json
import math
import resource
import sys
import time

import numpy as np

from evenhand.measures.calibration import Calibration, Judged, Predictions, Weighed, measure

REPEATS = 7


def numbers(found: Calibration) -> dict[str, float]:
    names = ("ece", "ace", "sce", "cece", "msece", "wsece", "ece_variance", "brier", "log_loss", "accuracy")
    classes = {f"class_{m}_{k}": getattr(found, f"class_{m}")(k) for m in ("ece", "ace") for k in found.present}
    curves = [found.reliability(k) for k in (None, *found.present)] + [found.column_reliability(k) for k in range(4)]
    assert all(len(curve.weight) == found.bins.count for curve in curves)
    return (
        {name: getattr(found, name) for name in (*names, "weighted_f1")} | classes | {"brier_0": found.class_briers[0]}
    )


def exact(p: np.ndarray, label: np.ndarray, bins: int = 15) -> float:
    """ECE with sums that are rounded once."""
    confidence, right = p.max(axis=1).astype(np.float64), p.argmax(axis=1) == label
    place = np.searchsorted(np.arange(1, bins) / bins, confidence)
    return sum(abs(math.fsum((right - confidence)[place == b])) for b in range(bins)) / len(p)


def main(folder: str) -> None:
    p, label = np.load(f"{folder}/p.npy"), np.load(f"{folder}/label.npy")
    seconds: dict[str, list[float]] = {"all": [], "redrawn": []}
    for _ in range(REPEATS):
        started = time.perf_counter()
        found = numbers(measure(Predictions.of(p), label))
        seconds["all"].append(time.perf_counter() - started)
    weighed, rng = Weighed.of(Predictions.of(p)), np.random.default_rng(0)
    for _ in range(REPEATS):
        started = time.perf_counter()
        numbers(Judged.of(weighed, weighed.predictions.redrawn(rng)).measure())
        seconds["redrawn"].append(time.perf_counter() - started)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak_mb": peak, "values": found, "exact": exact(p, label)}))


if __name__ == "__main__":
    main(sys.argv[1])
