"""Five collaborative measures at eight capacities with two ways to choose what is reviewed."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from benchmarks.clock import timed
from evenhand.measures.collaboration import (
    COLLABORATIVE_MEASURES,
    Capacity,
    Collaboration,
    ReviewStage,
    toxicity_score,
    uncertainty_score,
)
from evenhand.measures.score_cells import ScoreCells
from evenhand.tally import PlacedRows, Rows

CAPACITIES = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2)
FIVE = ("oc_accuracy", "oc_auroc", "oc_auprc", "review_efficiency", "review_effectiveness")
REPEATS = 7


def from_parquet(path: str) -> dict[str, Any]:
    found, values = timed(lambda: measure(*read(path)), REPEATS)
    return found | {"values": values}


def from_memory(path: str) -> dict[str, Any]:
    columns = read(path)
    found, values = timed(lambda: measure(*columns), REPEATS)
    return found | {"values": values}


def measure(score: np.ndarray, label: np.ndarray) -> dict[str, dict[str, float]]:
    cells, found = ScoreCells.from_tally(PlacedRows.from_rows(score, Rows(label, {})).tally()), {}
    for name, strategy in (("uncertainty", uncertainty_score), ("toxicity", toxicity_score)):
        collaboration = Collaboration.from_stages(cells, ReviewStage(strategy(cells.scores)))
        for alpha in CAPACITIES:
            outcome = collaboration.at(Capacity.fraction(alpha))
            found[f"{name} {alpha}"] = {name: COLLABORATIVE_MEASURES[name](outcome) for name in FIVE}
    return found


def read(path: str) -> tuple[np.ndarray, np.ndarray]:
    frame = pl.read_parquet(path, columns=["p", "toxic"])
    return frame["p"].to_numpy(), frame["toxic"].to_numpy()
