"""Numbers from annotations, with the draws of their two-way bootstrap and a permutation test."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.clock import timed
from evenhand.intervals.permutation import permutation_test, sums_of_groups
from evenhand.intervals.two_way_bootstrap import REPLICATES, TwoWayBootstrap
from evenhand.measures.perspective import (
    F1,
    MEAN_DELTA,
    Annotations,
    ConformityDeltas,
    Fingerprints,
    as_confusion_tables,
    confusion_columns,
    decided_classes,
    delta_fingerprints,
    group_confusions,
    majority_labels,
    sums_by_group,
)
from evenhand.measures.perspective.agreement import (
    AC1,
    ALPHA,
    KAPPA,
    coincidences,
    fold_unweighted,
    item_shares,
    label_counts,
    label_strata,
    pair_tables,
)
from evenhand.measures.perspective.divergence import divergences

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
    annotations = Annotations.from_columns(item, annotator, label, size=(items, people, 2))
    deltas = ConformityDeltas.from_labels(annotations, probabilities, majority_labels(annotations))
    decided = decided_classes(probabilities)
    counts, strata = label_counts(annotations, group, GROUPS), label_strata(annotations, group, GROUPS)
    sums_by_group(deltas.annotations, deltas.columns, group, GROUPS)
    group_confusions(annotations, decided, group, GROUPS)
    pairs = fold_unweighted(pair_tables, counts)
    prints = delta_fingerprints(deltas)
    alike, shares = fold_unweighted(coincidences, counts), fold_unweighted(item_shares, counts)
    for g in range(GROUPS + 1):
        KAPPA.of(pairs[g, g]), ALPHA.of(alike[g]), AC1.of(shares[g])
    signs = deltas.signs_by_annotator.astype(float)

    def diverging(codes: np.ndarray) -> np.ndarray:
        return divergences(sums_of_groups(signs, codes, GROUPS), smoothing=0.5)

    permutation_test(diverging, group, permutations=REPLICATES - 1)
    kept, whole = (TwoWayBootstrap(a.annotator, a.item, people, items) for a in (deltas.annotations, annotations))
    drawn = kept.sums(deltas.columns, group, GROUPS)
    fitted = as_confusion_tables(whole.sums(confusion_columns(annotations, decided), group, GROUPS))
    agreed = whole.pairs(*strata)
    for g in range(GROUPS + 1):
        MEAN_DELTA.drawn(drawn[:, g, :2]), F1.drawn(fitted[:, g]), KAPPA.drawn(agreed[:, g, g])
    return prints
