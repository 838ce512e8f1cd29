"""Scores with the seven shapes of bias (Table 2 of Borkan et al. 2019), of a group beside its background."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl


@dataclass(frozen=True, slots=True)
class BiasShape:
    """Normal scores, before they are squeezed into (0, 1): the group's two centres, width and violating share."""

    letter: str
    benign: float
    violating: float
    width: float = 1.0
    share: float = 0.5


BENIGN, VIOLATING = -4.0, 4.0  # the background's centres, in widths of its own
SHAPES = {
    shape.letter: shape
    for shape in (
        BiasShape("A", BENIGN + 2.0, VIOLATING + 2.0),
        BiasShape("B", BENIGN + 7.0, VIOLATING + 7.0),
        BiasShape("C", BENIGN + 7.0, VIOLATING + 7.0, share=0.9),
        BiasShape("D", BENIGN - 7.0, VIOLATING - 7.0),
        BiasShape("E", -1.05, 1.05),
        BiasShape("F", BENIGN, VIOLATING, width=1.8),
        BiasShape("G", BENIGN, VIOLATING, width=4.0),
    )
}


def scores_with_shape(letter: str, *, rows: int, seed: int, group_share: float = 0.3) -> pl.DataFrame:
    """A table of `score`, `label` and `group` in which the group has one of the shapes."""
    shape, rng = SHAPES[letter], np.random.default_rng(seed)
    inside = rng.random(rows) < group_share
    label = rng.random(rows) < np.where(inside, shape.share, 0.5)
    centre = np.where(inside, np.where(label, shape.violating, shape.benign), np.where(label, VIOLATING, BENIGN))
    score = centre + rng.standard_normal(rows) * np.where(inside, shape.width, 1.0)
    return pl.DataFrame({"score": 1.0 / (1.0 + np.exp(-score / 4.0)), "label": label, "group": inside})
