"""What models and annotators say of the items: scores, class probabilities, and labels by people who differ.

Two models score violation and treat groups differently, a third gives class probabilities. Annotators differ in what
they find violating, some by who they are.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from evenhand.arrays import Bools, Floats, Ints
from evenhand.synthetic.community.items import ItemContent, draw_weighted
from evenhand.synthetic.community.parameters import (
    ANNOTATED,
    GROUPS,
    KINDS,
    LABELS,
    MODEL_B_KEEPS,
    SENSITIVITIES,
    SHORT_FACTOR,
    TEMPERATURES,
    Sensitivity,
)

SCORE_CENTRES = (1.9, 0.5, -1.5, -2.8)  # logits for what looks overt, veiled, rough, plain
SCORE_SPREAD = 1.3  # of either model around them
EVIDENCE = (2.0, 4.0)  # how far apart the kinds lie for the third model, from the hardest to the easiest items


def group_shifts(nature: ItemContent, short: Bools) -> Floats:
    """How far the first model moves each item because of the groups it mentions, in logits."""
    total = np.zeros(len(short))
    for name, inside in nature.groups.items():
        total += inside * np.where(nature.violates, GROUPS[name].violating, GROUPS[name].benign)
    return total * np.where(short, SHORT_FACTOR, 1.0)


def model_scores(nature: ItemContent, short: Bools, rng: np.random.Generator) -> dict[str, pl.Series]:
    """`model_a` with its uncertainty, and `model_b`, which keeps a part of the shifts only.

    The uncertainty is what an ensemble's members would differ by: p(1-p), and more so the further the score was thrown
    off where such items lie. That is not in p, so the column tells more about errors than p(1-p) does.
    """
    size, shift, centre = len(short), group_shifts(nature, short), np.asarray(SCORE_CENTRES)[nature.look]
    off = SCORE_SPREAD * rng.standard_normal(size) + shift
    a, b = _sigmoid(centre + off), _sigmoid(centre + SCORE_SPREAD * rng.standard_normal(size) + MODEL_B_KEEPS * shift)
    unsure = 0.2 * a * (1.0 - a) * (1.0 + np.abs(off)) * rng.lognormal(0.0, 0.3, size)
    columns = {"model_a": a, "model_b": b, "model_a_uncertainty": unsure}
    return {name: pl.Series(name, values.astype(np.float32)) for name, values in columns.items()}


def class_probabilities(nature: ItemContent, rng: np.random.Generator) -> dict[str, pl.Series]:
    """`p_` and the kind for every kind: the true probabilities given what the model sees, made overconfident.

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


def _sigmoid(logit: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-logit)))


ATTRIBUTES: dict[str, dict[str, float]] = {
    "gender": {"woman": 0.48, "man": 0.48, "nonbinary": 0.04},
    "ethnicity": {"white": 0.5, "black": 0.2, "asian": 0.15, "latino": 0.1, "other": 0.05},
    "country": {"US": 0.35, "GB": 0.2, "IN": 0.15, "NG": 0.12, "DE": 0.1, "BR": 0.08},
    "age": {"18-24": 0.25, "25-39": 0.35, "40-54": 0.25, "55+": 0.15},
    "handedness": {"right": 0.8, "left": 0.2},
}
FEWEST_ANNOTATORS, MOST_ANNOTATORS, LABELS_PER_ANNOTATOR = 200, 1000, 60  # annotators; and labels of one, on average
LABEL_CENTRES = (1.9, 0.3, -1.1, -3.2)  # logits of calling what looks overt, veiled, rough, plain violating
ANNOTATOR_SPREAD, ITEM_SPREAD = 0.4, 0.6  # spread of annotators and of items around that


def draw_annotators(items: int, rng: np.random.Generator) -> pl.DataFrame:
    """`id` and a column an attribute, drawn independently of one another."""
    size = int(np.clip(min(items, ANNOTATED) * LABELS // LABELS_PER_ANNOTATOR, FEWEST_ANNOTATORS, MOST_ANNOTATORS))
    drawn = {
        name: pl.Series(list(shares)).gather(draw_weighted(rng, list(shares.values()), size))
        for name, shares in ATTRIBUTES.items()
    }
    return pl.DataFrame({"id": pl.Series([f"a{number:04d}" for number in range(size)]), **drawn})


def draw_labels(people: pl.DataFrame, nature: ItemContent, ids: pl.Series, rng: np.random.Generator) -> pl.DataFrame:
    """`item`, `annotator`, `label` (0 or 1): five labels by different people on each of 20,000 items, or on all."""
    size = len(nature.violates)
    rows = np.sort(rng.choice(size, min(size, ANNOTATED), replace=False))
    who = _panels(len(rows), len(people), rng)
    ready = np.asarray(LABEL_CENTRES)[nature.look[rows]] + ITEM_SPREAD * rng.standard_normal(len(rows))
    logit = (
        ready[:, None]
        + (ANNOTATOR_SPREAD * rng.standard_normal(len(people)))[who]
        + sensitivity(people, nature, rows, who)
    )
    label = rng.random(who.shape) < 1.0 / (1.0 + np.exp(-logit))
    return pl.DataFrame(
        {
            "item": ids.gather(np.repeat(rows, LABELS)),
            "annotator": people["id"].gather(who.ravel()),
            "label": pl.Series(label.ravel(), dtype=pl.Int8),
        }
    )


def sensitivity(people: pl.DataFrame, nature: ItemContent, rows: Ints, who: Ints) -> Floats:
    """How much readier each annotator is for each of the items because of who they are."""
    total = np.zeros(who.shape)
    for planted in SENSITIVITIES:
        belongs = (people[planted.attribute] == planted.value).to_numpy()
        total += planted.shift * belongs[who] * concerned_items(planted, nature)[rows][:, None]
    return total


def concerned_items(planted: Sensitivity, nature: ItemContent) -> Bools:
    """The items that a sensitivity is about."""
    if planted.items == "contested":
        return nature.contested
    if planted.items == "mention":
        return nature.mentions
    return np.asarray(nature.kind == KINDS.index(planted.items))


def _panels(items: int, people: int, rng: np.random.Generator) -> Ints:
    """Different annotators for every item, some of them far busier than others."""
    weights = rng.lognormal(0.0, 1.0, people)
    who = draw_weighted(rng, weights, items * LABELS).reshape(items, LABELS)
    while len(again := np.flatnonzero((np.diff(np.sort(who, axis=1), axis=1) == 0).any(axis=1))):
        who[again] = draw_weighted(rng, weights, len(again) * LABELS).reshape(len(again), LABELS)
    return who
