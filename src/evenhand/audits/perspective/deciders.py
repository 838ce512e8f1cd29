"""Whether one or two people decide: a group that differs significantly, tested again without those who count most.

A group of a dozen annotators can differ from everybody because of two of them. So the mean delta of each marked group
is tested again without the one, then the two, whose labels move it furthest; where it is no longer significant after
the same correction, the verdict says so. Nobody is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evenhand.arrays import Ints
from evenhand.audits.perspective.divergences import permute_means
from evenhand.audits.perspective.exhibits import PerspectiveExhibit
from evenhand.audits.perspective.groups import AnnotatorGroups
from evenhand.audits.perspective.settings import PerspectiveSettings
from evenhand.finding import Exhibit, Slice
from evenhand.intervals.significance import holm
from evenhand.measures.perspective import ConformityDeltas

MOST_LEFT_OUT = 2
MOST_PEOPLE = 100  # in a group, beyond which two do not decide


def deciders_exhibit(
    deltas: ConformityDeltas,
    annotator_groups: AnnotatorGroups,
    settings: PerspectiveSettings,
    model: Slice,
    tests: tuple[Sequence[float | None], Sequence[float]],
    *,
    within_items: bool,
) -> Exhibit | None:
    """The groups of which one or two people decide, and how many; None without any. `tests` are the p-values of mean
    deltas by group, and of everything else that is tested of the model.
    """
    means, others = tests
    alpha = 1.0 - settings.level
    decided: list[tuple[str, float]] = []
    for group in _marked(means, others, alpha):
        if annotator_groups.sizes()[group] <= MOST_PEOPLE:
            for number in range(1, MOST_LEFT_OUT + 1):
                left_out = _most_moving(deltas, annotator_groups, group, number)
                p = _p_without(deltas, annotator_groups, settings, group, left_out, within_items=within_items)
                if group not in _marked([p if n == group else q for n, q in enumerate(means)], others, alpha):
                    decided.append((annotator_groups.names[group], float(number)))
                    break
    if not decided:
        return None
    columns: dict[str, list[str | float | None]] = {
        "annotators": [name for name, _ in decided],
        "people": [people for _, people in decided],
    }
    return Exhibit(PerspectiveExhibit.DECIDERS, model, columns)


def _marked(means: Sequence[float | None], others: Sequence[float], alpha: float) -> list[int]:
    """The groups whose mean delta is significant after correction for everything tested."""
    tested = [number for number, p in enumerate(means) if p is not None]
    marks = holm([*(means[number] or 0.0 for number in tested), *others], alpha)
    return [number for number, mark in zip(tested, marks, strict=False) if mark]


def _most_moving(deltas: ConformityDeltas, annotator_groups: AnnotatorGroups, group: int, number: int) -> Ints:
    """Those of a group without whom its mean delta is nearest to everybody's, one after the other."""
    annotator, people = deltas.annotations.annotator, deltas.annotations.annotators
    sums, labels = np.bincount(annotator, deltas.values, people), np.bincount(annotator, minlength=people)
    everybody = sums.sum() / max(labels.sum(), 1)
    inside = annotator_groups.member(group) & (labels > 0)
    left_out: list[int] = []
    for _ in range(min(number, int(inside.sum()) - 1)):
        rest = labels[inside].sum() - labels
        means = np.divide(sums[inside].sum() - sums, rest, out=np.full(people, np.inf), where=inside & (rest > 0))
        left_out.append(int(np.argmin(np.abs(means - everybody))))
        inside[left_out[-1]] = False
    return np.asarray(left_out, dtype=np.int64)


def _p_without(
    deltas: ConformityDeltas,
    annotator_groups: AnnotatorGroups,
    settings: PerspectiveSettings,
    group: int,
    left_out: Ints,
    *,
    within_items: bool,
) -> float | None:
    rows = ~np.isin(deltas.annotations.annotator, left_out)
    rest = replace(
        deltas, annotations=deltas.annotations.only(rows), values=deltas.values[rows], differs=deltas.differs[rows]
    )
    codes = annotator_groups.group.copy()
    codes[left_out] = -1
    return permute_means(rest, replace(annotator_groups, group=codes), settings, within_items=within_items).p_value(
        group
    )
