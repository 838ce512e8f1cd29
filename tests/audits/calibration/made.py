"""Items of four classes whose probabilities are known to be right, or wrong by a known temperature."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy.special import softmax

NAMES = ("neutral", "criticism", "hostility", "discussion")
COLUMNS = [f"p_{name}" for name in NAMES]
RARE = np.log([0.68, 0.07, 0.19, 0.06])


def made(n: int, seed: int, temperature: float = 1.0) -> pl.DataFrame:
    """Items of four classes, two of them rare; the probabilities are the truth, sharpened by a temperature."""
    rng = np.random.default_rng(seed)
    logits = 1.5 * rng.normal(size=(n, 4)) + RARE
    label = (softmax(logits, axis=1).cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(max=3)
    shown = softmax(logits * temperature, axis=1)
    return pl.DataFrame(dict(zip(COLUMNS, shown.T, strict=True))).with_columns(
        pl.Series("kind", [NAMES[k] for k in label]),
        pl.Series("lang", rng.choice(["en", "de"], n)),
        pl.Series("women", rng.random(n) < 0.3),
        pl.Series("text", [f"text {k}" for k in range(n)]),
    )
