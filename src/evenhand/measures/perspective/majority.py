"""The majority label of each item, with which an annotation is compared.

It is taken over all annotators or a reference group, with or without the annotator's own label; ties follow a rule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Bools, Ints
from evenhand.errors import InputError, Undefined, nearest
from evenhand.measures.perspective.annotations import Annotations

TIE_RULES: dict[str, Callable[[Bools], Ints] | None] = {
    "drop": None,
    "lowest": lambda best: np.argmax(best, axis=1),
    "highest": lambda best: best.shape[1] - 1 - np.argmax(best[:, ::-1], axis=1),
}
TIE_RULES["violating"] = TIE_RULES["highest"]  # the violating class is the last one


@dataclass(frozen=True)
class Majority:
    """Per annotation the label of most reference annotators; `kept` are the rows that have one.

    `tied` counts rows that were dropped because their majority is a tie, `alone` those whose item has no (other) label
    of a reference annotator.
    """

    label: Ints
    kept: Bools
    tied: int
    alone: int
    items_tied: int

    def differs(self, annotations: Annotations) -> Bools:
        """Of the kept rows, those that say otherwise than the majority."""
        return np.asarray(annotations.label[self.kept] != self.label[self.kept])

    def share_differing(self, annotations: Annotations) -> float:
        """The share of the kept rows that differ."""
        if not self.kept.any():
            raise Undefined("no annotation has a majority to be compared with")
        return float(self.differs(annotations).mean())


def majority_labels(
    annotations: Annotations,
    *,
    reference: npt.ArrayLike | None = None,
    leave_one_out: bool = False,
    ties: str = "drop",
) -> Majority:
    """The majority for each annotation, over all annotators or over those of the `reference` (one bool each).

    With `leave_one_out` nobody helps to make the majority that judges them: whatever the annotator said of the item
    does not count.
    """
    if ties not in TIE_RULES:
        raise InputError(f"there is no rule '{ties}' for ties: {nearest(ties, TIE_RULES)}")
    counting = None if reference is None else _reference(reference, annotations)[annotations.annotator]
    votes = annotations.counts(counting)
    if leave_one_out:
        return _settled(votes[annotations.item] - _own(annotations, counting), annotations, ties)
    label, decided, tied = _most(votes, ties)
    at = annotations.item
    settled = decided[at]
    there = np.bincount(at, minlength=annotations.items) > 0
    return Majority(
        label[at], settled, int(tied[at].sum()), int((~settled & ~tied[at]).sum()), int((tied & there).sum())
    )


def _settled(votes: Ints, annotations: Annotations, ties: str) -> Majority:
    label, decided, tied = _most(votes, ties)
    items = np.bincount(annotations.item[tied], minlength=annotations.items) > 0
    return Majority(label, decided, int(tied.sum()), int((~decided & ~tied).sum()), int(items.sum()))


def _most(votes: Ints, ties: str) -> tuple[Ints, Bools, Bools]:
    """Per row of votes the winner, whether there is one, and whether a tie is dropped."""
    label = votes.argmax(axis=1)
    most = np.take_along_axis(votes, label[:, None], axis=1)
    voted = most[:, 0] > 0
    rule = TIE_RULES[ties]
    if rule is None:
        tied = voted & (np.count_nonzero(votes == most, axis=1) > 1)
        return label, voted & ~tied, tied
    return rule(votes == most), voted, np.zeros(len(votes), dtype=bool)


def _own(annotations: Annotations, counting: Bools | None) -> Ints:
    """Rows × classes: what the annotator of the row said of its item, as far as it counts, in all their labels."""
    own = np.zeros((len(annotations), annotations.classes), dtype=np.int64)
    votes = np.ones(len(annotations), dtype=np.int64) if counting is None else counting.astype(np.int64)
    if not annotations.repeated.any():
        own[np.arange(len(own)), annotations.label] = votes
        return own
    pair = annotations.item * annotations.annotators + annotations.annotator
    _, place = np.unique(pair, return_inverse=True)
    cell = place * annotations.classes + annotations.label
    size = (int(place.max()) + 1) * annotations.classes
    return np.bincount(cell, votes, size).astype(np.int64).reshape(-1, annotations.classes)[place]


def _reference(annotators: npt.ArrayLike, annotations: Annotations) -> Bools:
    judges = np.asarray(annotators)
    if judges.shape != (annotations.annotators,) or judges.dtype != np.bool_:
        raise InputError(f"the reference must say yes or no for each of the {annotations.annotators} annotators")
    return judges
