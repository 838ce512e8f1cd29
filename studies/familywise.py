"""How often is anything marked as standing out when no group differs? In at most 5 % of audits, if the promise holds.

Groups are drawn at random, from large to tiny, so that every mark is false. `two models` are equally good and share
half of their scatter; `partly annotated`: only a quarter of the items, the harder ones, was annotated for groups.
"""

from __future__ import annotations

import numpy as np
import polars as pl

import evenhand as eh
from studies.study import Row, Study

SHARES = (0.4, 0.2, 0.1, 0.05, 0.02, 0.01, 0.01, 0.005)


SEPARATION = {
    "good": 4.0,
    "fair": 1.5,
    "tied": 2.0,
    "partly annotated": 2.0,
    "two models": 3.0,
    "two models, rare": 3.0,
}


def cells() -> list[Row]:
    return [{"rows": rows, "scores": scores} for rows in (800, 4000) for scores in SEPARATION]


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    wrong = marks = 0
    for _ in range(draws):
        table = _table(cell, rng)
        models, groups = ([name for name in table.columns if name[0] == kind] for kind in ("p", "g"))
        found = eh.audit(table, score=models, label="y", groups=groups).findings[0]
        false = sum("stands_out" in m.estimate.flags for m in found)
        wrong, marks = wrong + bool(false), marks + false
    return [{"audits_with_a_false_mark": wrong / draws, "false_marks_per_audit": marks / draws}]


def _table(cell: Row, rng: np.random.Generator) -> pl.DataFrame:
    rows, kind = cell["rows"], cell["scores"]
    label = rng.random(rows) < (0.05 if kind.endswith("rare") else 0.2)
    asked = rng.random(rows) < 0.25 if kind == "partly annotated" else np.ones(rows, dtype=bool)
    apart = SEPARATION[kind] * np.where(asked, 1.0, 2.0) * label - 2.0
    common, models = rng.standard_normal(rows), {}
    for number in range(2 if kind.startswith("two") else 1):
        own = rng.standard_normal(rows) if number or kind.startswith("two") else common
        p = 1.0 / (1.0 + np.exp(-apart - np.sqrt(0.5) * (common + own)))
        models[f"p{number}"] = np.round(p, 1) if kind == "tied" else p
    groups = {}
    for number, share in enumerate(SHARES):
        inside = (rng.random(rows) < share) & asked
        inside[rng.choice(np.flatnonzero(asked))] = True  # nobody in a group is an error
        groups[f"g{number}"] = pl.Series(inside).set(pl.Series(~asked), None)
    return pl.DataFrame({"y": label, **models, **groups})


STUDY = Study("familywise", cells(), run, draws=1500)
