"""Labels for the promise that a prevalence is below a safe level: at least as many as can keep it.

A variance says little where hardly anything violates: what the bound then rests on is how many labels came back clean.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from evenhand.errors import InputError
from evenhand.sampling.batches import Labelled
from evenhand.sampling.designs import Design, Done
from evenhand.sampling.frame import Frame
from evenhand.sampling.sizes import Size, random_size
from evenhand.sampling.targets import Below

STEP = 1.1  # by which a number of labels that cannot do is raised


def one_sided(asked: Below) -> Below:
    """The same promise of the upper end of the two-sided interval, which is what an estimate shows."""
    return replace(asked, level=0.5 * (1.0 + asked.level))


def size_below(frame: Frame, design: Design, asked: Below, prevalence: float, *, least: int = 1) -> Size:
    """As many as at random, as `least`, and as it takes until labels that are all clean show the safe level."""
    size = random_size(prevalence, one_sided(asked), items=len(frame))
    n = max(size.n, least)
    while n < len(frame) and clean_bound(frame, design, n, asked.level) >= asked.safe:
        n = min(math.ceil(STEP * n), len(frame))
    return replace(size, n=min(n, len(frame)))


def clean_bound(frame: Frame, design: Design, n: int, level: float) -> float:
    """The upper end of the interval if none of n labels violates: the best outcome; 1 if n cannot be drawn."""
    try:
        return _bound(frame, design, n, level)
    except InputError:
        return 1.0


def _bound(frame: Frame, design: Design, n: int, level: float) -> float:
    past: list[Labelled] = []
    for number in range(len(design.sizes(frame, n))):
        gone = np.concatenate([np.empty(0, dtype=np.int64), *(done.batch.places for done in past)])
        batch = design.draw(frame, Done(tuple(past), gone), n, np.random.default_rng([0, number]))
        past.append(Labelled(batch, np.zeros(len(batch.places))))
    found = design.sampled(frame, past).figure().estimate(level).high
    return 1.0 if found is None else found
