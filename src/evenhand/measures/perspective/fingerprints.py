"""An annotator as the histogram of their deltas: where the model fits what they say worse, and where better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand.errors import InputError
from evenhand.measures.perspective.annotations import Numbers
from evenhand.measures.perspective.deltas import Deltas
from evenhand.tally import FloatArray

BINS, FEWEST = 40, 20


@dataclass(frozen=True)
class Fingerprints:
    """`annotator` are the numbers of those with enough labels, `shares` their histograms; each row sums to one.

    `left_out` counts annotators who gave a label but too few of them.
    """

    annotator: Numbers
    shares: FloatArray
    left_out: int


def fingerprints(
    deltas: Deltas, *, bins: int = BINS, fewest: int = FEWEST, labels: npt.ArrayLike | None = None
) -> Fingerprints:
    """Equal bins of [−1, 1], each with its lower edge, the last with both.

    `labels` is how many labels each annotator gave in all, where the deltas leave some out (ties, "cannot tell").
    """
    if bins < 1 or fewest < 1:
        raise InputError("there must be at least one bin, and annotators with at least one label")
    people = deltas.annotations.annotators
    kept = deltas.annotations.labels_given
    given = kept if labels is None else np.asarray(labels)
    if given.shape != (people,):
        raise InputError(f"labels must be one number for each of the {people} annotators")
    enough = np.flatnonzero((given >= fewest) & (kept > 0))
    cell = deltas.annotations.annotator * bins + in_bins(deltas.values, bins)
    counts = np.bincount(cell, minlength=people * bins).reshape(people, bins)[enough]
    return Fingerprints(enough, counts / kept[enough, None], int((given > 0).sum()) - len(enough))


def in_bins(values: FloatArray, bins: int) -> Numbers:
    """The bin of each value from −1 to 1, counted from 0; an edge belongs to the bin above it, as written in decimals.

    The edges are −1 + 2j/bins rounded to a float, so a value is compared with the very numbers that a reader sees.
    """
    edges = -1.0 + 2.0 * np.arange(bins + 1) / bins
    place = np.clip(((values + 1.0) * (0.5 * bins)).astype(np.int64), 0, bins - 1)
    place -= values < edges[place]
    place += values >= edges[place + 1]
    return np.clip(place, 0, bins - 1)
