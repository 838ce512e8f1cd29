"""How far annotators agree with one another, within groups and between them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from evenhand.audits.perspective.crowd import FEWEST
from evenhand.audits.perspective.estimating import Labelled
from evenhand.estimate import Estimate
from evenhand.finding import Measured
from evenhand.measures.agreement import AC1, ALPHA, KAPPA, coincidences, item_shares, pair_tables
from evenhand.tally import FloatArray

BOUNDS = (-1.0, 1.0)


def agreements(labelled: Labelled) -> Iterator[Measured]:
    """κ, α and AC1 of everybody and of each group; κ also between groups."""
    tables = labelled.folds(pair_tables)
    yield from _each(labelled, tables)
    for number, fold in ((ALPHA, coincidences), (AC1, item_shares)):
        plain, drawn = labelled.folds(fold)
        for group, slice_ in labelled.crowd.slices:
            estimate = labelled.estimate(number, plain[group], drawn[:, group], group=group, bounds=BOUNDS)
            yield Measured(number.name, slice_, _of_enough(labelled, estimate, group, group))


def _each(labelled: Labelled, tables: tuple[FloatArray, FloatArray]) -> Iterator[Measured]:
    plain, drawn = tables
    for group, slice_ in labelled.crowd.slices:
        estimate = labelled.estimate(KAPPA, plain[group, group], drawn[:, group, group], group=group, bounds=BOUNDS)
        yield Measured(KAPPA.name, slice_, _of_enough(labelled, estimate, group, group))
    names = labelled.crowd.names
    for one, two in combinations(range(len(names)), 2):
        smaller = min(one, two, key=lambda group: labelled.worth[group])
        estimate = labelled.estimate(KAPPA, plain[one, two], drawn[:, one, two], group=smaller, bounds=BOUNDS)
        slice_ = {"annotators": names[one], "with": names[two]}
        yield Measured(KAPPA.name, slice_, _of_enough(labelled, estimate, one, two))


def _of_enough(labelled: Labelled, estimate: Estimate, one: int, two: int) -> Estimate:
    """Nothing is said of fewer than five people, here those who labelled an item together."""
    people = _together(labelled, one, two)
    if people >= FEWEST:
        return estimate
    why = f"fewer than {FEWEST} of these people labelled the same items"
    return Estimate.undefined(why, level=estimate.level, n=estimate.n)


def _together(labelled: Labelled, one: int, two: int) -> int:
    """How many people of two groups, or of one, share an item with another of them."""
    a, crowd = labelled.annotations, labelled.crowd
    first, second = (crowd.member(group)[a.annotator] for group in (one, two))
    there = [np.bincount(a.item[rows], minlength=a.items) for rows in (first, second)]
    if one == two:
        return len(np.unique(a.annotator[first & (there[0][a.item] > 1)]))
    shared = (first & (there[1][a.item] > 0)) | (second & (there[0][a.item] > 0))
    return len(np.unique(a.annotator[shared]))
