"""Conformity deltas: how much worse a model fits one annotator's label than the majority's (Urbinati et al. 2025).

Conformity is the Brier score of a label, b(t, y) = (1/K) Σ_k (o_k − p_k)². Of the difference of two such sums only the
two labels remain: δ = b(t, own) − b(t, majority) = (2/K) (p(majority) − p(own)). It is exactly 0 where the two agree.
The fingerprint of an annotator is the histogram of their deltas.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.measures.perspective.annotations import Annotations, checked_probabilities
from evenhand.measures.perspective.group_statistics import SparseColumns
from evenhand.measures.perspective.majority import Majority

SIGN_KINDS = 3  # below 0, 0, above 0


@dataclass(frozen=True)
class ConformityDeltas:
    """The deltas of the annotations that have a majority, and those annotations."""

    annotations: Annotations
    values: Floats
    differs: npt.NDArray[np.bool_]

    @classmethod
    def from_labels(
        cls, annotations: Annotations, probabilities: npt.ArrayLike, majority: Majority
    ) -> ConformityDeltas:
        """From the model's probabilities, items × classes."""
        table = checked_probabilities(probabilities, annotations)
        settled = annotations if majority.kept.all() else annotations.only(majority.kept)
        most = majority.label[majority.kept]
        values = (2.0 / annotations.classes) * (table[settled.item, most] - table[settled.item, settled.label])
        return cls(settled, values, settled.label != most)

    @cached_property
    def signs(self) -> Ints:
        """Per annotation 0, 1 or 2: the delta is below 0, 0, above 0."""
        return np.sign(self.values).astype(np.int64) + 1

    @cached_property
    def signs_by_annotator(self) -> Ints:
        """Annotators × 3: how many of their deltas are below 0, 0, above 0."""
        cell = self.annotations.annotator * SIGN_KINDS + self.signs
        return np.bincount(cell, minlength=self.annotations.annotators * SIGN_KINDS).reshape(-1, SIGN_KINDS)

    @cached_property
    def columns(self) -> SparseColumns:
        """Annotations × 5, what a bootstrap weighs: delta, one, below 0, above 0, differs from the majority."""
        signs, everybody = self.signs, np.arange(len(self.values))
        columns = (self.values != 0.0, np.ones_like(self.differs), signs == 0, signs == 2, self.differs)
        rows = [everybody[column] for column in columns]
        ends = np.cumsum([0, *map(len, rows)])
        data = np.ones(ends[-1])
        data[: ends[1]] = self.values[rows[0]]
        return sparse.csc_array((data, np.concatenate(rows), ends), shape=(len(signs), len(columns)))


def conformity_scores(probabilities: npt.ArrayLike, label: npt.ArrayLike) -> Floats:
    """Of each row of probabilities with a label: b = (1/K) Σ_k (o_k − p_k)², 0 at best and 2/K at worst."""
    table, chosen = np.asarray(probabilities, dtype=np.float64), np.asarray(label)
    own = table[np.arange(len(table)), chosen]
    off = np.square(table).sum(axis=1) - own * own + np.square(1.0 - own)
    return np.asarray(off / table.shape[1])


FINGERPRINT_BINS, FEWEST_LABELS = 40, 20


@dataclass(frozen=True)
class Fingerprints:
    """`annotator` are the numbers of those with enough labels, `shares` their histograms; each row sums to one.

    `left_out` counts annotators who gave a label but too few of them.
    """

    annotator: Ints
    shares: Floats
    left_out: int


def delta_fingerprints(
    deltas: ConformityDeltas,
    *,
    bins: int = FINGERPRINT_BINS,
    fewest: int = FEWEST_LABELS,
    labels: npt.ArrayLike | None = None,
) -> Fingerprints:
    """Equal bins of [−1, 1], each with its lower edge, the last with both.

    `labels` is how many labels each annotator gave in all, where the deltas leave some out (ties, "cannot tell").
    """
    if bins < 1 or fewest < 1:
        raise InputError("there must be at least one bin, and annotators with at least one label")
    people = deltas.annotations.annotators
    settled = deltas.annotations.labels_given
    labels_counted = settled if labels is None else np.asarray(labels)
    if labels_counted.shape != (people,):
        raise InputError(f"labels must be one number for each of the {people} annotators")
    enough = np.flatnonzero((labels_counted >= fewest) & (settled > 0))
    cell = deltas.annotations.annotator * bins + delta_bins(deltas.values, bins)
    counts = np.bincount(cell, minlength=people * bins).reshape(people, bins)[enough]
    return Fingerprints(enough, counts / settled[enough, None], int((labels_counted > 0).sum()) - len(enough))


def delta_bins(values: Floats, bins: int) -> Ints:
    """The bin of each value from −1 to 1, counted from 0; an edge belongs to the bin above it, as written in decimals.

    The edges are −1 + 2j/bins rounded to a float, so a value is compared with the very numbers that a reader sees.
    """
    edges = -1.0 + 2.0 * np.arange(bins + 1) / bins
    place = np.clip(((values + 1.0) * (0.5 * bins)).astype(np.int64), 0, bins - 1)
    place -= values < edges[place]
    place += values >= edges[place + 1]
    return np.clip(place, 0, bins - 1)
