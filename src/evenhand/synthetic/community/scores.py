"""What models say: two that score violation and treat groups differently, and one that tells the kinds apart."""

from __future__ import annotations

import numpy as np
import polars as pl

from evenhand.synthetic.community.nature import Nature
from evenhand.synthetic.community.planted import GROUPS, KINDS, MENDED, SHORT_FACTOR, TEMPERATURES
from evenhand.synthetic.community.setting import Bools, Floats

CENTRES = (1.9, 0.5, -1.5, -2.8)  # logits for what looks overt, veiled, rough, plain
SPREAD = 1.3  # of either model around them
EVIDENCE = (2.0, 4.0)  # how far apart the kinds lie for the third model, from the hardest to the easiest items


def shifts(nature: Nature, short: Bools) -> Floats:
    """How far the first model moves each item because of the groups it mentions, in logits."""
    total = np.zeros(len(short))
    for name, inside in nature.groups.items():
        total += inside * np.where(nature.violates, GROUPS[name].violating, GROUPS[name].benign)
    return total * np.where(short, SHORT_FACTOR, 1.0)


def scores(nature: Nature, short: Bools, rng: np.random.Generator) -> dict[str, pl.Series]:
    """`model_a` with its uncertainty, and `model_b`, which keeps a part of the shifts only.

    The uncertainty is what an ensemble's members would differ by: p(1-p), and more so the further the score was thrown
    off where such items lie. That is not in p, so the column tells more about errors than p(1-p) does.
    """
    size, shift, centre = len(short), shifts(nature, short), np.asarray(CENTRES)[nature.look]
    off = SPREAD * rng.standard_normal(size) + shift
    a, b = _squeezed(centre + off), _squeezed(centre + SPREAD * rng.standard_normal(size) + MENDED * shift)
    unsure = 0.2 * a * (1.0 - a) * (1.0 + np.abs(off)) * rng.lognormal(0.0, 0.3, size)
    columns = {"model_a": a, "model_b": b, "model_a_uncertainty": unsure}
    return {name: pl.Series(name, values.astype(np.float32)) for name, values in columns.items()}


def probabilities(nature: Nature, rng: np.random.Generator) -> dict[str, pl.Series]:
    """`p_` and the kind for every kind: the true probabilities given what the model sees, made too sure.

    The model sees one number a kind, normal around 0 or, for the item's own kind, around how easy the item is. Its true
    log probabilities follow by Bayes' rule; multiplying them by the planted temperatures spoils them.
    """
    size = len(nature.kind)
    easy = rng.uniform(*EVIDENCE, size)
    share = np.maximum(np.bincount(nature.kind, minlength=len(KINDS)), 0.5) / size
    seen = rng.standard_normal((len(KINDS), size))
    seen[nature.kind, np.arange(size)] += easy
    log = _normalised(np.log(share)[:, None] + easy * seen)
    spoilt = np.exp(_normalised(log * np.asarray([TEMPERATURES[kind] for kind in KINDS])[:, None]))
    return {
        f"p_{kind}": pl.Series(f"p_{kind}", row) for kind, row in zip(KINDS, spoilt / spoilt.sum(axis=0), strict=True)
    }


def _normalised(logits: Floats) -> Floats:
    """Log probabilities: what is subtracted makes each column's exponentials sum to 1."""
    top = logits.max(axis=0)
    return np.asarray(logits - (top + np.log(np.exp(logits - top).sum(axis=0))))


def _squeezed(logit: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-logit)))
