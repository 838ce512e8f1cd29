"""The default model: texts in memory, and from Parquet to Parquet."""

from __future__ import annotations

from typing import Any

import polars as pl

from benchmarks.clock import timed
from evenhand.classifiers.models import open_model
from evenhand.classifiers.protocol import score_in_batches
from evenhand.classifiers.scoring import score_file


def texts(path: str) -> dict[str, Any]:
    model, texts = open_model("default"), pl.read_parquet(path)["text"].to_list()
    found, _ = timed(lambda: score_in_batches(model, texts), 5)
    return found | {"version": model.version}


def file(path: str, out: str) -> dict[str, Any]:
    return timed(lambda: score_file(path, out))[0]
