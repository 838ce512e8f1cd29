"""Today's queue: what happens to each item, which items people review, and which of these are drawn for measurement.

The policy sends the best items to people. A share of the reviews is drawn at random from everything else, removals
included, so that what the policy cannot see is measured too: reviewed items count with certainty, drawn ones with the
recorded probability of their stratum. Prevalence and recall estimated from the answers are then those of all items.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from evenhand import arrays
from evenhand.arrays import Bools, Floats, Ints
from evenhand.routing.review_policy import PolicyMode, ReviewPolicy, threshold_in_words
from evenhand.routing.strategy import StrategyKind
from evenhand.sampling.drawing import draw_stratified
from evenhand.sampling.strata import Strata

REMOVE, REVIEW, LEAVE = "remove", "review", "leave"
REVIEWED = "reviewed"
BANDS = (0.1, 0.4)  # of what is left, highest scores first: a tenth, the next three tenths, the rest
STRATUM_NAMES = ("removed", "left, highest scores", "left, middle scores", "left, lowest scores")
LEFT_BECAUSE = "score below what today's reviews reach"
OTHER_SIZE = 1.1  # times as many or as few items as planned, from which a day is another one
FEWEST_DRAWS = 2  # in a stratum, so that their scatter can be seen


@dataclass(frozen=True, slots=True)
class Queue:
    """Of each item: its action, its place among the reviews (0: none), why, and how it came to be reviewed.

    >>> policy = eh.routing.ReviewPolicy(upper=0.9, strategy="below-threshold:0.9", capacity=1, items_per_day=3)
    >>> eh.staffing.make_queue(policy, np.array([0.95, 0.7])).columns("v1")["reason"].to_list()
    ['score at or above 0.9', '1 of 1: highest scores below 0.9']
    """

    policy: ReviewPolicy
    p: Floats
    removed: Bools  # by the policy, if nobody looked
    reviewed: Bools
    drawn: Bools
    rank: Ints
    inclusion: Floats  # 0 where an item is not reviewed
    stratum: Ints  # number of a name in STRATUM_NAMES, −1 for what the policy sends to people

    @property
    def reviews(self) -> int:
        """How many items people see."""
        return int(self.reviewed.sum())

    def notes(self) -> list[str]:
        """What differs from the plan: a day of another size, so that the same reviews are another share of it."""
        planned, items = self.policy.items_per_day, len(self.p)
        as_planned = self.reviews == int(self.policy.capacity) > 0
        if not as_planned or (items <= OTHER_SIZE * planned and planned <= OTHER_SIZE * items):
            return []
        return [
            f"The policy was planned for {planned:,.10g} items a day; these are {items:,}, so today's reviews find "
            "another share of the violations than the plan says: plan again for this number, or set `capacity`."
        ]

    def columns(self, model_version: str | None) -> pl.DataFrame:
        """The operator's columns, a row for each item."""
        unseen = np.where(self.removed, 0, 1)
        seen_in = np.where(self.reviewed, self.stratum + 1, NOWHERE)
        columns = {
            "action": _worded([REMOVE, LEAVE, REVIEW], np.where(self.reviewed, 2, unseen)),
            "rank": pl.Series(self.rank).replace(0, None),
            "reason": self._reasons(unseen),
            "otherwise": _worded([REMOVE, LEAVE], unseen),
            "inclusion": pl.Series(np.where(self.reviewed, self.inclusion, np.nan)).fill_nan(None),
            "stratum": _worded([REVIEWED, *STRATUM_NAMES, None], seen_in),
            "policy": _worded([self.policy.version], np.zeros(len(self.p), dtype=np.int64)),
        }
        if model_version is not None:
            columns["model_version"] = _worded([model_version], np.zeros(len(self.p), dtype=np.int64))
        return pl.DataFrame(columns)

    def _reasons(self, unseen: Ints) -> pl.Series:
        own = self.reviews - int(self.drawn.sum())
        upper = _upper_in_words(self.policy)
        words = f" of {own:,}: {order_in_words(self.policy)}"
        known = [f"score at or above {upper}", LEFT_BECAUSE, "drawn at random for measurement"]
        places = np.where(self.drawn, 2, np.where(self.rank > 0, len(known) - 1 + self.rank, unseen))
        return _worded([*known, *(f"{rank}{words}" for rank in range(1, own + 1))], places)


NOWHERE = len(STRATUM_NAMES) + 1  # the place of nothing behind the names of strata


def _worded(words: Sequence[str | None], places: Ints) -> pl.Series:
    """Of each item the word at its place: written once, and referred to."""
    return pl.Series(words, dtype=pl.String).gather(places)


