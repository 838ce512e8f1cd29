"""The policy in force, in words, and every one before it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from evenhand.desk.pages.log import time_of
from evenhand.desk.pages.words import PhraseConflictError, PhraseError
from evenhand.desk.people import Person
from evenhand.formatting import format_share
from evenhand.store import DeskPolicy, Store, perform, schema

LONGEST_REASON = 500


@dataclass(frozen=True)
class PolicySentence:
    """The key of its words, and what is put in."""

    key: str
    values: dict[str, str | int]


@dataclass(frozen=True)
class PolicyVersion:
    """One that was activated."""

    version: int
    at: str
    by: str
    reason: str | None
    sentences: tuple[PolicySentence, ...]


@dataclass(frozen=True)
class PoliciesPage:
    """The newest is in force; empty where none was activated."""

    versions: tuple[PolicyVersion, ...]
    reserved: float = 0.0  # the share of reviews that the policy in force gives to drawn items


def policies_page(store: Store) -> PoliciesPage:
    """All versions, the newest first."""
    table, events = schema.policies, schema.events
    with store.database.reading() as connection:
        rows = connection.execute(sa.select(table).order_by(table.c.version.desc())).all()
        told = connection.scalars(sa.select(events.c.payload).where(events.c.kind == "activated"))
        reasons = {payload["policy"]: payload.get("reason") for payload in map(json.loads, told)}
        policies = [(row, store.policy_of(connection, row.version)) for row in rows]
    return PoliciesPage(
        tuple(
            PolicyVersion(
                row.version, time_of(row.activated_at), row.activated_by, reasons.get(row.version),
                tuple(policy_sentences(policy)),
            )
            for row, policy in policies
        ),
        policies[0][1].reserved if policies else 0.0,
    )  # fmt: skip


def policy_sentences(policy: DeskPolicy) -> list[PolicySentence]:
    """What it does, a sentence each."""
    thresholds = policy.thresholds
    named = ("measured", "reserved", "panel", "second", "gold")
    shares = {name: share for name in named if (share := getattr(policy, name)) > 0.0}
    sentences = [
        _threshold("upper", thresholds.upper),
        _threshold("lower", thresholds.lower),
        PolicySentence("policy.order", {"strategy": policy.strategy}),
        *(PolicySentence("policy.capacity", {"queue": name, "n": number}) for name, number in policy.capacity.items()),
        *(PolicySentence("policy.queue", {"queue": name, "rule": _rule(rule)}) for name, rule in policy.queues.items()),
        *(PolicySentence(f"policy.{name}", {"share": format_share(share)}) for name, share in shares.items()),
        PolicySentence("policy.lease", {"minutes": f"{policy.lease_seconds / 60:.3g}"}),
        PolicySentence("policy.undo", {"seconds": f"{policy.undo_seconds:,}"}),
    ]
    guarantee = "policy.guarantee" if thresholds.n else "policy.no_guarantee"
    return [*sentences, PolicySentence(guarantee, {"labels": f"{thresholds.n:,}"})]


def _threshold(name: str, value: float | None) -> PolicySentence:
    if value is None:
        return PolicySentence(f"policy.no_{name}", {})
    return PolicySentence(f"policy.{name}", {"at": f"{value:.4g}"})


def _rule(rule: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"{column}: {', '.join(values)}" for column, values in rule.items())


def activate_again(store: Store, person: Person, fields: Mapping[str, str]) -> int:
    """Put an earlier version in force; the number it has now. Refused where another came into force meanwhile."""
    version, shown, reason = fields.get("version", ""), fields.get("in_force", ""), fields.get("reason", "").strip()
    if not reason:
        raise PhraseError("error.reason")
    with store.database.reading() as connection:
        current, _ = store.policy(connection)
        if not version.isdigit() or not 1 <= int(version) <= current:
            raise PhraseError("error.no_policy")
        policy = store.policy_of(connection, int(version))
    if shown != str(current):
        raise PhraseConflictError("error.other_policy")
    activated = perform(store, "activate", actor=person.id, policy=policy, reason=reason[:LONGEST_REASON])
    return int(activated["policy"])
