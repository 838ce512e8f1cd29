"""Rows that fit every command that takes a table, to be spoilt."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

COUNT = 120


def rows(count: int = COUNT) -> list[dict[str, Any]]:
    """Items with scores, labels, groups, decisions and annotators, all in one table."""
    rng = np.random.default_rng(5)
    found = []
    for number in range(count):
        y = int(rng.random() < 0.4)
        found.append(
            {
                "id": f"i{number:04d}",
                "text": f"{'awful idiot' if y else 'lovely garden'} number {number}",
                "p": round(float(np.clip(0.2 + 0.5 * y + 0.2 * rng.normal(), 0.01, 0.99)), 4),
                "y": y,
                "a": int(rng.random() < 0.5),
                "b": int(rng.random() < 0.5),
                "lang": "en" if number % 3 else "de",
                "removed": "yes" if rng.random() < 0.3 else "no",
                "pi": 0.5,
                "item": f"t{number // 4:03d}",
                "who": f"w{number % 12:02d}",
                "label": y,
                "gender": "women" if number % 2 else "men",
                "items": 100 + number,
                "prevalence": 0.05,
                "truth": y,
                "q": round(0.1 + 0.8 * float(rng.random()) * (0.4 + 0.6 * y), 4),
            }
        )
    return found


def as_csv(table: Sequence[Mapping[str, Any]], **more: Any) -> str:
    """With a header."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(table[0]), lineterminator="\n", **more)
    writer.writeheader()
    writer.writerows(table)
    return text.getvalue()


def changed(column: str, value: Any, *, at: int = 7) -> str:
    """A table with one value replaced."""
    table = rows()
    table[at] = {**table[at], column: value}
    return as_csv(table)


def filled(column: str, value: Any) -> str:
    """A table with one column replaced."""
    return as_csv([{**row, column: value} for row in rows()])
