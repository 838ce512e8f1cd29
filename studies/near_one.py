"""Do intervals of a share near 1 hold it, and how wide are they beside the binomial one? Precision of good moderation.

Twenty thousand removed items, of which nearly all violate, with a score that is calibrated; 71 or 200 labels, drawn at
random, in strata or by the score. `exact_width` is the median width of Clopper and Pearson's interval from the same
counts of labels, as if they had been drawn with equal probability; `one_benign` is the largest ratio of the two widths
among samples with a single benign label.
"""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
from scipy.special import expit, logit

from evenhand.sampling import LabelledBatch, RandomDesign, SamplingFrame, ScoreDrivenDesign, StratifiedDesign
from evenhand.sampling.batches import gather_labels
from evenhand.sampling.cell_design import CellDesign
from evenhand.sampling.design import DrawnSoFar
from studies.parts import clopper_pearson
from studies.study import Row, Study

ITEMS, LEVEL = 20_000, 0.95
DESIGNS: dict[str, CellDesign] = {
    "random": RandomDesign(),
    "stratified": StratifiedDesign("quantile", 8, "proportional"),
    "score-driven": ScoreDrivenDesign(),
}


def cells() -> list[Row]:
    names = ("design", "share", "n")
    return [
        dict(zip(names, cell, strict=True)) for cell in itertools.product(DESIGNS, (0.9, 0.95, 0.985, 0.995), (71, 200))
    ]


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    score = expit(logit(cell["share"]) + rng.normal(size=ITEMS))
    frame, design = SamplingFrame.of(score), DESIGNS[cell["design"]]
    label = (rng.random(ITEMS) < score * cell["share"] / score.mean()) * 1.0
    found = []
    for _ in range(draws):
        past: list[LabelledBatch] = []
        for _ in design.sizes(frame, cell["n"]):
            batch = design.draw(frame, DrawnSoFar(past, gather_labels(past)[0]), cell["n"], rng)
            past.append(LabelledBatch(batch, label[batch.draw.rows]))
        share = design.share(SimpleNamespace(frame=frame, items=ITEMS), past)
        estimate, truth = share.estimate(LEVEL), float(label.mean())
        low, high = estimate.low or 0.0, estimate.high or 0.0
        exact = np.subtract(*clopper_pearson(share.hits, share.n))
        found.append((low <= truth <= high, high < truth, high - low, exact, share.n - share.hits == 1.0))
    held, too_low, width, exact, one = np.array(found, dtype=float).T
    ratio = width / exact
    return [
        {
            "coverage": float(held.mean()),
            "too_low": float(too_low.mean()),
            "width": float(np.median(width)),
            "exact_width": float(np.median(exact)),
            "times_exact": float(np.median(ratio)),
            "samples_with_one": int(one.sum()),
            "one_benign": float(np.max(ratio[one > 0.0], initial=0.0)),
        }
    ]


STUDY = Study("near_one", cells(), run, draws=2000)
