"""Whether items were assigned to annotators by group, and what labels of a group would be by their items alone.

If one group saw harder items than another, its deltas are larger whoever its members are. Shuffling groups over
annotators does not show that. So where items and groups go together, each annotator's deltas are compared with those
that everybody gave the same items: groups are then compared within items.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from evenhand.arrays import Floats, Ints
from evenhand.audits.perspective.groups import AnnotatorGroups
from evenhand.measures.perspective import Annotations, ConformityDeltas
from evenhand.measures.perspective.conformity import SIGN_KINDS

SHUFFLES = 99  # all of which must show less of a tendency


def assigned_by_group(annotations: Annotations, annotator_groups: AnnotatorGroups, seed: int) -> bool:
    """Whether annotators of one group share items more than groups at random would."""
    ones = np.ones(len(annotations))
    seen = sparse.csr_array(
        (ones, (annotations.item, annotations.annotator)), shape=(annotations.items, annotations.annotators)
    )
    labels = np.maximum(np.bincount(annotations.item, minlength=annotations.items), 1)
    rng = np.random.default_rng(seed)
    found = _concentration(seen, labels, annotator_groups.group, len(annotator_groups.names))
    return all(
        _concentration(seen, labels, shuffled, len(annotator_groups.names)) < found
        for shuffled in (_shuffled(annotator_groups, rng) for _ in range(SHUFFLES))
    )


def expected_deltas(deltas: ConformityDeltas) -> Floats:
    """Per label the mean delta of its item, over everybody who labelled it."""
    item, items = deltas.annotations.item, deltas.annotations.items
    labels = np.maximum(np.bincount(item, minlength=items), 1)
    means: Floats = np.bincount(item, deltas.values, items) / labels
    return means[item]


def expected_signs(deltas: ConformityDeltas) -> Floats:
    """Annotators × 3: how many of their deltas were below 0, 0, above 0, if they were like everybody on their items."""
    known = deltas.annotations
    cells = np.bincount(known.item * SIGN_KINDS + deltas.signs, minlength=known.items * SIGN_KINDS)
    shares = cells.reshape(-1, SIGN_KINDS) / np.maximum(np.bincount(known.item, minlength=known.items), 1)[:, None]
    counts = [np.bincount(known.annotator, shares[known.item, kind], known.annotators) for kind in range(SIGN_KINDS)]
    return np.stack(counts, axis=1)


def _concentration(seen: sparse.csr_array, labels: Ints, group: Ints, groups: int) -> float:
    """How many pairs of labels of one item are of one group, as a share of the item's labels."""
    members = sparse.csr_array((np.ones(len(group)), (np.arange(len(group)), group % (groups + 1))))
    counts = (seen @ members).toarray()[:, :groups]
    return float(((counts**2).sum(axis=1) / labels).sum())


def _shuffled(annotator_groups: AnnotatorGroups, rng: np.random.Generator) -> Ints:
    """Groups handed out anew, within the strata of annotators where there are some."""
    strata = (
        np.zeros(len(annotator_groups.group), dtype=np.int64)
        if annotator_groups.within is None
        else annotator_groups.within
    )
    places, order = np.argsort(strata, kind="stable"), np.lexsort((rng.random(len(strata)), strata))
    shuffled = np.empty_like(annotator_groups.group)
    shuffled[places] = annotator_groups.group[order]
    return shuffled


def differ_more_than_items(annotations: Annotations) -> bool:
    """Whether two labels of one annotator are more alike than two labels of one item."""
    return _likeness(annotations, annotations.annotator) > _likeness(annotations, annotations.item)


def _likeness(annotations: Annotations, codes: Ints) -> float:
    """How alike two labels with the same code are, over all classes: their mean product about the means."""
    sizes = np.bincount(codes).astype(np.float64)
    pairs = float((sizes * (sizes - 1.0)).sum())
    total = 0.0
    for kind in range(annotations.classes):
        apart = (annotations.label == kind) - float((annotations.label == kind).mean())
        total += float((np.bincount(codes, apart) ** 2).sum() - (apart**2).sum())
    return total / pairs if pairs else 0.0
