"""Numbers from annotations, with the draws of their two-way bootstrap and a permutation test."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.clock import timed
from evenhand.intervals.permutation import permute
from evenhand.intervals.two_way import REPLICATES, Crossing
from evenhand.measures.agreement import (
    AC1,
    ALPHA,
    KAPPA,
    coincidences,
    counted,
    in_strata,
    item_shares,
    once,
    pair_tables,
)
from evenhand.measures.divergence import divergences
from evenhand.measures.perspective import (
    F1,
    MEAN,
    Annotations,
    Deltas,
    Fingerprints,
    as_tables,
    confusion_columns,
    confusions,
    decisions,
    fingerprints,
    majority,
    sums_by_group,
)

GROUPS = 4


def everything(path: str, people: list[int]) -> dict[str, Any]:
    """All of it; the fingerprints of some people are given, to be held beside those of others."""
    names = ("item", "annotator", "label", "probabilities", "group")
    columns = {name: np.load(f"{path}/{name}.npy") for name in names}
    found, prints = timed(lambda: measure(**columns))
    place = {int(person): row for row, person in enumerate(prints.annotator)}
    shares = {str(person): prints.shares[place[person]].tolist() for person in people if person in place}
    return found | {"shares": shares, "draws": REPLICATES}


def measure(
    item: np.ndarray, annotator: np.ndarray, label: np.ndarray, probabilities: np.ndarray, group: np.ndarray
) -> Fingerprints:
    """Everything an audit needs."""
    items, people = len(probabilities), len(group)
    annotations = Annotations.of(item, annotator, label, size=(items, people, 2))
    deltas = Deltas.of(annotations, probabilities, majority(annotations))
    decided = decisions(probabilities)
    counts, strata = counted(annotations, group, GROUPS), in_strata(annotations, group, GROUPS)
    sums_by_group(deltas.annotations, deltas.columns, group, GROUPS)
    confusions(annotations, decided, group, GROUPS)
    pairs = once(pair_tables, counts)
    prints = fingerprints(deltas)
    alike, shares = once(coincidences, counts), once(item_shares, counts)
    for g in range(GROUPS + 1):
        KAPPA.of(pairs[g, g]), ALPHA.of(alike[g]), AC1.of(shares[g])
    signs = deltas.signs_by_annotator.astype(float)

    def diverging(g: np.ndarray) -> np.ndarray:
        rows = [np.bincount(g + 1, column, GROUPS + 1) for column in signs.T]
        return divergences(np.vstack((np.column_stack(rows)[1:], signs.sum(axis=0))), smoothing=0.5)

    permute(diverging, group, permutations=REPLICATES - 1)
    kept, whole = (Crossing(a.annotator, a.item, people, items) for a in (deltas.annotations, annotations))
    drawn = kept.sums(deltas.columns, group, GROUPS)
    fitted = as_tables(whole.sums(confusion_columns(annotations, decided), group, GROUPS))
    agreed = whole.folded(*strata, pair_tables)
    for g in range(GROUPS + 1):
        MEAN.drawn(drawn[:, g, :2]), F1.drawn(fitted[:, g]), KAPPA.drawn(agreed[:, g, g])
    return prints
