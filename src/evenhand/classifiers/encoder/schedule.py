"""The 1-cycle (Smith 2018): the rate rises from a twenty-fifth, then falls along a cosine to nearly nothing."""

from __future__ import annotations

import math

START, END = 25.0, 1e4  # parts of the top


def one_cycle(step: int, steps: int, warmup: float) -> float:
    """The part of the top rate at a step, from 0."""
    rise = warmup * steps
    if step < rise:
        return 1.0 / START + (1.0 - 1.0 / START) * step / rise
    along = (step - rise) / max(1.0, steps - 1 - rise)
    return 1.0 / END + (1.0 - 1.0 / END) * 0.5 * (1.0 + math.cos(math.pi * min(1.0, along)))
