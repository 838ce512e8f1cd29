"""How much worse a model fits what one person said than what most said: the conformity delta (Urbinati et al. 2025).

Conformity is the Brier score of a label, b(t, y) = (1/K) Σ_k (o_k − p_k)². Of the difference of two such sums only the
two labels remain: δ = b(t, own) − b(t, majority) = (2/K) (p(majority) − p(own)). It is exactly 0 where the two agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from evenhand.measures.number import Number, ratio
from evenhand.measures.perspective.annotations import Annotations, Numbers, checked_probabilities
from evenhand.measures.perspective.majority import Majority
from evenhand.tally import FloatArray

Columns = sparse.csc_array  # annotations × what is summed; mostly zeros, since most people agree
SIGNS = 3  # below 0, 0, above 0
MEAN = Number("conformity_delta", lambda sums: ratio(sums[..., 0], sums[..., 1]), "there are no annotations")
RATE = Number("rate", lambda sums: ratio(sums[..., 0], sums[..., 1]), "there are no annotations")


@dataclass(frozen=True)
class Deltas:
    """The deltas of the annotations that have a majority, and those annotations."""

    annotations: Annotations
    values: FloatArray
    differs: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, annotations: Annotations, probabilities: npt.ArrayLike, majority: Majority) -> Deltas:
        """From the model's probabilities, items × classes."""
        table = checked_probabilities(probabilities, annotations)
        kept = annotations if majority.kept.all() else annotations.only(majority.kept)
        most = majority.label[majority.kept]
        values = (2.0 / annotations.classes) * (table[kept.item, most] - table[kept.item, kept.label])
        return cls(kept, values, kept.label != most)

    @cached_property
    def signs(self) -> Numbers:
        """Per annotation 0, 1 or 2: the delta is below 0, 0, above 0."""
        return np.sign(self.values).astype(np.int64) + 1

    @cached_property
    def signs_by_annotator(self) -> Numbers:
        """Annotators × 3: how many of their deltas are below 0, 0, above 0."""
        cell = self.annotations.annotator * SIGNS + self.signs
        return np.bincount(cell, minlength=self.annotations.annotators * SIGNS).reshape(-1, SIGNS)

    @cached_property
    def columns(self) -> Columns:
        """Annotations × 5, what a bootstrap weighs: delta, one, below 0, above 0, differs from the majority."""
        signs = self.signs
        parts = (self.values, np.ones(len(signs)), signs == 0, signs == 2, self.differs)
        return sparse.csc_array(np.column_stack(parts).astype(np.float64, copy=False))


def conformity(probabilities: npt.ArrayLike, label: npt.ArrayLike) -> FloatArray:
    """Of each row of probabilities with a label: b = (1/K) Σ_k (o_k − p_k)², 0 at best and 2/K at worst."""
    table, chosen = np.asarray(probabilities, dtype=np.float64), np.asarray(label)
    own = table[np.arange(len(table)), chosen]
    off = np.square(table).sum(axis=1) - own * own + np.square(1.0 - own)
    return np.asarray(off / table.shape[1])


def sums_by_group(annotations: Annotations, columns: Columns, group: npt.ArrayLike, groups: int) -> FloatArray:
    """(groups + 1) × columns: the sums over each group's annotations, and last over everybody's."""
    place, rows = annotations.of_group(group, groups), np.arange(len(annotations))
    members = sparse.csr_array((np.ones(len(rows)), (place, rows)), shape=(groups + 1, len(rows)))
    found: FloatArray = (members @ columns).toarray()
    found[-1] = found.sum(axis=0)
    return found
