"""Floors: what nothing that looks at the data can do without, such as reading it and one sort."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import polars as pl

from benchmarks.clock import started, timed

REPEATS = 7
Found = dict[str, Any]


def comments(path: str, columns: list[str] | None) -> Found:
    """Read a table, all of it or some columns, and sort its scores."""
    return timed(lambda: np.argsort(pl.read_parquet(path, columns=columns)["p"].to_numpy()), REPEATS)[0]


def scores(path: str) -> Found:
    """Sort scores that are in memory."""
    score = pl.read_parquet(path, columns=["p"])["p"].to_numpy()
    return timed(lambda: np.argsort(score), REPEATS)[0]


def confidences(path: str) -> Found:
    """The largest probability of each row, sorted."""
    p = np.load(f"{path}/p.npy")
    return timed(lambda: np.sort(p.max(axis=1)), REPEATS)[0]


def annotations(path: str) -> Found:
    """Labels sorted by item and annotator."""
    item, annotator = np.load(f"{path}/item.npy"), np.load(f"{path}/annotator.npy")
    return timed(lambda: np.lexsort((annotator, item)), REPEATS)[0]


def histogram(path: str) -> Found:
    """The score column read once, piece by piece, and counted in a thousand steps."""
    steps = (pl.col("score") * 1000).cast(pl.Int32).alias("step")
    counts = pl.scan_parquet(path).group_by(steps).len()
    return timed(lambda: counts.collect(engine="streaming"), 3)[0]


def words(path: str) -> Found:
    """Every text in lower case, split at blanks."""
    texts = pl.read_parquet(path)["text"].to_list()
    return timed(lambda: [text.lower().split() for text in texts], 5)[0]


def copied(path: str, out: str) -> Found:
    """The file read and written again, piece by piece."""
    return timed(lambda: pl.scan_parquet(path).sink_parquet(out))[0]


def copied_csv(path: str, out: str) -> Found:
    """The same for CSV, as text."""
    return timed(lambda: pl.scan_csv(path, infer_schema=False).sink_csv(out), 3)[0]


def lowered(path: str) -> Found:
    """Every text in lower case."""
    lower = pl.scan_parquet(path).select(pl.col("text").str.to_lowercase())
    return timed(lambda: lower.collect(engine="streaming"), 3)[0]


def imported(path: str) -> Found:
    """The package imported with what an audit needs, and the file read."""
    read = "import sys, polars, evenhand.audits, evenhand.evidence; polars.read_parquet(sys.argv[1])"
    return started([sys.executable, "-c", read, path], 5)


def typer() -> Found:
    """Python started, and the library of the command line imported."""
    return started([sys.executable, "-c", "import typer"], 11)
