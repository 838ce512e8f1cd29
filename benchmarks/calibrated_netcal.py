"""The same three numbers with netcal. It has no SCE and no adaptive error of class probabilities: column by column.

What netcal calls ACE is another number, the plain mean over equally wide bins of the confidence; it is timed too.
"""

from __future__ import annotations

import json
import resource
import sys
import time

import numpy as np
from netcal.metrics import ACE, ECE

BINS, REPEATS = 15, 3


def columns(p: np.ndarray, label: np.ndarray, **options: bool) -> float:
    return float(np.mean([ECE(BINS, **options).measure(p[:, k], label == k) for k in range(p.shape[1])]))


CALLS = {
    "ece": lambda p, label: float(ECE(BINS).measure(p, label)),
    "sce": columns,
    "ace": lambda p, label: columns(p, label, equal_intervals=False),
    "own ace": lambda p, label: float(ACE(BINS).measure(p, label)),
}


def main(folder: str) -> None:
    p, label = np.load(f"{folder}/p.npy"), np.load(f"{folder}/label.npy")
    seconds: dict[str, list[float]] = {name: [] for name in CALLS}
    values = {}
    for name, call in CALLS.items():
        for _ in range(REPEATS):
            started = time.perf_counter()
            values[name] = call(p, label)
            seconds[name].append(time.perf_counter() - started)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak_mb": peak, "values": values}))


if __name__ == "__main__":
    main(sys.argv[1])
