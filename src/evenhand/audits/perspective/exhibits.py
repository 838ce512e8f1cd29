"""The data of the perspective figures: deltas by group, members of clusters, labels per annotator."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import numpy as np

from evenhand.audits.perspective.divergences import AnnotatorClusters
from evenhand.audits.perspective.groups import AnnotatorGroups
from evenhand.audits.settings import SMALLEST_GROUP
from evenhand.finding import Exhibit, Slice, SliceKey
from evenhand.measures.perspective import ConformityDeltas
from evenhand.measures.perspective.conformity import FINGERPRINT_BINS, delta_bins


class PerspectiveExhibit(StrEnum):
    """The kinds of tables that figures and sections are made from."""

    DELTAS = "deltas"  # the histogram of a group's deltas
    LOADS = "loads"  # how many annotators of a group gave so many labels
    CLUSTER = "cluster"  # who is in a cluster of annotators, and their mean deltas
    INERTIA = "inertia"  # how far annotators are from the middle of their cluster, by the number of bins
    DECIDERS = "deciders"  # groups whose difference one or two of their annotators decide
    STANDING = "standing"  # of each group, whether it stands out


LABEL_COUNT_EDGES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)  # labels of an annotator


def perspective_exhibits(
    deltas: ConformityDeltas,
    annotator_groups: AnnotatorGroups,
    named: Slice,
    clusters: AnnotatorClusters | None = None,
    inertia: Mapping[int, float] | None = None,
) -> list[Exhibit]:
    """Of one model."""
    found = [
        make(deltas, annotator_groups, number, {**named, SliceKey.ANNOTATORS: name})
        for make in (_delta_histogram, _label_counts)
        for number, name in enumerate(annotator_groups.names)
    ]
    if clusters is not None:
        found += [_cluster(deltas, annotator_groups, clusters, number, named) for number in range(clusters.number)]
    if inertia:
        bins, spread = [float(b) for b in inertia], list(inertia.values())
        found.append(Exhibit(PerspectiveExhibit.INERTIA, named, {"bins": bins, "inertia": spread}))
    return found


def _delta_histogram(
    deltas: ConformityDeltas, annotator_groups: AnnotatorGroups, number: int, slice_: Slice
) -> Exhibit:
    """The histogram of a group's deltas, as shares of its labels."""
    rows = annotator_groups.member(number)[deltas.annotations.annotator]
    counts = np.bincount(delta_bins(deltas.values[rows], FINGERPRINT_BINS), minlength=FINGERPRINT_BINS)
    middle = -1.0 + (2.0 * np.arange(FINGERPRINT_BINS) + 1.0) / FINGERPRINT_BINS
    shares = counts / max(1, counts.sum())
    return Exhibit(PerspectiveExhibit.DELTAS, slice_, {"delta": middle.tolist(), "share": shares.tolist()})


def _label_counts(deltas: ConformityDeltas, annotator_groups: AnnotatorGroups, number: int, slice_: Slice) -> Exhibit:
    """How many annotators gave so many labels."""
    given = deltas.annotations.labels_given[annotator_groups.member(number)]
    counts = np.histogram(given[given > 0], bins=[*LABEL_COUNT_EDGES, np.inf])[0]
    columns = {"labels": [float(n) for n in LABEL_COUNT_EDGES], "annotators": counts.astype(float).tolist()}
    return Exhibit(PerspectiveExhibit.LOADS, slice_, columns)


def _cluster(
    deltas: ConformityDeltas, annotator_groups: AnnotatorGroups, clusters: AnnotatorClusters, number: int, named: Slice
) -> Exhibit:
    """Per group: how many annotators of it are in the cluster, and their mean delta where they are enough."""
    inside = np.zeros(len(annotator_groups.group), dtype=bool)
    inside[clusters.prints.annotator[clusters.cluster == number]] = True
    annotator = deltas.annotations.annotator
    people: list[float] = []
    means: list[float | None] = []
    for group in range(len(annotator_groups.names)):
        who = inside & annotator_groups.member(group)
        some = int(who.sum())
        people.append(float(some))
        means.append(float(deltas.values[who[annotator]].mean()) if some >= SMALLEST_GROUP else None)
    slice_ = {**named, SliceKey.CLUSTER: str(number + 1)}
    return Exhibit(PerspectiveExhibit.CLUSTER, slice_, {"annotators": people, "delta": means})
