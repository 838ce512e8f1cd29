"""Six hundred items with a score and a label, in two groups, and their batches as they would be labelled."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from evenhand.sampling.batches import LabelledBatch
from evenhand.sampling.design import DrawnSoFar
from evenhand.sampling.frame import SamplingFrame
from evenhand.sampling.score_driven import ScoreDrivenDesign
from evenhand.sampling.strata import Strata
from evenhand.sampling.stratified import StratifiedDesign

RNG = np.random.default_rng(8)
SCORE = RNG.beta(0.5, 3.0, 600)
LABEL = (RNG.random(600) < SCORE).astype(float)
GROUP = np.arange(600) % 3 // 2
FRAME = SamplingFrame.of(SCORE, by=Strata(GROUP, ("de", "en")))


def batches(design: ScoreDrivenDesign | StratifiedDesign, n: int) -> list[LabelledBatch]:
    past: list[LabelledBatch] = []
    gone = np.empty(0, dtype=np.int64)
    for _ in design.sizes(FRAME, n):
        batch = design.draw(FRAME, DrawnSoFar(past, gone), n, np.random.default_rng(len(past)))
        gone = np.append(gone, batch.places)
        past.append(LabelledBatch(batch, LABEL[batch.draw.rows]))
    return past


def pool_of(frame: SamplingFrame, labels: int = 0) -> SimpleNamespace:
    """What a design asks of a pool."""
    return SimpleNamespace(frame=frame, items=len(frame), labels=labels, clusters=0, wanted=0)
