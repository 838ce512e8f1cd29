"""A template set, each term in each template: do intervals hold the truth with both declared, and with none?

The score of a sentence is moved by its template, by its term and by both together. `terms` given: the terms are those
one asks about, templates are drawn; the numbers of one of them, and `auroc`, with templates declared. `terms` drawn:
both are, and both are declared. `independent` is the coverage without declared clusters; truths are those of very many
templates.
"""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np
from scipy.special import expit

import evenhand as eh
from studies.study import Row, Study

GIVEN, DRAWN = "given", "drawn"
GROUP_MEASURES = ("subgroup_auc", "bpsn_auc", "bnsp_auc", "negative_aeg", "positive_aeg", "fpr_gap", "tpr_gap")
OVERALL_MEASURES = ("auroc", "fpr", "tpr", "precision")
MANY, FRESH = 400_000, 50  # sentences of the truth; draws for one set of terms
TERM_SPREAD, OWN_SPREAD = 0.5, 0.4


def cells() -> list[Row]:
    every = itertools.product((GIVEN, DRAWN), (15, 50), (40, 200), (0.5, 1.5))
    return [
        {"terms": which, "number": number, "templates": templates, "spread": spread}
        for which, number, templates, spread in every
        if which == GIVEN or number == 50
    ]


def drawn(effects: np.ndarray, templates: int, spread: float, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Half of the templates violate; each has an effect of its own, and so has each sentence."""
    term, template = np.divmod(np.arange(len(effects) * templates), templates)
    y = template % 2 == 1
    height = 2.5 * y - 1.25 + effects[term] + spread * rng.normal(size=templates)[template]
    height += OWN_SPREAD * rng.normal(size=len(y))
    return {"p": expit(height), "y": y, "term": term, "template": template, "first": term == 0}


def numbers(table: dict[str, np.ndarray], measures: tuple[str, ...], **cluster: object) -> dict[str, np.ndarray]:
    finding = eh.audit(table, score="p", label="y", groups="first", audits="bias", **cluster).findings[0]
    found = {}
    for name in measures:
        e = finding.get(name, **({} if name in OVERALL_MEASURES else {"group": "first"}))
        if e.defined:
            found[name] = np.array([e.value, e.low, e.high])
    return found


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    given, spread = cell["terms"] == GIVEN, cell["spread"]
    number, templates = int(cell["number"]), int(cell["templates"])
    measures = (*GROUP_MEASURES, "auroc") if given else OVERALL_MEASURES
    cluster = {"cluster": "template" if given else ["term", "template"]}
    held, truth = defaultdict(list), dict[str, float]()
    effects = TERM_SPREAD * rng.normal(size=number)
    for draw in range(draws):
        if not given or draw % FRESH == 0:
            effects = TERM_SPREAD * rng.normal(size=number)
        if draw % FRESH == 0 and (given or not draw):
            truth = _truth(effects if given else TERM_SPREAD * rng.normal(size=MANY), measures, spread, rng)
        table = drawn(effects, templates, spread, rng)
        ours, plain = numbers(table, measures, **cluster), numbers(table, measures)
        for name, (_, low, high) in ours.items():
            held[name].append((low <= truth[name] <= high, plain[name][1] <= truth[name] <= plain[name][2]))
    return [
        {"measure": name, **dict(zip(("coverage", "independent"), np.mean(held[name], axis=0).tolist(), strict=True))}
        for name in measures
    ]


def _truth(effects: np.ndarray, measures: tuple[str, ...], spread: float, rng: np.random.Generator) -> dict[str, float]:
    """Of very many sentences, each of a template of its own."""
    term = np.arange(MANY) % len(effects)
    y = rng.random(MANY) < 0.5
    height = 2.5 * y - 1.25 + effects[term] + np.hypot(spread, OWN_SPREAD) * rng.normal(size=MANY)
    table = {"p": expit(height), "y": y, "first": term == 0}
    return {name: float(value) for name, (value, *_) in numbers(table, measures).items()}


STUDY = Study("templates", cells(), run, draws=300)
