"""Do intervals hold the truth where authors write many comments that are alike? The bias audit, with clusters declared.

Authors differ in how much they write (the coefficient of variation is about .65), in how often they violate, whom they
mention and how the model scores them. `correlation` is that of two comments of one author, for each of the three. The
group is mentioned at random, so gaps are 0 and whatever is marked is a false mark; other truths are those of a large
population. `independent` is the coverage of what the audit says without declared clusters.
"""

from __future__ import annotations

import itertools
from collections import Counter
from functools import cache

import numpy as np
from scipy.stats import norm

import evenhand as eh
from evenhand.finding import Finding
from studies.study import Row, Study

COMMENTS = 20  # of an author, on average
VIOLATING, MENTIONING = 0.2, 0.3
ROLES = {"score": "p", "label": "y", "groups": ["g"], "audits": "bias"}
MEASURES = (
    *("positive_share", "auroc", "tpr", "fpr", "precision", "subgroup_auc", "bpsn_auc", "bnsp_auc"),
    *("negative_aeg", "positive_aeg", "tpr_gap", "fpr_gap"),
)
GAPS = ("negative_aeg", "positive_aeg", "tpr_gap", "fpr_gap")
OVERALL = ("positive_share", "auroc", "tpr", "fpr", "precision")


def cells() -> list[Row]:
    return [
        {"authors": authors, "correlation": correlation}
        for authors, correlation in itertools.product((30, 100, 300), (0.05, 0.3, 0.5))
    ]


def drawn(authors: int, correlation: float, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Comments with their authors."""
    sizes = np.maximum(1, np.rint(COMMENTS * rng.lognormal(-0.18, 0.6, authors))).astype(int)
    author = np.repeat(np.arange(authors), sizes)

    def latent() -> np.ndarray:
        own, shared = rng.normal(size=len(author)), rng.normal(size=authors)[author]
        return np.sqrt(correlation) * shared + np.sqrt(1.0 - correlation) * own

    y = latent() > norm.ppf(1.0 - VIOLATING)
    return {"p": norm.cdf(1.2 * y + latent() - 0.6), "y": y, "g": latent() > norm.ppf(1.0 - MENTIONING), "by": author}


@cache
def truth(correlation: float) -> dict[str, float]:
    found = audited(drawn(40_000, correlation, np.random.default_rng(1)))
    return {name: 0.0 if name in GAPS else value for name, (value, *_) in numbers(found).items()}


def audited(table: dict[str, np.ndarray], **more: str) -> Finding:
    return eh.audit(table, **ROLES, **more).findings[0]


def numbers(finding: Finding) -> dict[str, tuple[float, float, float]]:
    """Value and interval of each measure: overall where there is one, else of the group."""
    found = {}
    for name in MEASURES:
        e = finding.get(name) if name in OVERALL else finding.get(name, group="g")
        if e.defined:
            found[name] = (e.value, e.low, e.high)
    return found


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    right, plain, width, marks = Counter(), Counter(), Counter(), Counter()
    for _ in range(draws):
        table = drawn(cell["authors"], cell["correlation"], rng)
        clustered, independent = audited(table, cluster="by"), audited(table)
        marks["clustered"] += any(m.estimate.stands_out for m in clustered)
        marks["independent"] += any(m.estimate.stands_out for m in independent)
        for name, (_, low, high) in numbers(clustered).items():
            right[name] += low <= truth(cell["correlation"])[name] <= high
            width[name] += high - low
        for name, (_, low, high) in numbers(independent).items():
            plain[name] += low <= truth(cell["correlation"])[name] <= high
            width[name, "plain"] += high - low
    rows = [
        {
            "measure": name,
            "coverage": right[name] / draws,
            "independent": plain[name] / draws,
            "wider": width[name] / width[name, "plain"],
        }
        for name in MEASURES
    ]
    return [
        *rows,
        {
            "measure": "false marks",
            "coverage": marks["clustered"] / draws,
            "independent": marks["independent"] / draws,
            "wider": 1.0,
        },
    ]


STUDY = Study("clusters", cells(), run, draws=500)
