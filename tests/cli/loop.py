"""Items made up for plans, and annotators who know the truth."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from cli.program import Program
from cli.program import ran as program_ran

ITEMS = 4000
CLUSTERS = ("--design", "clusters", "--cluster", "thread")
RANDOM = ("--design", "random", "--n", "60")


def made_up() -> pl.DataFrame:
    """Items with ids that spreadsheets would spoil, a useful score, decisions, threads, and the truth."""
    rng = np.random.default_rng(1)
    violating = rng.random(ITEMS) < 0.08
    score = 1.0 / (1.0 + np.exp(-(1.5 * rng.normal(size=ITEMS) + 4.0 * violating - 4.0)))
    return pl.DataFrame(
        {
            "id": [f"{number:08d}" for number in range(ITEMS)],
            "p": score,
            "language": rng.choice(["de", "en", "fr"], ITEMS, p=[0.3, 0.5, 0.2]),
            "thread": rng.integers(0, 900, ITEMS),
            "text": [f"=item {number}" if number % 7 == 0 else f"item, {number}" for number in range(ITEMS)],
            "context": ["before"] * ITEMS,
            "link": [f"https://example.org/{number}" for number in range(ITEMS)],
            "removed": (score > 0.7) | (rng.random(ITEMS) < 0.02),
            "truth": violating,
        }
    )


def truth(items: pl.DataFrame) -> dict[str, bool]:
    return dict(items.select("id", "truth").iter_rows())


def answered(sheet: Path, items: pl.DataFrame, change: Callable[[str, str], str] | None = None) -> list[str]:
    """Fill in a sheet; `change` may answer otherwise. The ids, as they stand in the sheet."""
    table = pl.read_csv(sheet, infer_schema=False, separator=",")
    known = truth(items)
    said = []
    for given in table["id"]:
        id_ = given.removeprefix("'")
        answer = "yes" if known[id_] else "no"
        said.append(change(id_, answer) if change else answer)
    table.with_columns(label=pl.Series(said, dtype=pl.String)).write_csv(sheet)
    return table["id"].to_list()


def found(out: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], dict]:
    """Estimates of the JSON, by measure and slice."""
    (finding,) = json.loads(out)["findings"]
    return {(e["measure"], tuple(e["slice"].items())): e for e in finding["estimates"]}


def ran(program: Program, *arguments: str) -> str:
    return program_ran(program, "sample", *arguments)


def planned(program: Program, *options: str) -> str:
    return ran(program, "plan", "items.parquet", *options, "-o", "plan.json")


def drawn(program: Program, items: pl.DataFrame, *options: str) -> pl.DataFrame:
    """The first batch of a plan, filled in."""
    planned(program, *options)
    ran(program, "draw", "plan.json", "-o", "batch.csv")
    answered(Path("batch.csv"), items)
    return pl.read_csv("batch.csv", infer_schema=False)


def written(table: pl.DataFrame) -> str:
    table.write_csv("changed.csv")
    return "changed.csv"
