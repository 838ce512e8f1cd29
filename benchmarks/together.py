"""Evenhand: five collaborative measures at eight capacities with two ways to choose what is reviewed."""

from __future__ import annotations

import json
import resource
import sys
import time

import numpy as np
import polars as pl

from evenhand.measures.cells import Cells
from evenhand.measures.collaboration import MEASURES, Capacity, Collaboration, Stage, toxicity, uncertainty
from evenhand.tally import Placed, Rows

CAPACITIES = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2)
FIVE = ("oc_accuracy", "oc_auroc", "oc_auprc", "review_efficiency", "review_effectiveness")
REPEATS = 7


def measure(score: np.ndarray, label: np.ndarray) -> dict[str, dict[str, float]]:
    cells, found = Cells.of(Placed.of(score, Rows(label, {})).tally()), {}
    for name, strategy in (("uncertainty", uncertainty), ("toxicity", toxicity)):
        collaboration = Collaboration.of(cells, Stage(strategy(cells.scores)))
        for alpha in CAPACITIES:
            outcome = collaboration.at(Capacity.fraction(alpha))
            found[f"{name} {alpha}"] = {name: MEASURES[name](outcome) for name in FIVE}
    return found


def read(path: str) -> tuple[np.ndarray, np.ndarray]:
    frame = pl.read_parquet(path, columns=["p", "toxic"])
    return frame["p"].to_numpy(), frame["toxic"].to_numpy()


def main(path: str) -> None:
    seconds: dict[str, list[float]] = {"memory": [], "parquet": [], "sort": [], "read and sort": []}
    columns = read(path)
    for _ in range(REPEATS):
        for way, take in (
            ("memory", lambda: measure(*columns)),
            ("parquet", lambda: measure(*read(path))),
            ("sort", lambda: np.argsort(columns[0])),
            ("read and sort", lambda: np.argsort(read(path)[0])),
        ):
            started = time.perf_counter()
            take()
            seconds[way].append(time.perf_counter() - started)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak_mb": peak, "values": measure(*columns)}))


if __name__ == "__main__":
    main(sys.argv[1])
