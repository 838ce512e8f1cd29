"""How far annotators agree with one another, within groups and between them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from evenhand.audits.perspective.estimating import Labelled
from evenhand.finding import Measured, Slice
from evenhand.measures.agreement import AC1, ALPHA, KAPPA, coincidences, item_shares, pair_tables
from evenhand.tally import FloatArray

BOUNDS = (-1.0, 1.0)


def agreements(labelled: Labelled) -> Iterator[Measured]:
    """κ, α and AC1 of everybody and of each group; κ also between groups."""
    tables = labelled.folds(pair_tables)
    yield from _each(labelled, tables)
    for number, fold in ((ALPHA, coincidences), (AC1, item_shares)):
        plain, drawn = labelled.folds(fold)
        for group, slice_ in _slices(labelled):
            estimate = labelled.estimate(number, plain[group], drawn[:, group], group=group, bounds=BOUNDS)
            yield Measured(number.name, slice_, estimate)


def _each(labelled: Labelled, tables: tuple[FloatArray, FloatArray]) -> Iterator[Measured]:
    plain, drawn = tables
    for group, slice_ in _slices(labelled):
        estimate = labelled.estimate(KAPPA, plain[group, group], drawn[:, group, group], group=group, bounds=BOUNDS)
        yield Measured(KAPPA.name, slice_, estimate)
    names = labelled.crowd.names
    for one, two in combinations(range(len(names)), 2):
        smaller = min(one, two, key=lambda group: labelled.worth[group])
        estimate = labelled.estimate(KAPPA, plain[one, two], drawn[:, one, two], group=smaller, bounds=BOUNDS)
        yield Measured(KAPPA.name, {"annotators": names[one], "with": names[two]}, estimate)


def _slices(labelled: Labelled) -> list[tuple[int, Slice]]:
    names = labelled.crowd.names
    return [(len(names), {}), *((number, {"annotators": name}) for number, name in enumerate(names))]