def _upper_in_words(policy: ReviewPolicy) -> str:
    return "" if policy.upper is None else threshold_in_words(policy.upper, policy.scale)


def order_in_words(policy: ReviewPolicy) -> str:
    """By what the policy chooses reviews."""
    kind = policy.strategy.partition(":")[0]
    upper = "" if policy.upper is None else f" below {_upper_in_words(policy)}"
    if kind in (StrategyKind.BELOW_THRESHOLD, StrategyKind.TOXICITY) and policy.mode == PolicyMode.REVIEW:
        return f"highest scores{upper}"
    words = {
        StrategyKind.BENEFIT.value: "reviews that are worth most",
        StrategyKind.UNCERTAINTY.value: "most uncertain scores",
        StrategyKind.TOXICITY.value: "highest scores",
    }
    return words.get(kind, f"review by {policy.strategy}")


def make_queue(
    policy: ReviewPolicy,
    p: Floats,
    given: Floats | None = None,
    *,
    capacity: int | None = None,
    measured_share: float | None = None,
    seed: int = 0,
) -> Queue:
    """The queue of these items: exactly as many reviews as the capacity allows, or all items if there are fewer.

    >>> policy = eh.routing.ReviewPolicy(upper=0.9, strategy="below-threshold:0.9", capacity=3, items_per_day=6)
    >>> queue = eh.staffing.make_queue(policy, np.array([0.95, 0.2, 0.7, 0.4, 0.1, 0.05]), measured_share=0.34)
    >>> queue.columns(None)["action"].to_list()[:4], queue.reviews
    (['remove', 'leave', 'review', 'review'], 3)
    """
    share = (
        policy.measured_share
        if measured_share is None
        else arrays.share(measured_share, "`measured_share`", closed=True)
    )
    reviews = min(_reviews_today(policy, p, capacity), len(p))
    measured = min(math.floor(share * reviews + 0.5), reviews)
    routed = policy.route(p, reviews - measured, given, seed=seed)
    measured = reviews - int(routed.reviewed.sum())  # what the order cannot use is measured too
    removed = policy.removes(p)
    stratum = np.full(len(p), -1, dtype=np.int64)
    drawn, inclusion = np.zeros(len(p), dtype=np.bool_), routed.reviewed.astype(np.float64)
    if measured:
        rest = np.flatnonzero(~routed.reviewed)
        codes = _strata(p[rest], removed[rest], measured)
        strata = Strata.of(codes, STRATUM_NAMES)
        draw = draw_stratified(strata, _allocation(strata.sizes, measured), seed=seed)
        rows = rest[draw.rows]
        drawn[rows], inclusion[rows] = True, draw.inclusion
        stratum[rows] = codes[draw.rows]
    return Queue(policy, p, removed, routed.reviewed | drawn, drawn, routed.rank, inclusion, stratum)


def _reviews_today(policy: ReviewPolicy, p: Floats, capacity: int | None) -> int:
    """As told, or as planned; a policy of two thresholds has everything between them reviewed."""
    if capacity is not None:
        return arrays.whole(capacity, "`capacity`", least=0)
    if policy.capacity or policy.lower is None:
        return int(policy.capacity)
    return int(((p >= policy.lower) & ~policy.removes(p)).sum())


def _strata(p: Floats, removed: Bools, draws: int) -> Ints:
    """What is removed, and three bands of what is left; fewer strata where there are too few draws or items."""
    codes = np.zeros(len(p), dtype=np.int64)
    left = ~removed
    if left.any():
        waiting = p[left]
        high, middle = np.quantile(waiting, [1.0 - share for share in BANDS], method="lower")
        codes[left] = np.where(waiting > high, 1, np.where(waiting > middle, 2, 3))
    sizes = np.bincount(codes, minlength=4)
    if draws < FEWEST_DRAWS * np.count_nonzero(sizes) or (sizes[sizes > 0] < FEWEST_DRAWS).any():
        codes[:] = 3 if left.any() else 0
    return codes


def _allocation(sizes: Ints, draws: int) -> Ints:
    """Half in proportion to the items, so that violations with low scores are found too, half in equal numbers."""
    wanted = 0.5 * draws * (sizes / sizes.sum() + 1.0 / len(sizes))
    counts: Ints = np.minimum(np.maximum(wanted.astype(np.int64), min(FEWEST_DRAWS, draws // len(sizes))), sizes)
    while (missing := draws - int(counts.sum())) != 0:
        open_strata = np.flatnonzero(counts < sizes) if missing > 0 else np.flatnonzero(counts > FEWEST_DRAWS)
        lacking = wanted[open_strata] - counts[open_strata]
        place = open_strata[np.argmax(lacking if missing > 0 else -lacking)]
        counts[place] += 1 if missing > 0 else -1
    return counts
