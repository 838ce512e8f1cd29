"""Annotators, who differ in what they find violating, and what each of them said."""

from __future__ import annotations

import numpy as np
import polars as pl

from evenhand.synthetic.community.nature import Nature
from evenhand.synthetic.community.planted import ANNOTATED, KINDS, LABELS, SENSITIVITIES, Sensitivity
from evenhand.synthetic.community.setting import Bools, Floats, Whole, weighted

ATTRIBUTES: dict[str, dict[str, float]] = {
    "gender": {"woman": 0.48, "man": 0.48, "nonbinary": 0.04},
    "ethnicity": {"white": 0.5, "black": 0.2, "asian": 0.15, "latino": 0.1, "other": 0.05},
    "country": {"US": 0.35, "GB": 0.2, "IN": 0.15, "NG": 0.12, "DE": 0.1, "BR": 0.08},
    "age": {"18-24": 0.25, "25-39": 0.35, "40-54": 0.25, "55+": 0.15},
    "handedness": {"right": 0.8, "left": 0.2},
}
FEWEST, MOST, EACH = 200, 1000, 60  # annotators; and labels of one, on average
READY = (1.9, 0.3, -1.1, -3.2)  # logits of calling what looks overt, veiled, rough, plain violating
PERSON, ITEM = 0.4, 0.6  # spread of annotators and of items around that


def annotators(items: int, rng: np.random.Generator) -> pl.DataFrame:
    """`id` and a column an attribute, drawn independently of one another."""
    size = int(np.clip(min(items, ANNOTATED) * LABELS // EACH, FEWEST, MOST))
    drawn = {
        name: pl.Series(list(shares)).gather(weighted(rng, list(shares.values()), size))
        for name, shares in ATTRIBUTES.items()
    }
    return pl.DataFrame({"id": pl.Series([f"a{number:04d}" for number in range(size)]), **drawn})


def labels(people: pl.DataFrame, nature: Nature, ids: pl.Series, rng: np.random.Generator) -> pl.DataFrame:
    """`item`, `annotator`, `label` (0 or 1): five labels by different people on each of 20,000 items, or on all."""
    size = len(nature.violates)
    rows = np.sort(rng.choice(size, min(size, ANNOTATED), replace=False))
    who = _panels(len(rows), len(people), rng)
    ready = np.asarray(READY)[nature.look[rows]] + ITEM * rng.standard_normal(len(rows))
    logit = ready[:, None] + (PERSON * rng.standard_normal(len(people)))[who] + sensitivity(people, nature, rows, who)
    label = rng.random(who.shape) < 1.0 / (1.0 + np.exp(-logit))
    return pl.DataFrame(
        {
            "item": ids.gather(np.repeat(rows, LABELS)),
            "annotator": people["id"].gather(who.ravel()),
            "label": pl.Series(label.ravel(), dtype=pl.Int8),
        }
    )


def sensitivity(people: pl.DataFrame, nature: Nature, rows: Whole, who: Whole) -> Floats:
    """How much readier each annotator is for each of the items because of who they are."""
    total = np.zeros(who.shape)
    for planted in SENSITIVITIES:
        belongs = (people[planted.attribute] == planted.value).to_numpy()
        total += planted.shift * belongs[who] * concerned(planted, nature)[rows][:, None]
    return total


def concerned(planted: Sensitivity, nature: Nature) -> Bools:
    """The items that a sensitivity is about."""
    if planted.items == "contested":
        return nature.contested
    if planted.items == "mention":
        return nature.mentions
    return np.asarray(nature.kind == KINDS.index(planted.items))


def _panels(items: int, people: int, rng: np.random.Generator) -> Whole:
    """Different annotators for every item, some of them far busier than others."""
    weights = rng.lognormal(0.0, 1.0, people)
    who = weighted(rng, weights, items * LABELS).reshape(items, LABELS)
    while len(again := np.flatnonzero((np.diff(np.sort(who, axis=1), axis=1) == 0).any(axis=1))):
        who[again] = weighted(rng, weights, len(again) * LABELS).reshape(len(again), LABELS)
    return who
