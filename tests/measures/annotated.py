"""Made-up annotations: some people, some items, labels missing here and given twice there."""

from __future__ import annotations

import numpy as np

from evenhand.measures.perspective import Annotations

ITEMS, PEOPLE = 40, 13


def made(classes: int, seed: int = 0, *, repeats: int = 0):
    """Items with two to seven labels each, or with some labels given twice."""
    rng = np.random.default_rng(seed)
    people = [rng.permutation(PEOPLE)[: rng.integers(2, 8)] for _ in range(ITEMS)]
    item = np.repeat(np.arange(ITEMS), [len(p) for p in people])
    annotator = np.concatenate(people)
    label = np.where(rng.random(len(item)) < 0.6, (item * 7) % classes, rng.integers(0, classes, len(item)))
    again = rng.integers(0, len(item), repeats)
    item, annotator, label = (
        np.concatenate((item, item[again])),
        np.concatenate((annotator, annotator[again])),
        np.concatenate((label, rng.integers(0, classes, repeats))),
    )
    probabilities = rng.dirichlet(np.full(classes, 0.5), ITEMS)
    group = rng.permutation(PEOPLE) % 4 - 1  # three people or more in each
    return Annotations.from_columns(item, annotator, label, size=(ITEMS, PEOPLE, classes)), probabilities, group


def rows(annotations: Annotations) -> list[tuple[int, int, int]]:
    return list(zip(annotations.item.tolist(), annotations.annotator.tolist(), annotations.label.tolist(), strict=True))
