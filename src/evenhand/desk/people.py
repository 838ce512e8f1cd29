"""The people of a desk, their roles, and the one table of what each role may do.

What changes the store is permitted as `store.ACTIONS` says; this table adds what is only looked at, and the scope that
a token needs. Routes, pages and the store ask the same rows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum

import sqlalchemy as sa

from evenhand.store import ACTIONS, schema
from evenhand.store.roles import ANNOTATOR, DECIDERS, LABELLED, LABELLERS, LEADS, REVIEWERS

ITEMS_SCOPE, DECISIONS_SCOPE, DESK_SCOPE = "items", "decisions", "desk"  # of tokens; see `service.tokens`


class Role(StrEnum):
    """What a person is at the desk."""

    ADMINISTRATOR = "administrator"
    LEAD = "lead"
    MODERATOR = "moderator"
    ANNOTATOR = "annotator"
    AUDITOR = "auditor"
    SERVICE = "service"


EVERYBODY = frozenset(Role)
OVERSEERS = LEADS | {Role.AUDITOR}


@dataclass(frozen=True)
class Permission:
    """Which roles may, and which scope a token needs for it."""

    roles: frozenset[str]
    scope: str = DESK_SCOPE


SUBMISSIONS = ("receive", "notice", "appeal")
LOOKED_AT = {
    "see_session": Permission(EVERYBODY),
    "see_queues": Permission(REVIEWERS | LEADS | {Role.AUDITOR}),
    "see_tasks": Permission(REVIEWERS),  # one's own
    "see_decisions": Permission(OVERSEERS | {Role.SERVICE}, DECISIONS_SCOPE),
    "see_items": Permission(OVERSEERS),
    "see_policies": Permission(OVERSEERS),
    "see_findings": Permission(OVERSEERS),
    "see_people": Permission(OVERSEERS),
    "see_reporters": Permission(OVERSEERS),
    "see_events": Permission(frozenset({Role.ADMINISTRATOR, Role.AUDITOR})),  # who reviews sees no draws there
    "see_studies": Permission(OVERSEERS),
    "see_own_studies": Permission(LABELLERS | OVERSEERS),
    "see_webhooks": Permission(OVERSEERS),
    "manage_webhooks": Permission(frozenset({Role.ADMINISTRATOR})),
    "see_settings": Permission(OVERSEERS),
    "manage_tokens": Permission(frozenset({Role.ADMINISTRATOR})),
}
PERMISSIONS: dict[str, Permission] = {
    name: Permission(action.roles, ITEMS_SCOPE if name in SUBMISSIONS else DESK_SCOPE)
    for name, action in ACTIONS.items()
} | LOOKED_AT


@dataclass(frozen=True)
class Person:
    """Somebody who works at the desk; without queues, in all of them."""

    id: str
    role: Role
    queues: tuple[str, ...] = ()

    def may(self, permission: str) -> bool:
        """Whether the role of the person has a permission."""
        return self.role in PERMISSIONS[permission].roles

    @property
    def decides(self) -> bool:
        """Whether the person decides about content, and not only labels it."""
        return self.role in DECIDERS

    @property
    def purposes(self) -> frozenset[str] | None:
        """What the person is given to judge; None where it is everything."""
        return LABELLED if self.role == ANNOTATOR else None

    def may_use(self, queue: str) -> bool:
        """Whether the person has access to a queue."""
        return not self.queues or queue in self.queues


def find_person(connection: sa.Connection, name: str) -> Person | None:
    """The person of this name, unless there is none or they do not work here any more."""
    people = schema.people
    row = connection.execute(sa.select(people).where(people.c.id == name, people.c.active)).first()
    return None if row is None else Person(row.id, Role(row.role), tuple(json.loads(row.queues)))


def list_people(connection: sa.Connection) -> list[dict[str, object]]:
    """Everybody, by name, also who left; and whether they have a password."""
    people, credentials = schema.people, schema.credentials
    joined = people.join(credentials, credentials.c.person == people.c.id, isouter=True)
    query = sa.select(people, credentials.c.changed_at).select_from(joined).order_by(people.c.id)
    return [
        {"person": row.id, "role": row.role, "queues": json.loads(row.queues), "active": row.active}
        | {"signs_in": row.changed_at is not None}
        for row in connection.execute(query)
    ]
