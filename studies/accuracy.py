"""Do intervals of recall, precision, F1 and the prevalence hold the truth, over all and for one community?

A million visible items, and as many removed ones that moderation found 60 % of all violations; 80 % of the removals are
right. Labels are drawn from either pool (`pools`), in strata of a score (`strata`), from everything at random
(`everything`), or in strata while one item in ten is of the community that is looked at, whose size is known or not.
`expected` is the number of violations that the sample is expected to hold among the visible items, or those of the
community.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.audits.accuracy.quantities import domain_measures
from evenhand.audits.accuracy.sample import LabelledSample
from evenhand.intervals.domains import WeightedSample
from evenhand.sampling import allocation, strata
from studies.study import Row, Study
from studies.survey import population

LEVEL, RECALL, PRECISION, PART = 0.95, 0.6, 0.8, 0.1
STRENGTH, MANY = 3.0, 3000  # labels, from which on fewer samples are drawn
TAKEN = ("recall", "precision", "f1", "prevalence", "missed")
COMMUNITIES = ("community", "community, size known")
Cells = Ints  # strata × (visible benign, visible violating, removed benign, removed violating) × (inside, outside)


def cells() -> list[Row]:
    names = ("design", "prevalence", "expected")
    drawn = itertools.product(("pools", "strata", *COMMUNITIES), (0.001, 0.01, 0.1), (15, 50, 130))
    plain = itertools.product(("everything",), (0.01, 0.1), (15, 50, 130))
    possible = (cell for cell in (*drawn, *plain) if cell[0] not in COMMUNITIES or cell[1:] != (0.001, 130))
    return [dict(zip(names, cell, strict=True)) for cell in possible]


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    parts = _parts(cell, rng)
    counts = _counts(cell, parts)
    whole = cell["design"] not in COMMUNITIES
    truth = _truth(parts.sum(axis=(0, 2)) if whole else parts[:, :, 0].sum(axis=0))
    found: dict[str, list[tuple[float, float, bool]]] = {name: [] for name in TAKEN}
    for _ in range(draws if counts.sum() < MANY else -(-draws // 5)):
        sample, kept = _drawn(parts, counts, rng, known=cell["design"] == COMMUNITIES[1])
        for m in domain_measures(sample, None if whole else kept, {}, LEVEL):
            if m.measure in TAKEN and not m.slice:
                low, high = (np.nan if end is None else end for end in (m.estimate.low, m.estimate.high))
                found[m.measure].append((low, high, "small" in m.estimate.flags))
    labels = int(counts.sum())
    return [{"labels": labels, **_row(name, np.array(ends), truth[name])} for name, ends in found.items()]


def _parts(cell: Row, rng: np.random.Generator) -> Cells:
    """Items of each kind in each stratum of the design, inside and outside of the community."""
    scored = population(cell["prevalence"], STRENGTH, 0.0, rng)
    several = cell["design"] not in ("pools", "everything")
    cut = strata.quantile_strata(scored.score, 8 if several else 1)
    bad = np.bincount(cut.codes, scored.label, minlength=len(cut)).astype(np.int64)
    visible = np.stack([cut.sizes - bad, bad, 0 * bad, 0 * bad], axis=1)
    right = round(bad.sum() * RECALL / (1.0 - RECALL))
    removed = np.array([[0, 0, round(right * (1.0 - PRECISION) / PRECISION), right]])
    kinds = visible + removed if cell["design"] == "everything" else np.concatenate([visible, removed])
    inside = np.round(kinds * PART).astype(np.int64)
    return np.stack([inside, kinds - inside], axis=2)


def _counts(cell: Row, parts: Cells) -> Ints:
    """Labels in each stratum, so many that the expected number of visible violations is among them."""
    sizes, bad = parts.sum(axis=(1, 2)), parts[:, 1].sum(axis=1)
    wanted = cell["expected"] / (PART if cell["design"] in COMMUNITIES else 1.0)
    if cell["design"] == "everything":
        return np.array([round(wanted / bad[0] * sizes[0])])
    rates = (bad / sizes)[:-1]
    each = np.sqrt(rates * (1.0 - rates))
    spread = sizes[:-1] * each
    visible = allocation.optimal_allocation(round(wanted / (spread @ rates) * spread.sum()), sizes[:-1], each, least=2)
    return np.append(visible, min(round(wanted / (1.0 - PRECISION)), sizes[-1]))


def _drawn(parts: Cells, counts: Ints, rng: np.random.Generator, *, known: bool) -> tuple[LabelledSample, Bools]:
    """A sample, and which rows are of the community; where its size is known, rows stand for the unlabelled items."""
    kinds = parts.reshape(len(parts), -1)
    drawn = np.stack([rng.multivariate_hypergeometric(kind, n) for kind, n in zip(kinds, counts, strict=True)])
    row = np.repeat(np.arange(drawn.size), drawn.reshape(-1))
    stratum, kind, out = row // 8, row // 2 % 4, row % 2
    design = WeightedSample.from_inclusion((counts / kinds.sum(axis=1))[stratum], stratum)
    sample = LabelledSample(design, kind % 2 == 1, kind >= 2, np.arange(len(row)), None)
    if not known:
        return sample, out == 0
    left = (kinds - drawn).sum(axis=0)
    decided = np.append(kind >= 2, np.arange(8) >= 4)
    whole = replace(sample, items=np.append(np.ones(len(row)), left), decided=decided)
    return whole, np.append(out == 0, np.arange(8) % 2 == 0)


def _truth(kinds: Ints) -> dict[str, float]:
    passed, missed, wrong, right = (float(kind) for kind in kinds)
    return {
        "recall": right / (right + missed),
        "precision": right / (right + wrong),
        "f1": 2.0 * right / (2.0 * right + wrong + missed),
        "prevalence": (right + missed) / (passed + missed + wrong + right),
        "missed": missed,
    }


def _row(name: str, ends: np.ndarray, truth: float) -> Row:
    low, high, marked = ends.T
    return {
        "measure": name,
        "draws": len(ends),
        "coverage": float(np.mean((low <= truth) & (truth <= high))),
        "too_low": float(np.mean(high < truth)),
        "too_high": float(np.mean(low > truth)),
        "marked": float(np.mean(marked)),
        "width": float(np.nanmean(high - low)) / truth,
    }


STUDY = Study("accuracy", cells(), run, draws=10_000)
