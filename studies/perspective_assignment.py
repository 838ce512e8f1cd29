"""How often is a group marked that does not differ, where groups labelled different items?

Items differ in how hard they are; annotators of the second group label the hard half with `preference` times the chance
of the easy half, those of the first the other way round. Nobody's judgement depends on their group. `shuffled` is how
often shuffling groups over annotators marks a mean delta (at 5 %, uncorrected, either group); `within` is the same
within items, which the audit uses where `noticed`.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from evenhand.audits.perspective.assignment import assigned_by_group
from evenhand.audits.perspective.divergences import permute_means
from evenhand.audits.perspective.groups import AnnotatorGroups
from evenhand.audits.perspective.settings import PerspectiveSettings
from evenhand.measures.perspective import Annotations, ConformityDeltas, majority_labels
from studies.study import Row, Study

SETTINGS = PerspectiveSettings(permutations=199)


def cells() -> list[Row]:
    return [{"people": n, "items": 200, "labels": 50, "preference": p} for n in (16, 40) for p in (1.0, 2.0, 4.0)]


def drawn(cell: Row, rng: np.random.Generator) -> tuple[Annotations, ConformityDeltas, AnnotatorGroups]:
    people, items = int(cell["people"]), int(cell["items"])
    group, hard = np.arange(people) % 2, np.arange(items) % 2
    liked = np.where(group[:, None] == hard, cell["preference"], 1.0)
    keys = rng.exponential(size=(people, items)) / liked
    item = np.argsort(keys, axis=1)[:, : int(cell["labels"])]
    annotator = np.repeat(np.arange(people), item.shape[1])
    level = np.where(hard == 1, 0.0, -2.0) + rng.normal(size=items)
    p = expit(level + 0.5 * rng.normal(size=items))
    label = rng.random(item.size) < expit(level[item.ravel()] + 0.7 * rng.normal(size=people)[annotator])
    annotations = Annotations.from_columns(item.ravel(), annotator, label.astype(int), size=(items, people, 2))
    deltas = ConformityDeltas.from_labels(annotations, np.column_stack((1.0 - p, p)), majority_labels(annotations))
    return annotations, deltas, AnnotatorGroups(("first", "second"), group, None, ())


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    marks = []
    for _ in range(draws):
        annotations, deltas, annotator_groups = drawn(cell, rng)
        noticed = assigned_by_group(annotations, annotator_groups, 0)
        plain, within = (
            permute_means(deltas, annotator_groups, SETTINGS, within_items=way).p_value(1) for way in (False, True)
        )
        marks.append([plain <= 0.05, within <= 0.05, noticed, (within if noticed else plain) <= 0.05])
    names = ("shuffled", "within", "noticed", "audit")
    return [dict(zip(names, np.mean(marks, axis=0).tolist(), strict=True))]


STUDY = Study("perspective_assignment", cells(), run, draws=400)
