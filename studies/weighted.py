"""Items that stand for others, or matter more than others: do the intervals hold the truth?

`reviewed`: every flagged item was labelled, and one in twenty-five of the others. `by score`: drawn more often where
the score is uncertain. `our design`: the labels that the default design of `evenhand sample` draws, with their
inclusion probabilities. `views`: every item was labelled, and is weighted by its views, of which few items have many;
violating items have more of them. `relative` is the width over that of an interval that knew how far estimates scatter.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from types import SimpleNamespace

import numpy as np
from scipy.special import expit

import evenhand as eh
from evenhand.sampling.batches import LabelledBatch, gather_labels
from evenhand.sampling.design import DrawnSoFar
from evenhand.sampling.frame import SamplingFrame
from evenhand.sampling.score_driven import ScoreDrivenDesign
from studies.study import Row, Study

ITEMS, LABELS, LARGE = 20_000, 1200, 200_000
DESIGN = ScoreDrivenDesign()
OVERALL = ("positive_share", "auroc", "tpr", "fpr", "precision")
OF_A_GROUP = ("subgroup_auc", "bpsn_auc", "bnsp_auc", "negative_aeg", "positive_aeg", "tpr_gap", "fpr_gap")
Table = dict[str, np.ndarray]
Numbers = dict[str, tuple[float, float, float]]


def cells() -> list[Row]:
    return [{"design": design} for design in ("reviewed", "by score", "our design", "views")]


def items(number: int, rng: np.random.Generator) -> Table:
    """Benign items of the group score a little higher; the score is calibrated over all items, nearly."""
    y, g = rng.random(number) < 0.05, rng.random(number) < 0.3
    height = 2.2 * y - 1.1 + 0.2 * (g & ~y) + rng.normal(size=number)
    p = expit(2.2 * height + np.log(0.05 / 0.95))
    views = np.exp(1.2 * rng.normal(size=number) + 0.5 * y)
    return {"p": p, "y": y, "g": g, "views": views}


def labelled(design: str, population: Table, rng: np.random.Generator) -> tuple[Table, str]:
    """What is audited, and the role of its last column."""
    if design == "views":
        return items(LABELS * 2, rng), "weight"
    p = population["p"]
    if design == "our design":
        rows, chance = _our_labels(population, rng)
    else:
        each = np.where(p >= 0.5, 1.0, 0.04) if design == "reviewed" else 0.03 + 0.5 * np.sqrt(p * (1.0 - p))
        rows = np.flatnonzero(rng.random(len(p)) < each)
        chance = each[rows]
    return {**{name: population[name][rows] for name in "pyg"}, "stands": chance}, "inclusion"


def _our_labels(population: Table, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    frame, past = SamplingFrame.of(population["p"]), list[LabelledBatch]()
    for _ in DESIGN.sizes(frame, LABELS):
        batch = DESIGN.draw(frame, DrawnSoFar(past, gather_labels(past)[0]), LABELS, rng)
        past.append(LabelledBatch(batch, population["y"][batch.draw.rows] * 1.0))
    return gather_labels(past)[0], DESIGN.label_weights(SimpleNamespace(frame=frame, items=ITEMS), past).inclusion


def numbers(table: Table, **more: str) -> Numbers:
    finding = eh.audit(table, score="p", label="y", groups="g", audits="bias", **more).findings[0]
    of = {name: finding.get(name) for name in OVERALL} | {name: finding.get(name, group="g") for name in OF_A_GROUP}
    return {name: (e.value, e.low, e.high) for name, e in of.items() if e.defined}


@cache
def fixed_population() -> Table:
    return items(ITEMS, np.random.default_rng(1))


@cache
def truth(design: str) -> dict[str, float]:
    whole = items(LARGE, np.random.default_rng(2)) if design == "views" else fixed_population()
    role = {"weight": "views"} if design == "views" else {}
    return {name: value for name, (value, *_) in numbers(whole, **role).items()}


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    known, found = truth(cell["design"]), defaultdict(list)
    for _ in range(draws):
        table, role = labelled(cell["design"], fixed_population(), rng)
        for name, number in numbers(table, **{role: "views" if role == "weight" else "stands"}).items():
            found[name].append(number)
    return [{"measure": name, **_row(np.array(several), known[name])} for name, several in found.items()]


def _row(found: np.ndarray, known: float) -> Row:
    value, low, high = found.T
    scatter = 2.0 * 1.96 * float(value.std())
    width = float(np.median(high - low))
    return {
        "truth": known,
        "coverage": float(np.mean((low <= known) & (known <= high))),
        "width": width,
        "relative": width / scatter if scatter > 1e-9 else 1.0,
    }


STUDY = Study("weighted", cells(), run, draws=200)
