"""Annotators put together by how the model fits what they say: k-means of their fingerprints, from scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.audits.perspective.crowd import Crowd, Numbers
from evenhand.audits.perspective.settings import PerspectiveSettings
from evenhand.errors import Undefined
from evenhand.measures.perspective import Deltas, Fingerprints, fingerprints

RESTARTS = 10
LOOKED_AT = 5_000  # annotators, for the inertia
BINS = (10, 20, 30, 40, 50, 60, 80, 100)


@dataclass(frozen=True)
class Clusters:
    """The cluster of each annotator who has a fingerprint."""

    prints: Fingerprints
    cluster: Numbers
    number: int

    @classmethod
    def of(cls, deltas: Deltas, crowd: Crowd, labels: Numbers, settings: PerspectiveSettings) -> Clusters:
        """As many clusters as groups, unless told otherwise."""
        prints = fingerprints(deltas, fewest=settings.fewest_labels, labels=labels)
        number = settings.clusters or max(2, len(crowd.names))
        if len(prints.annotator) < 2 * number:
            why = f"only {len(prints.annotator)} annotators gave {settings.fewest_labels} labels or more"
            raise Undefined(f"{why}: too few for {number} clusters")
        return cls(prints, _fitted(prints, number, settings.seed, RESTARTS)[0], number)


def inertia(deltas: Deltas, labels: Numbers, number: int, settings: PerspectiveSettings) -> dict[int, float]:
    """How far annotators are from the middle of their cluster, by the number of bins of a fingerprint."""
    found: dict[int, float] = {}
    for bins in BINS:
        prints = fingerprints(deltas, bins=bins, fewest=settings.fewest_labels, labels=labels)
        some = np.random.default_rng(settings.seed).permutation(len(prints.annotator))[:LOOKED_AT]
        part = Fingerprints(prints.annotator[some], prints.shares[some], prints.left_out)
        found[bins] = _fitted(part, number, settings.seed, 3)[1] / len(some)
    return found


def _fitted(prints: Fingerprints, number: int, seed: int, restarts: int) -> tuple[Numbers, float]:
    from sklearn.cluster import KMeans  # type: ignore[import-untyped]

    distinct = len(np.unique(prints.shares, axis=0))
    means = KMeans(min(number, distinct), n_init=restarts, random_state=seed).fit(prints.shares)
    order = np.argsort(-np.bincount(means.labels_, minlength=number), kind="stable")  # the largest first
    place = np.empty(number, dtype=np.int64)
    place[order] = np.arange(number)
    return place[means.labels_], float(means.inertia_)
