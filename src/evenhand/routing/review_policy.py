"""A policy for a day of limited review: remove from a threshold up, review the best k by a strategy, leave the rest.

`ReviewPolicy` is what `evenhand plan` writes and `evenhand queue` reads. `route` decides about a batch of items; plan
and queue use the same strategies, so that what was planned is what happens.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any

import numpy as np

from evenhand import arrays
from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import InputError
from evenhand.routing.policies import POLICY_KIND, Policy
from evenhand.routing.strategies import TOXICITY, parse_strategy
from evenhand.routing.strategy import Strategy

REVIEW_POLICY_KIND = "evenhand-review-policy-1"
PERCENT = "percent"


def on_input_scale(probability: float, scale: str) -> float:
    """A threshold as the scores of the input are written: per cent where these are, else a probability."""
    return 100.0 * probability if scale == PERCENT else probability


def threshold_in_words(probability: float, scale: str) -> str:
    """A threshold on the scale of the input, with as many digits as tell it from the highest score."""
    value, highest = on_input_scale(probability, scale), on_input_scale(1.0, scale)
    written = (f"{value:.{digits}g}" for digits in range(6, 18))
    return next((text for text in written if float(text) != highest or probability >= 1.0), repr(value))


class PolicyMode(StrEnum):
    """What reviewers see.

    >>> [mode.value for mode in eh.routing.PolicyMode]
    ['review', 'decide']
    """

    REVIEW = "review"  # what is removed is not reviewed: the best of the rest
    DECIDE = "decide"  # the model decides everything that is not reviewed, and removals may be reviewed too


@dataclass(frozen=True, slots=True)
class RoutedItems:
    """Of each item: is it removed, is it reviewed, and at which place of the review order (0 where it is not)."""

    removed: Bools
    reviewed: Bools
    rank: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewPolicy:
    """Remove from `upper` up (None: nothing), review `capacity` items of `items_per_day` by `strategy`, leave the rest.

    Thresholds are probabilities; `score` and `scale` say which column they were planned on. Of the capacity,
    `measured_share` is drawn at random for measurement. `guarantee` is what was shown about the thresholds.

    >>> policy = eh.routing.ReviewPolicy(upper=0.9, strategy="below-threshold:0.9", capacity=1, items_per_day=4)
    >>> routed = policy.route(np.array([0.95, 0.5, 0.7, 0.1]), 1)
    >>> routed.removed.tolist(), routed.reviewed.tolist()
    ([True, False, False, False], [False, False, True, False])
    """

    upper: float | None
    strategy: str
    capacity: float
    items_per_day: float
    lower: float | None = None
    mode: str = PolicyMode.REVIEW.value
    measured_share: float = 0.0
    score: str | None = None
    scale: str = "probability"
    guarantee: Policy | None = None

    def __post_init__(self) -> None:
        for name in ("upper", "lower"):
            if getattr(self, name) is not None:
                arrays.share(getattr(self, name), f"`{name}`", closed=True)
        arrays.share(self.measured_share, "`measured_share`", closed=True)
        arrays.positive(self.items_per_day, "`items_per_day`")
        if not 0.0 <= self.capacity < np.inf:
            raise InputError(f"invalid `capacity`: {self.capacity:g} (must be 0 or more)")
        if self.mode not in tuple(PolicyMode):
            raise InputError(f"invalid `mode`: '{self.mode}' (choose from: {', '.join(PolicyMode)})")
        parse_strategy(self.strategy)

    @property
    def order(self) -> Strategy:
        """The strategy behind its name."""
        return parse_strategy(self.strategy)

    @property
    def version(self) -> str:
        """A fingerprint of everything that the policy decides by."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()[:12]

    def removes(self, p: Floats) -> Bools:
        """What is removed without review, unless it is reviewed."""
        return np.zeros(len(p), dtype=np.bool_) if self.upper is None else p >= self.upper

    def route(self, p: Floats, reviews: int, given: Floats | None = None, *, seed: int = 0) -> RoutedItems:
        """What happens to each item of a batch if so many can be reviewed. Ties are drawn by lot."""
        removed = self.removes(p)
        waiting = np.arange(len(p)) if self.mode == PolicyMode.DECIDE else np.flatnonzero(~removed)
        scores = self.order.review_score(p[waiting], None if given is None else given[waiting])
        chosen = waiting[_first(scores, min(reviews, len(waiting)), np.random.default_rng(seed))]
        reviewed, rank = np.zeros(len(p), dtype=np.bool_), np.zeros(len(p), dtype=np.int64)
        reviewed[chosen] = True
        rank[chosen] = np.arange(1, len(chosen) + 1)
        return RoutedItems(removed & ~reviewed, reviewed, rank)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a JSON file."""
        shown = self.guarantee.to_dict() if self.guarantee else None
        return {"kind": REVIEW_POLICY_KIND, **asdict(self), "guarantee": shown}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ReviewPolicy:
        """The policy that `to_dict` wrote; or one of two thresholds, which reviews everything in between."""
        if not isinstance(data, Mapping) or data.get("kind") not in (REVIEW_POLICY_KIND, POLICY_KIND):
            raise InputError(f"not a policy: its kind must be '{REVIEW_POLICY_KIND}' or '{POLICY_KIND}'")
        if data["kind"] == POLICY_KIND:
            own = Policy.from_dict(data)
            return cls(
                upper=own.upper, lower=own.lower, strategy=TOXICITY.name, capacity=0.0, items_per_day=1.0, guarantee=own
            )
        names = {field.name for field in fields(cls)}
        if set(data) - {"kind"} != names:
            raise InputError(f"not a policy: it must have {', '.join(sorted(names))}")
        _check_types(data)
        guarantee = data["guarantee"]
        return cls(
            **{name: data[name] for name in names if name != "guarantee"},
            guarantee=None if guarantee is None else Policy.from_dict(guarantee),
        )


NUMBER, TEXT, NOTHING = (int, float), (str,), (type(None),)
FIELD_TYPES = {
    **dict.fromkeys(("capacity", "items_per_day", "measured_share"), NUMBER),
    **dict.fromkeys(("upper", "lower"), (*NUMBER, *NOTHING)),
    **dict.fromkeys(("strategy", "mode", "scale"), TEXT),
    "score": (*TEXT, *NOTHING),
    "guarantee": (dict, *NOTHING),
}


def _check_types(data: Mapping[str, Any]) -> None:
    """A file may hold anything."""
    for name, types in FIELD_TYPES.items():
        if isinstance(data[name], bool) or not isinstance(data[name], types):
            raise InputError(f"not a policy: `{name}` is invalid ({type(data[name]).__name__})")


def _first(scores: Floats, number: int, rng: np.random.Generator) -> Ints:
    """The places of the highest scores, highest first; equal ones in random order."""
    if number <= 0:
        return np.empty(0, dtype=np.int64)
    if number < len(scores):
        cut = np.partition(scores, len(scores) - number)[len(scores) - number]
        above, tied = np.flatnonzero(scores > cut), np.flatnonzero(scores == cut)
        places = np.concatenate([above, rng.choice(tied, number - len(above), replace=False)])
    else:
        places = np.arange(len(scores))
    mixed = rng.permutation(places)
    order: Ints = mixed[np.argsort(-scores[mixed], kind="stable")]
    return order
