"""What other thresholds, another order or more reviews would have done to the judged items, and what these propose.

A trial is exploratory: it looks at the items that it is chosen on. Only thresholds that the proposal has chosen itself,
from a random sample, carry its guarantee, and only these are activated with it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from evenhand.catalogue.collaboration import REVIEWED
from evenhand.desk.pages.judged_items import JudgedHistory
from evenhand.desk.pages.words import PhraseConflictError, PhraseError
from evenhand.desk.people import Person
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.figures.desk_charts import draw_score_distribution
from evenhand.routing import Policy, choose, parse_strategy
from evenhand.staffing import PolicyChoice
from evenhand.staffing.policy_effects import PolicyEffect
from evenhand.store import DeskPolicy, Store, perform
from evenhand.store.policy import REST

USUAL_STRATEGIES = ("uncertainty", "toxicity", "hybrid:0.3")
DELTA = 0.1
LIMITS = {"wrong": 0.1, "missed": 0.1}  # at most, with a probability of 1 − DELTA
MOST_REVIEWS = 10_000_000
LONGEST_REASON = 500


@dataclass(frozen=True)
class PolicyDraft:
    """What the form holds. Without a threshold nothing is decided unseen on that side."""

    upper: float | None
    lower: float | None
    strategy: str
    reviews: int
    wrong: float = LIMITS["wrong"]
    missed: float = LIMITS["missed"]

    @classmethod
    def from_policy(cls, policy: DeskPolicy, history: JudgedHistory | None) -> PolicyDraft:
        """The policy in force; without a capacity, as many reviews as items come in."""
        everything = 0 if history is None else math.ceil(history.sample.items_per_day)
        reviews = policy.capacity.get(REST, everything)
        return cls(policy.thresholds.upper, policy.thresholds.lower, policy.strategy, reviews)

    @classmethod
    def from_values(cls, values: Mapping[str, str], usual: PolicyDraft) -> PolicyDraft:
        """From the fields of the form; what is left out of it is as usual, an empty threshold is none."""
        upper, lower = (_share(values, name, getattr(usual, name)) for name in ("upper", "lower"))
        if upper is not None and lower is not None and lower > upper:
            raise PhraseError("error.thresholds")
        text = values.get("reviews", str(usual.reviews)).strip()
        if not text.isascii() or not text.isdigit() or int(text) > MOST_REVIEWS:
            raise PhraseError("error.reviews")
        strategy = values.get("strategy", usual.strategy)
        try:
            parse_strategy(strategy)
        except InputError:
            raise PhraseError("error.strategy") from None
        limits = {name: _share(values, name, getattr(usual, name)) or LIMITS[name] for name in LIMITS}
        return cls(upper, lower, strategy, int(text), **limits)


def _share(values: Mapping[str, str], name: str, usual: float | None) -> float | None:
    text = values.get(name)
    if text is None:
        return usual
    if not text.strip():
        return None
    try:
        value = float(text)
    except ValueError:
        raise PhraseError("error.share") from None
    if not 0.0 <= value <= 1.0:
        raise PhraseError("error.share")
    return value


@dataclass(frozen=True)
class Proposal:
    """Thresholds from the fresh labels; `holds` where these are a random sample, so that the promise does."""

    policy: Policy
    holds: bool


@dataclass(frozen=True)
class PolicyTrial:
    """A draft beside the policy in force: their effects by group, the scores, and the proposal."""

    draft: PolicyDraft
    history: JudgedHistory
    tried: tuple[PolicyEffect, ...]
    in_force: tuple[PolicyEffect, ...]
    reviews: Estimate  # a day
    proposal: Proposal
    chart: str  # SVG

    @property
    def is_certified(self) -> bool:
        """Whether the thresholds are those that the proposal guarantees."""
        return is_certified(self.draft, self.proposal)


def is_certified(draft: PolicyDraft, proposal: Proposal) -> bool:
    """Whether these thresholds come with a guarantee; one that decides nothing needs none."""
    chosen = proposal.policy
    decides = chosen.upper is not None or chosen.lower is not None
    return proposal.holds and decides and (draft.upper, draft.lower) == (chosen.upper, chosen.lower)


def try_policy(policy: DeskPolicy, draft: PolicyDraft, history: JudgedHistory | None) -> PolicyTrial | None:
    """None where nothing was judged, or where an order needs a column that the history does not have."""
    orders = (parse_strategy(draft.strategy), policy.order)
    if history is None or any(order.column is not None for order in orders):
        return None
    ordered, usual = 1.0 - policy.reserved, PolicyDraft.from_policy(policy, history)
    tried, now = (
        tuple(history.sample.effects(PolicyChoice(one.upper, one.lower, order, one.reviews * ordered)))
        for one, order in zip((draft, usual), orders, strict=True)
    )
    thresholds = [at for at in (draft.lower, draft.upper) if at is not None]
    return PolicyTrial(
        draft, history, tried, now, _per_day(tried[0].estimates[REVIEWED], history.sample.items_per_day),
        propose(draft, history), draw_score_distribution(history.scores, thresholds).svg,
    )  # fmt: skip


def propose(draft: PolicyDraft, history: JudgedHistory) -> Proposal:
    """The widest thresholds that keep both limits."""
    chosen = choose(
        history.sample.p, history.sample.y, wrong_removals=draft.wrong, missed_violations=draft.missed, delta=DELTA,
        inclusion=history.inclusion if history.is_random else None,
    )  # fmt: skip
    return Proposal(chosen, history.is_random)


def _per_day(share: Estimate, items: float) -> Estimate:
    ends = {name: end * items for name in ("value", "low", "high") if (end := getattr(share, name)) is not None}
    return replace(share, **ends)


def activate_draft(store: Store, person: Person, fields: Mapping[str, str], history: JudgedHistory | None) -> int:
    """Put a draft in force, with a reason; refused where another policy came into force meanwhile."""
    reason = fields.get("reason", "").strip()
    if not reason:
        raise PhraseError("error.reason")
    with store.database.reading() as connection:
        current, policy = store.policy(connection)
    if fields.get("in_force", "") != str(current):
        raise PhraseConflictError("error.other_policy")
    draft = PolicyDraft.from_values(fields, PolicyDraft.from_policy(policy, history))
    activated = perform(
        store, "activate", actor=person.id, policy=drafted_policy(policy, draft, history),
        reason=reason[:LONGEST_REASON],
    )  # fmt: skip
    return int(activated["policy"])


def drafted_policy(policy: DeskPolicy, draft: PolicyDraft, history: JudgedHistory | None) -> DeskPolicy:
    """The policy in force with what the draft changes; thresholds keep a promise only where one holds for them."""
    same = (draft.upper, draft.lower) == (policy.thresholds.upper, policy.thresholds.lower)
    thresholds = policy.thresholds if same else _bare(draft)
    if not same and history is not None and is_certified(draft, proposal := propose(draft, history)):
        thresholds = proposal.policy
    capacity = {**policy.capacity, REST: draft.reviews}
    return replace(policy, thresholds=thresholds, strategy=draft.strategy, capacity=capacity)


def _bare(draft: PolicyDraft) -> Policy:
    return DeskPolicy.from_thresholds(upper=draft.upper, lower=draft.lower).thresholds
