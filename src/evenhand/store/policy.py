"""A policy with a version: thresholds, order, queues, and the share of work that measures.

The thresholds are a `routing.Policy`, as `evenhand plan` writes it, and the order is a `routing.Strategy`: the objects
that an audit measured decide here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from evenhand import arrays
from evenhand.documents import parse_json
from evenhand.errors import InputError, nearest
from evenhand.files import read_text
from evenhand.routing import Policy, PolicyMode, ReviewPolicy, Strategy, parse_strategy
from evenhand.routing.policies import POLICY_KIND
from evenhand.routing.review_policy import REVIEW_POLICY_KIND
from evenhand.store.cases import LEAVE, REMOVE, ItemState

KIND = "evenhand-desk-policy-1"
ESCALATED = "escalated"  # the queue of what moderators pass on
REST = "review"  # the queue of what no rule puts elsewhere
MOST_SECONDS = 30 * 86_400
DAY_MICROS = 86_400_000_000
WEIGHTS, MOST_WEIGHT = ("notice_weight", "trusted_weight", "age_weight"), 100.0


@dataclass(frozen=True)
class DeskPolicy:
    """What happens to an item, and how it is reviewed.

    `queues` maps the name of a queue to the values of `language`, `community` or `item_type` that belong to it; the
    first that fits is taken, and `review` takes the rest. `measured` is the probability of the measurement draw, by
    `draw_by` where that differs. `reserved` is the share of claims that goes to drawn items, `second` the share of
    decisions that is reviewed again blindly, `gold` the share of claims that shows a gold item, `panel` the share of
    drawn items that is adjudicated. `notice_weight` moves an item up for each doubling of reporters, `trusted_weight`
    if a trusted flagger is among them, `age_weight` for each day that it waits.

    `actions` are what a decision can do to an item, `account_actions` to the account of its author. Without
    `person_statistics` nothing is counted for single reviewers.

    >>> policy = eh.store.DeskPolicy.from_thresholds(upper=0.9, lower=0.1)
    >>> policy.thresholds.decide(0.5)
    'review'
    """

    thresholds: Policy
    strategy: str = "uncertainty"
    queues: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    capacity: Mapping[str, int] = field(default_factory=dict)
    measured: float = 0.02
    measured_by: Mapping[str, float] = field(default_factory=dict)
    reserved: float = 0.1
    panel: float = 0.1
    second: float = 0.0
    gold: float = 0.0
    notice_weight: float = 0.0
    actions: tuple[str, ...] = ("leave", "remove", "restrict", "label")
    account_actions: tuple[str, ...] = ("warn", "suspend")
    person_statistics: bool = True
    trusted_weight: float = 0.0
    age_weight: float = 0.0
    lease_seconds: int = 600
    undo_seconds: int = 60
    most_skips: int = 3

    def __post_init__(self) -> None:
        _ = self.order
        for name in ("measured", "reserved", "panel", "second", "gold"):
            arrays.share(getattr(self, name), f"`{name}`", closed=True)
        for name, probability in (("measured", self.measured), *self.measured_by.items()):
            if not 0.0 < probability <= 1.0:
                raise InputError(f"invalid probability of measurement for '{name}': {probability:g} (must be above 0)")
        for name in ("lease_seconds", "undo_seconds"):
            if not isinstance(getattr(self, name), int) or not 0 <= getattr(self, name) <= MOST_SECONDS:
                raise InputError(
                    f"invalid `{name}`: {getattr(self, name)} (must be a whole number, 0 to {MOST_SECONDS:,})"
                )
        if missing := {REMOVE, LEAVE} - set(self.actions):
            raise InputError(f"invalid `actions`: '{min(missing)}' must be among them")
        for name in WEIGHTS:
            if not 0.0 <= float(getattr(self, name)) <= MOST_WEIGHT:
                raise InputError(f"invalid `{name}`: {getattr(self, name)} (must be 0 to {MOST_WEIGHT:g})")
        for queue, rule in self.queues.items():
            if unknown := set(rule) - set(QUEUE_COLUMNS):
                name = min(unknown)
                raise InputError(f"the queue '{queue}' has no rule '{name}'; {nearest(name, QUEUE_COLUMNS)}")

    @classmethod
    def from_thresholds(cls, *, upper: float | None, lower: float | None, **more: Any) -> DeskPolicy:
        """With thresholds that nothing guarantees."""
        return cls(Policy(upper, lower, None, None, delta=0.1, n=0, positives=0, data=""), **more)

    @classmethod
    def from_review_policy(cls, policy: ReviewPolicy) -> DeskPolicy:
        """The policy that `evenhand plan` wrote, with its strategy, capacity and share for measurement."""
        if policy.mode == PolicyMode.DECIDE:
            raise InputError("a desk does not review what the model has removed: plan with `mode` review")
        thresholds = policy.guarantee or Policy(
            policy.upper, policy.lower, None, None, delta=0.1, n=0, positives=0, data=""
        )
        drawn = policy.measured_share * policy.capacity / policy.items_per_day
        planned = cls(
            replace(thresholds, upper=policy.upper, lower=policy.lower),
            strategy=policy.strategy,
            capacity={REST: round(policy.capacity)} if policy.capacity else {},
        )
        return replace(planned, measured=min(drawn, 1.0), reserved=policy.measured_share) if drawn > 0.0 else planned

    @property
    def queue_names(self) -> tuple[str, ...]:
        """Every queue that there is, also those that no rule names."""
        return tuple(dict.fromkeys((*self.queues, *self.capacity, REST, ESCALATED)))

    @cached_property
    def order(self) -> Strategy:
        """What comes first."""
        return parse_strategy(self.strategy)

    def draw_probability(self, item: ItemState) -> float:
        """The probability of measurement, by what is known at arrival: the language, or the same for all."""
        return self.measured_by.get(item.language or "", self.measured)

    def queue_of(self, item: ItemState) -> str:
        """Where an item waits."""
        for name, rule in self.queues.items():
            if all(getattr(item, column) in values for column, values in rule.items()):
                return name
        return REST

    def keys_of(self, item: ItemState, attributes: Mapping[str, float]) -> tuple[float, float]:
        """Its place in the two orders that the strategy takes turns with (mostly they are one)."""
        keys = [self._key(strategy, item, attributes) for strategy, _ in self.order.shares]
        lift = self.notice_weight * math.log2(1.0 + item.reporters) + self.trusted_weight * item.trusted_notice
        lift -= self.age_weight * item.received_at / DAY_MICROS  # all grow older alike, so the order never changes
        return keys[0] + lift, keys[-1] + lift

    def _key(self, strategy: Strategy, item: ItemState, attributes: Mapping[str, float]) -> float:
        if item.score is None:
            return 1.0  # what no model could score comes first
        if strategy.column is None:
            return float(strategy.review_score([item.score])[0])
        if strategy.column not in attributes:
            raise InputError(f"the strategy '{strategy}' needs the attribute '{strategy.column}' of every item")
        return float(strategy.review_score([item.score], [attributes[strategy.column]])[0])

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a JSON file."""
        plain = asdict(self)
        queues = {name: {key: list(values) for key, values in rule.items()} for name, rule in self.queues.items()}
        actions = {"actions": list(self.actions), "account_actions": list(self.account_actions)}
        return {"kind": KIND, **plain, "thresholds": self.thresholds.to_dict(), "queues": queues, **actions}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> DeskPolicy:
        """The policy that `to_dict` wrote; what is left out is as usual."""
        if not isinstance(data, Mapping) or data.get("kind") != KIND or not isinstance(data.get("thresholds"), Mapping):
            raise InputError(f"not a policy of a store: it must be of the kind '{KIND}' and have thresholds")
        values = {name: value for name, value in data.items() if name != "kind"}
        if unknown := set(values) - set(cls.__dataclass_fields__):
            name = min(unknown)
            raise InputError(f"a policy has no '{name}'; {nearest(name, cls.__dataclass_fields__)}")
        queues = {
            name: {key: tuple(several) for key, several in rule.items()}
            for name, rule in values.pop("queues", {}).items()
        }
        values |= {name: tuple(values[name]) for name in ("actions", "account_actions") if name in values}
        try:
            return cls(**{**values, "thresholds": Policy.from_dict(values["thresholds"]), "queues": queues})
        except TypeError as error:
            raise InputError(f"not a policy of a store: {error}") from None


def read_policy(path: Path) -> DeskPolicy:
    """A policy from a JSON file: of a store, of `evenhand plan`, or bare thresholds."""
    try:
        return parse_policy(parse_json(read_text(path, "policy")))
    except InputError as error:
        raise error.within(str(path)) from None
    except ValueError as error:
        raise InputError(f"not a policy: {error}", source=str(path)) from None


def parse_policy(data: Any) -> DeskPolicy:
    """A policy from plain data, of one of the three kinds that `read_policy` reads."""
    try:
        if isinstance(data, dict) and data.get("kind") == POLICY_KIND:
            return DeskPolicy(Policy.from_dict(data))
        if isinstance(data, dict) and data.get("kind") == REVIEW_POLICY_KIND:
            return DeskPolicy.from_review_policy(ReviewPolicy.from_dict(data))
        return DeskPolicy.from_dict(data)
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError) as error:
        raise InputError(f"not a policy: {error}") from None


QUEUE_COLUMNS = ("language", "community", "item_type")
