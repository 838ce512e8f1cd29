"""How often is anything marked as standing out when no group differs? In at most 5 % of audits, if the promise holds.

Groups are drawn at random, from large to tiny, so that every mark is false.
"""

from __future__ import annotations

import numpy as np
import polars as pl

import evenhand as eh
from studies.study import Row, Study

SHARES = (0.4, 0.2, 0.1, 0.05, 0.02, 0.01, 0.01, 0.005)


def cells() -> list[Row]:
    return [{"rows": rows, "auc": auc} for rows in (800, 4000) for auc in ("good", "fair", "tied")]


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    wrong = marks = 0
    for _ in range(draws):
        found = eh.audit(
            _table(cell, rng), score="p", label="y", groups=[f"g{i}" for i in range(len(SHARES))]
        ).findings[0]
        false = sum("stands_out" in m.estimate.flags for m in found)
        wrong, marks = wrong + bool(false), marks + false
    return [{"audits_with_a_false_mark": wrong / draws, "false_marks_per_audit": marks / draws}]


def _table(cell: Row, rng: np.random.Generator) -> pl.DataFrame:
    rows = cell["rows"]
    label = rng.random(rows) < 0.2
    logit = {"good": 4.0, "fair": 1.5, "tied": 2.0}[cell["auc"]] * label - 2.0 + rng.standard_normal(rows)
    p = 1.0 / (1.0 + np.exp(-logit))
    p = np.round(p, 1) if cell["auc"] == "tied" else p
    groups = {f"g{i}": rng.random(rows) < share for i, share in enumerate(SHARES)}
    for inside in groups.values():
        inside[rng.integers(rows)] = True  # nobody in a group is an error
    return pl.DataFrame({"p": p, "y": label, **groups})


STUDY = Study("familywise", cells(), run, draws=1500)
