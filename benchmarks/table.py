"""The table that all are measured on: 1.8 million rows, 24 overlapping groups of 0.1 to 5 %, 8 % violating, float32."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polars as pl

ROWS, GROUPS = 1_800_000, 24


def make(path: Path, rows: int = ROWS, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    label = rng.random(rows) < 0.08
    shares = np.geomspace(0.001, 0.05, GROUPS)
    groups = {f"g{number}": rng.random(rows) < share for number, share in enumerate(shares)}
    logit = 2.4 * label - 2.0 + rng.standard_normal(rows)
    for number, inside in enumerate(groups.values()):
        logit += (0.05 * number - 0.5) * inside
    score = (1.0 / (1.0 + np.exp(-logit))).astype(np.float32)
    pl.DataFrame({"p": score, "toxic": label, **groups}).write_parquet(path)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
