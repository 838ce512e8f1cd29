"""A day's queue from CSV to CSV, and mentions of groups by the word list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.clock import timed
from evenhand.evidence.terms import mentions_expression, read_terms
from evenhand.routing import ReviewPolicy
from evenhand.staffing.queue_file import QueuedFile

POLICY = ReviewPolicy(
    upper=0.85, strategy="below-threshold:0.85", capacity=9000, items_per_day=1_000_000, measured_share=0.05, score="p"
)


def queue(path: str, out: str) -> dict[str, Any]:
    """The operator's table of one day."""
    return timed(lambda: QueuedFile.from_data(path, POLICY, {}).write(Path(out)), 3)[0]


def mentions(path: str) -> dict[str, Any]:
    """Of each group of the English list the comments that mention it."""
    terms = read_terms("default:en")
    wanted = mentions_expression(pl.col("text"), terms)
    return timed(lambda: pl.scan_parquet(path).select(wanted.alias("mentions")).collect(engine="streaming"), 3)[0]
