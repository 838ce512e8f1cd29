"""What figures are drawn from: deltas by group, who is in which cluster, how much each annotator labelled."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from evenhand.audits.perspective.clusters import Clusters
from evenhand.audits.perspective.crowd import FEWEST, Crowd
from evenhand.finding import Exhibit, Slice
from evenhand.measures.perspective import Deltas
from evenhand.measures.perspective.fingerprints import BINS, in_bins

LOADS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)  # labels of an annotator


def exhibits(
    deltas: Deltas,
    crowd: Crowd,
    named: Slice,
    clusters: Clusters | None = None,
    inertia: Mapping[int, float] | None = None,
) -> list[Exhibit]:
    """Of one model."""
    found = [_of_group(deltas, crowd, number, {**named, "annotators": name}) for number, name in enumerate(crowd.names)]
    found += [_loads(deltas, crowd, number, {**named, "annotators": name}) for number, name in enumerate(crowd.names)]
    if clusters is not None:
        found += [_cluster(deltas, crowd, clusters, number, named) for number in range(clusters.number)]
    if inertia:
        bins, spread = [float(b) for b in inertia], list(inertia.values())
        found.append(Exhibit("inertia", named, {"bins": bins, "inertia": spread}))
    return found


def _of_group(deltas: Deltas, crowd: Crowd, number: int, slice_: Slice) -> Exhibit:
    """The histogram of a group's deltas, as shares of its labels."""
    rows = crowd.member(number)[deltas.annotations.annotator]
    counts = np.bincount(in_bins(deltas.values[rows], BINS), minlength=BINS)
    middle = -1.0 + (2.0 * np.arange(BINS) + 1.0) / BINS
    shares = counts / max(1, counts.sum())
    return Exhibit("deltas", slice_, {"delta": middle.tolist(), "share": shares.tolist()})


def _loads(deltas: Deltas, crowd: Crowd, number: int, slice_: Slice) -> Exhibit:
    """How many annotators gave so many labels."""
    given = deltas.annotations.labels_given[crowd.member(number)]
    counts = np.histogram(given[given > 0], bins=[*LOADS, np.inf])[0]
    return Exhibit("loads", slice_, {"labels": [float(n) for n in LOADS], "annotators": counts.astype(float).tolist()})


def _cluster(deltas: Deltas, crowd: Crowd, clusters: Clusters, number: int, named: Slice) -> Exhibit:
    """Per group: how many annotators of it are in the cluster, and their mean delta where they are enough."""
    inside = np.zeros(len(crowd.group), dtype=bool)
    inside[clusters.prints.annotator[clusters.cluster == number]] = True
    annotator = deltas.annotations.annotator
    people, means = [], []
    for group in range(len(crowd.names)):
        who = inside & crowd.member(group)
        some = int(who.sum())
        people.append(float(some))
        means.append(float(deltas.values[who[annotator]].mean()) if some >= FEWEST else float("nan"))
    return Exhibit("cluster", {**named, "cluster": str(number + 1)}, {"annotators": people, "delta": means})
