"""The people page: who works here, in which role; an administrator invites, and ends access."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evenhand.desk.invitations import issue_link
from evenhand.desk.pages.words import PhraseError
from evenhand.desk.people import Person, Role, list_people
from evenhand.store import Store, perform

ACTIVE, INVITED, LEFT = "active", "invited", "left"


@dataclass(frozen=True)
class DeskPerson:
    """Somebody, as the page shows them."""

    name: str
    role: str
    queues: tuple[str, ...]
    state: str


@dataclass(frozen=True)
class PeoplePage:
    """Everybody, and the roles to invite in."""

    people: tuple[DeskPerson, ...]
    roles: tuple[str, ...] = tuple(role.value for role in Role)


def people_page(store: Store) -> PeoplePage:
    """Everybody, by name."""
    with store.database.reading() as connection:
        return PeoplePage(tuple(map(_shown, list_people(connection))))


def _shown(record: Mapping[str, Any]) -> DeskPerson:
    has_password = record["signs_in"] or record["role"] == Role.SERVICE
    state = LEFT if not record["active"] else ACTIVE if has_password else INVITED
    return DeskPerson(record["person"], record["role"], tuple(record["queues"]), state)


def change_people(store: Store, person: Person, fields: Mapping[str, str]) -> tuple[str, str | None]:
    """Do what a form of the page asks; the key of the words that say so, and the path of a link to pass on."""
    name, action = fields.get("name", "").strip(), fields.get("do", "")
    if action == "invite":
        queues = tuple(part.strip() for part in fields.get("queues", "").split(",") if part.strip())
        if _known(store, name) is not None:
            raise PhraseError("error.known", person=name)
        perform(store, "invite", actor=person.id, person=name, role=fields.get("role", ""), queues=queues)
        return "done.invited", None if fields.get("role") == Role.SERVICE else issue_link(store, name)
    known = _known(store, name)
    if known is None or name == person.id:
        raise PhraseError("error.unknown_person", person=name)
    if action == "link":
        return "done.invited", issue_link(store, name)
    if action not in ("end", "restore"):
        raise PhraseError("conflict.unknown")
    perform(
        store, "invite", actor=person.id, person=name, role=known.role, queues=known.queues, active=action == "restore"
    )
    return "done.changed", None


def _known(store: Store, name: str) -> DeskPerson | None:
    return next((one for one in people_page(store).people if one.name == name), None)
