"""The same three numbers with netcal. It has no SCE and no adaptive error of class probabilities: column by column.

What netcal calls ACE is another number, the plain mean over equally wide bins of the confidence; it is timed too.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from netcal.metrics import ACE, ECE

from benchmarks.clock import timed

BINS, REPEATS = 15, 3


def columns(p: np.ndarray, label: np.ndarray, **options: bool) -> float:
    return float(np.mean([ECE(BINS, **options).measure(p[:, k], label == k) for k in range(p.shape[1])]))


CALLS = {
    "ece": lambda p, label: float(ECE(BINS).measure(p, label)),
    "sce": columns,
    "ace": lambda p, label: columns(p, label, equal_intervals=False),
    "own ace": lambda p, label: float(ACE(BINS).measure(p, label)),
}


def binary(path: str) -> dict[str, Any]:
    """The three numbers of one score, from Parquet."""

    def three() -> list[float]:
        table = pd.read_parquet(path, columns=["p", "toxic"])
        p, label = table["p"].to_numpy(), table["toxic"].to_numpy().astype(int)
        both = np.column_stack((1.0 - p, p))
        return [CALLS[name](both, label) for name in ("ece", "sce", "ace")]

    return timed(three, REPEATS)[0]


def netcal(folder: str) -> dict[str, Any]:
    p, label = np.load(f"{folder}/p.npy"), np.load(f"{folder}/label.npy")
    runs = {name: timed(partial(call, p, label), REPEATS) for name, call in CALLS.items()}
    return {"calls": {name: run for name, (run, _) in runs.items()}, "values": {n: v for n, (_, v) in runs.items()}}
