"""What reviewers decided of each item, and of which items the truth is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Bools, Int32s

UNKNOWN = -1


@dataclass(frozen=True)
class Reviews:
    """Of each item: how many reviewers decided, how many of them called it violating, and whether it is.

    `known` is 1 for a violating and 0 for a benign item; −1 where the truth is not known.
    """

    reviewers: Int32s
    violating: Int32s
    known: npt.NDArray[np.int8]

    @classmethod
    def from_labels(cls, reviewers: Int32s, violating: Int32s, label: Bools, gold: Bools | None) -> Reviews:
        """Without gold items every label counts as the truth."""
        known = label.astype(np.int8)
        if gold is not None:
            known[~gold] = UNKNOWN
        return cls(reviewers, violating, known)

    def take(self, rows: npt.NDArray[np.integer]) -> Reviews:
        """Those of some rows."""
        return Reviews(self.reviewers[rows], self.violating[rows], self.known[rows])

    @property
    def items(self) -> int:
        """How many items were reviewed."""
        return int((self.reviewers > 0).sum())

    @property
    def gold_items(self) -> int:
        """Of those, how many the truth is known of."""
        return int(((self.reviewers > 0) & (self.known != UNKNOWN)).sum())

    @property
    def is_anchored(self) -> bool:
        """Whether gold items are told apart from others."""
        return bool((self.known == UNKNOWN).any())
