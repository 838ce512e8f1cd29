"""The JSON of the shared task on learning with disagreements: one object, items by number, annotators by commas."""

from __future__ import annotations

import json
from concurrent.futures import Future
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.errors import InputError
from evenhand.evidence import Source

FIELDS = ("text", "annotators", "annotations")


def open_json(path: Path) -> Source:
    """A table with a row for each item."""
    try:
        content = path.read_bytes()
        items = json.loads(content)
        rows = [_row(str(key), value) for key, value in items.items()]
        frame = pl.LazyFrame(rows, schema=dict.fromkeys(_columns(), pl.String))
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}", source=str(path)) from None
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
        problem = f"not the JSON of the task: one object, each item with {', '.join(FIELDS)}"
        raise InputError(problem, source=str(path)) from None
    identity: Future[dict[str, str]] = Future()
    identity.set_result({"source": path.name, "sha256": sha256(content).hexdigest()})
    return Source(str(path), frame, identity=identity)


def _columns() -> tuple[str, ...]:
    return ("key", *FIELDS, "domain", "split")


def _row(key: str, item: dict[str, Any]) -> dict[str, str]:
    other = item.get("other_info") or {}
    return {
        "key": key,
        **{name: str(item[name]) for name in FIELDS},
        "domain": str(other.get("domain", "")),
        "split": str(item.get("split", "")),
    }
