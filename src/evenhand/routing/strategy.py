"""What a review strategy is: which item a person should see next.

A strategy works offline and online. An audit asks `shares_reviewed`: which items would be reviewed if k of n can be. A
queue asks `turn(number).review_score(p)`: the key, higher = sooner, by which the review of that number is picked among
the waiting. For all but the mixture that key is always the same one, so that a queue can keep it in a column.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Floats
from evenhand.errors import InputError
from evenhand.measures.collaboration import ReviewStage
from evenhand.measures.collaboration.stages import spend_capacity
from evenhand.measures.score_cells import TIED
from evenhand.pandas_frames import rows_as_given


class StrategyKind(StrEnum):
    """The kinds of strategies, by the word that their names begin with.

    >>> [kind.value for kind in eh.routing.StrategyKind]
    ['uncertainty', 'toxicity', 'hybrid', 'column', 'below-threshold', 'benefit']
    """

    UNCERTAINTY = "uncertainty"
    TOXICITY = "toxicity"
    HYBRID = "hybrid"
    COLUMN = "column"
    BELOW_THRESHOLD = "below-threshold"
    BENEFIT = "benefit"


class ReviewBasis(StrEnum):
    """What a review score is made of.

    >>> eh.routing.parse_strategy("toxicity").basis == eh.routing.ReviewBasis.SCORE
    True
    """

    PROBABILITY = "probability"
    SCORE = "score"  # of which the order is enough
    COLUMN = "column"


class Strategy:
    """What all strategies can do. `name` is what `parse` understands; `column` is what it needs besides p.

    >>> strategy = eh.routing.parse_strategy("uncertainty")
    >>> strategy.review_score([0.5, 0.9]).round(2).tolist()
    [0.25, 0.09]
    """

    name: str
    column: str | None
    basis = ReviewBasis.PROBABILITY
    tied = TIED  # review scores nearer than this are equal

    def rank(self, values: Floats) -> Floats:
        """The review score of values that are its basis, higher = sooner."""
        raise NotImplementedError

    @rows_as_given
    def review_score(self, p: npt.ArrayLike, given: npt.ArrayLike | None = None) -> Floats:
        """One number per item, higher = sooner. `given` is the supplied column, where the strategy has one."""
        return self.rank(arrays.probabilities(p, "p"))

    @property
    def shares(self) -> tuple[tuple[Strategy, float], ...]:
        """By what the capacity is spent, one after the other, and the share of it that goes by each."""
        return ((self, 1.0),)

    def stages(self, p: npt.ArrayLike, given: npt.ArrayLike | None = None) -> tuple[ReviewStage, ...]:
        """How the capacity is spent on these items: most strategies have one stage."""
        return tuple(ReviewStage(by.review_score(p, given), share, tied=by.tied) for by, share in self.shares)

    @rows_as_given
    def shares_reviewed(
        self,
        p: npt.ArrayLike,
        capacity_items: float,
        given: npt.ArrayLike | None = None,
        counts: npt.ArrayLike | None = None,
    ) -> Floats:
        """Of each item the share that is reviewed: 1, 0, or what a tie at the boundary leaves to each of the tied."""
        weight = arrays.counts(counts, len(arrays.probabilities(p, "p")))
        if not 0.0 <= capacity_items < np.inf:
            raise InputError(f"the capacity must be 0 items or more, not {capacity_items:g}")
        prefix = np.concatenate(([0.0], np.cumsum(weight)))
        reviewed: Floats = 1.0 - spend_capacity(self.stages(p, given), prefix, capacity_items).per_cell()
        return reviewed

    def turn(self, number: int) -> Strategy:
        """The strategy by which a queue picks its review of this number, from 0 on, among what is waiting."""
        return self

    def __str__(self) -> str:
        return self.name
