"""What a study is: cells, a function, a table of results."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parent / "results"
Row = dict[str, Any]


@dataclass(frozen=True)
class Study:
    """`run` takes a cell, a number of draws and a generator, and gives rows of results."""

    name: str
    cells: Sequence[Row]
    run: Callable[[Row, int, np.random.Generator], list[Row]]
    draws: int

    def cell(self, number: int, draws: int) -> list[Row]:
        """One cell; its seed is its number, so that it can be run again by itself."""
        rng = np.random.default_rng(np.random.SeedSequence([number, draws]))
        return [{**self.cells[number], **row} for row in self.run(self.cells[number], draws, rng)]

    def everything(self) -> list[Row]:
        """All cells, on all cores."""
        started = time.perf_counter()
        with ProcessPoolExecutor() as pool:
            found = list(pool.map(partial(self.cell, draws=self.draws), range(len(self.cells))))
        print(f"{self.name}: {len(self.cells)} cells, {self.draws} draws each, {time.perf_counter() - started:.0f} s")
        return [row for rows in found for row in rows]

    @property
    def path(self) -> Path:
        """Where its results are kept."""
        return RESULTS / f"{self.name}.csv"

    def write(self, rows: list[Row]) -> None:
        """Keep the results."""
        with self.path.open("w", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows({k: f"{v:.5g}" if isinstance(v, float) else v for k, v in row.items()} for row in rows)

    def read(self) -> list[Row]:
        """The committed results, numbers as numbers."""
        with self.path.open() as file:
            return [{k: _number(v) for k, v in row.items()} for row in csv.DictReader(file)]


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text
