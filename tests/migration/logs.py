"""Logs of two models, made on the spot."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from scipy.special import expit

import evenhand as eh
from evenhand.finding import Finding
from evenhand.migration import MigrationRequest, ScoreLog


def frame(
    rows: int = 1500, *, seed: int = 1, lift: float = 1.2, noise: float = 0.5, digits: int | None = None
) -> pl.DataFrame:
    """Old and new scores of the same comments; the new model scores comments about women higher by `lift`."""
    rng = np.random.default_rng(seed)
    like = rng.normal(size=rows)
    women, men = rng.random(rows) < 0.25, rng.random(rows) < 0.2
    old = expit(-0.5 + 1.8 * like + noise * rng.normal(size=rows))
    new = expit(-1.6 + 2.0 * like + noise * rng.normal(size=rows) + lift * women)
    table = pl.DataFrame(
        {
            "text": [f"she says {n}" if inside else f"he says {n}" for n, inside in enumerate(women)],
            "perspective": old,
            "ours": new,
            "toxic": rng.random(rows) < expit(-2.0 + 2.0 * like),
            "women": women,
            "men": men,
            "language": rng.choice(["en", "de"], rows),
        }
    )
    return table if digits is None else table.with_columns(pl.col("perspective", "ours").round(digits))


ROLES: dict[str, Any] = {"old_score": "perspective", "new_score": "ours"}


def opened(table: pl.DataFrame, **options: Any) -> ScoreLog:
    return MigrationRequest.from_options({**ROLES, **options}).open(table)


def moved(table: pl.DataFrame, **options: Any) -> Finding:
    """The finding of a migration."""
    (finding,) = eh.migrate_perspective(table, **{**ROLES, **options})
    return finding
