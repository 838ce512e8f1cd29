"""People who belong to two groups at once: groups of their own, where there are enough of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np

from evenhand.audits.quantity import SMALL
from evenhand.errors import InputError
from evenhand.evidence import Evidence, TableEvidence
from evenhand.evidence.annotators import JOINT
from evenhand.tally import IntArray, Membership
from evenhand.tally.rows import Mask


def with_intersections(evidence: Evidence) -> Evidence:
    """Add every pair of groups that share more than 100 items and of which neither contains the other."""
    if not isinstance(evidence, TableEvidence):
        raise InputError("pairs of groups need the rows at hand, not on a cluster", source=evidence.name)
    groups, weights = dict(evidence.members), evidence.weights

    def items(rows: IntArray) -> float:
        return len(rows) if weights is None else float(weights.count[rows].sum())

    for (first, one), (second, two) in combinations(evidence.members.items(), 2):
        both = np.intersect1d(one.rows, two.rows, assume_unique=True)
        if items(both) > SMALL and len(both) < min(len(one.rows), len(two.rows)):
            groups[first + JOINT + second] = Membership(both.astype(np.int32), _both(one, two))
    return replace(evidence, members=groups)


def _both(one: Membership, two: Membership) -> Mask | None:
    if one.annotated is None or two.annotated is None or one.annotated is two.annotated:
        return one.annotated if one.annotated is not None else two.annotated
    return one.annotated & two.annotated
