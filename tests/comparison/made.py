"""Items of a run with a group that fares worse by as much as is said, and their audit."""

from __future__ import annotations

import numpy as np
import polars as pl

import evenhand as eh
from evenhand.finding import Finding


def made(seed: int, *, shift: float = 0.0, rows: int = 3000) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    label, group = rng.random(rows) < 0.3, rng.random(rows) < 0.4
    logit = 2.0 * label - 1.0 + shift * (group & ~label) + rng.normal(size=rows)
    return pl.DataFrame({"p": 1.0 / (1.0 + np.exp(-logit)), "y": label, "g": group})


def audited(frame: pl.DataFrame, **options: object) -> Finding:
    return eh.audit(frame, score="p", label="y", groups=["g"], audits="bias", **options).findings[0]  # type: ignore[arg-type]
