"""An export as a platform would hand it over, from public comments: scores in per cent, verdicts, no group columns.

20,000 comments of Wikipedia talk pages that the included model was not trained on, scored by it, and by an imitation of
a weaker model that takes any mention of gay people for a sign of toxicity. Nothing of it is kept.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from evenhand.classifiers.scoring import score_file

ROWS, SEED = 20_000, 20


def write_export(data: Path, out: Path) -> Path:
    """Write export.csv into a folder: id, text, tox_pct, vendor_pct, verdict."""
    items = pl.read_parquet(data / "wikipedia_talk.parquet").filter(pl.col("split") != "train").sample(ROWS, seed=SEED)
    items.write_parquet(out / "items.parquet")
    score_file(out / "items.parquet", out / "scored.parquet", model="default", text="text")
    verdict = pl.when(pl.col("label") == 1).then(pl.lit("remove")).otherwise(pl.lit("keep")).alias("verdict")
    scored = pl.read_parquet(out / "scored.parquet")
    scores = (100.0 * pl.col("p")).round(2).alias("tox_pct"), vendor_scores(scored).alias("vendor_pct")
    scored.select("id", "text", *scores, verdict).write_csv(out / "export.csv")
    return out / "export.csv"


def vendor_scores(scored: pl.DataFrame) -> pl.Series:
    """In per cent: noisier, and higher for comments that mention gay people."""
    p = scored["p"].clip(1e-4, 1.0 - 1e-4).to_numpy()
    mentioned = scored["text"].str.to_lowercase().str.contains(r"\bgays?\b").to_numpy()
    noise = np.random.default_rng(SEED).normal(0.0, 0.8, len(p))
    logit = 0.8 * np.log(p / (1.0 - p)) - 0.7 + noise + 2.5 * mentioned
    return pl.Series(100.0 / (1.0 + np.exp(-logit))).round(1)
