"""alt-profanity-check, what people install today."""

from __future__ import annotations

from typing import Any

import pyarrow.parquet as pq
from profanity_check import predict_prob

from benchmarks.clock import timed


def profanity(path: str) -> dict[str, Any]:
    texts = pq.read_table(path)["text"].to_pylist()
    return timed(lambda: predict_prob(texts), 5)[0]


def probabilities(path: str) -> list[float]:
    """What it says of each text; models/compared.py asks."""
    return [float(p) for p in predict_prob(pq.read_table(path)["text"].to_pylist())]
