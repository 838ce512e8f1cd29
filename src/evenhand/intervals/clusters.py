"""Items that come in threads, or by author, and were drawn together: the share of violating ones, and its variance.

A thread counts as one draw, however long it is. The share is a ratio, violations over items, and its variance comes
from how far each thread's violations are from what its length would make one expect.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.errors import InputError, Undefined
from evenhand.intervals.survey import Figure


def clustered(
    label: npt.ArrayLike,
    cluster: npt.ArrayLike,
    *,
    clusters: int | None = None,
    strata: npt.ArrayLike | None = None,
    sizes: npt.ArrayLike | None = None,
) -> Figure:
    """From a label and a cluster number per item. `clusters` is how many there are in all, for a finite population.

    With `strata` (one per item; clusters do not cross them) `sizes` are the clusters in each.
    """
    violating = arrays.probabilities(label, "label")  # a share, where annotators differ
    _, code, first = _numbered(cluster, len(violating))
    hits, items = np.bincount(code, violating), np.bincount(code).astype(np.float64)
    stratum = np.zeros(len(items), dtype=np.int64)
    if strata is not None:
        stratum = arrays.wholes(strata, "strata", size=len(violating))[first]
    counts = np.bincount(stratum).astype(np.float64)
    totals = _totals(counts, clusters, sizes)
    if (counts[counts > 0] < 2.0).any():
        raise Undefined("a single cluster was drawn, so the variance between clusters is not known")
    weight = totals / np.maximum(counts, 1.0)
    whole = float(weight[stratum] @ items)
    value = float(weight[stratum] @ hits) / whole
    rest = hits - value * items
    centred = rest - (np.bincount(stratum, rest) / np.maximum(counts, 1.0))[stratum]
    each = np.bincount(stratum, centred**2) / np.maximum(counts - 1.0, 1.0)
    variance = float(np.sum(totals * (totals - counts) / np.maximum(counts, 1.0) * each)) / whole**2
    heaviest = float(np.max((weight[stratum] - 1.0) * items)) / whole
    return Figure(value, variance, float(counts.sum() - len(counts)), len(violating), float(hits.sum()), heaviest)


def design_effect(figure: Figure) -> float:
    """How many times the variance of as many items drawn one by one."""
    alone = figure.value * (1.0 - figure.value) / figure.n
    if alone == 0.0:
        raise Undefined("all labels are alike, so there is no variance to compare")
    return figure.variance / alone


def _numbered(cluster: npt.ArrayLike, size: int) -> tuple[object, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    names = np.asarray(cluster)
    if len(names) != size:
        raise InputError(f"there are {len(names)} clusters for {size} items", column="cluster")
    if not size:
        raise Undefined("nothing was labelled")
    found, first, code = np.unique(names, return_index=True, return_inverse=True)
    return found, code.astype(np.int64), first.astype(np.int64)


def _totals(counts: arrays.Floats, clusters: int | None, sizes: npt.ArrayLike | None) -> arrays.Floats:
    """Clusters there are in each stratum; without a number there is no end to them."""
    if sizes is not None:
        totals = arrays.numbers(sizes, "sizes", size=len(counts))
        arrays.refuse(totals < counts, "there are fewer clusters than were drawn", "sizes")
        return totals
    if clusters is not None:
        return np.array([float(arrays.whole(clusters, "the clusters", least=int(counts.sum())))])
    return counts * 1e9
