"""The default model behind HTTP, and the same texts in memory in batches of the same size."""

from __future__ import annotations

from typing import Any

import polars as pl

from benchmarks.clock import timed
from benchmarks.load import apply_load, await_background, batches, post_request, running_service
from evenhand.classifiers.models import open_model

BATCH, CLIENTS, MANY_CLIENTS = 100, 8, 32
SINGLES = 1000  # requests of one client; of many so many each


def in_memory(path: str) -> dict[str, Any]:
    model, texts = open_model("default"), pl.read_parquet(path)["text"].to_list()
    model.score(texts[:BATCH])
    parts = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
    return timed(lambda: [model.score(part) for part in parts])[0]


def served(path: str) -> dict[str, Any]:
    """Seconds of all texts, memory after a tenth and after all of them, and one client beside many."""
    texts = pl.read_parquet(path)["text"].to_list()
    singles = [post_request({"text": text}) for text in texts[: 10 * SINGLES]]
    with running_service() as service:
        await_background(service.port)
        tenth = apply_load(service.port, batches(texts[: len(texts) // 10], BATCH), CLIENTS)
        before = service.resident_mb()
        one = apply_load(service.port, singles[:SINGLES], 1)
        many = apply_load(service.port, singles, MANY_CLIENTS)
        whole = apply_load(service.port, batches(texts, BATCH), CLIENTS)
        loads = (tenth, one, many, whole)
        return {
            "seconds": [whole.wall],
            "peak_mb": service.resident_mb(),
            "before_mb": before,
            "p95": [one.quantile(0.95), many.quantile(0.95)],
            "rates": [one.rate, many.rate],
            "failed": sum(load.unanswered + len(load.seconds) - load.statuses.get(200, 0) for load in loads),
        }
