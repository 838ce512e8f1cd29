"""An export as a platform would hand it over, from public comments: scores in per cent, verdicts, no group columns.

20,000 comments of Wikipedia talk pages that the included model was not trained on, scored by it. Nothing of it is kept.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from evenhand.classifiers.scoring import score_file

ROWS, SEED = 20_000, 20


def write_export(data: Path, out: Path) -> Path:
    """Write export.csv into a folder: id, text, tox_pct, verdict."""
    items = pl.read_parquet(data / "wikipedia_talk.parquet").filter(pl.col("split") != "train").sample(ROWS, seed=SEED)
    items.write_parquet(out / "items.parquet")
    score_file(out / "items.parquet", out / "scored.parquet", model="default", text="text")
    verdict = pl.when(pl.col("label") == 1).then(pl.lit("remove")).otherwise(pl.lit("keep")).alias("verdict")
    scored = pl.read_parquet(out / "scored.parquet")
    scored.select("id", "text", (100.0 * pl.col("p")).round(2).alias("tox_pct"), verdict).write_csv(out / "export.csv")
    return out / "export.csv"
