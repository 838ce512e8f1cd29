"""One-time links: how somebody gets a password for the first time, or again after losing it.

There is no default password. A desk without an administrator who can sign in has a link printed at its start, on the
machine that it runs on; whoever opens it chooses a name and becomes the first administrator.
"""

from __future__ import annotations

import secrets

import sqlalchemy as sa

from evenhand.desk.passwords import PasswordKeeper
from evenhand.desk.people import Role, find_person
from evenhand.desk.sessions import SECOND, token_hash
from evenhand.errors import ErrorKind, InputError
from evenhand.store import ACTIONS, Store, schema
from evenhand.store.ledger import EventLedger, upsert
from evenhand.store.roles import SYSTEM

LINK_LIFETIME = 72 * 3600 * SECOND
LINK_PATH = "/invitation/"
GONE = "this link was used already, has expired, or was never valid: ask for a new one"


def issue_link(store: Store, person: str | None) -> str:
    """A link for a person who was invited, as a path; without a person, for the first administrator.

    Earlier links of the same person are void from now on.
    """
    token, table = secrets.token_urlsafe(32), schema.invitations
    with store.database.writing() as connection:
        if person is not None and find_person(connection, person) is None:
            raise InputError(f"nobody named '{person}' works here: invite them first", kind=ErrorKind.NOT_FOUND)
        now = store.clock()
        theirs = table.c.person.is_(None) if person is None else table.c.person == person
        connection.execute(table.delete().where(sa.or_(theirs, table.c.expires_at < now)))
        row = {"token": token_hash(token), "person": person, "expires_at": now + LINK_LIFETIME}
        connection.execute(table.insert(), [row])
    return LINK_PATH + token


def first_link(store: Store) -> str | None:
    """A link for the first administrator, where nobody can sign in as one."""
    people, credentials = schema.people, schema.credentials
    query = sa.select(people.c.id).join(credentials, credentials.c.person == people.c.id)
    with store.database.reading() as connection:
        known = connection.scalar(query.where(people.c.active, people.c.role == Role.ADMINISTRATOR).limit(1))
    return None if known else issue_link(store, None)


def invited_name(store: Store, token: str) -> str | None:
    """Whom a link is for, None where a name is to be chosen; `InputError` where it is not valid."""
    with store.database.reading() as connection:
        return _person_of(connection, token, store.clock())


def accept(store: Store, passwords: PasswordKeeper, token: str, password: str, name: str | None = None) -> str:
    """Use a link: set the password of the person it is for, and end their sessions; the name of the person."""
    invited_name(store, token)  # before the password is hashed
    kept = passwords.hash(password)
    with store.write(SYSTEM) as ledger:
        person = _person_of(ledger.connection, token, ledger.at)
        if person is None:
            person = _first_administrator(ledger, name)
        elif name not in (None, person):
            raise InputError("this link is for somebody else")
        connection, credentials, links = ledger.connection, schema.credentials, schema.invitations
        if connection.execute(links.delete().where(links.c.token == token_hash(token))).rowcount != 1:
            raise InputError(GONE, kind=ErrorKind.NOT_FOUND)  # two at once: only one of them
        row = {"person": person, "password": kept, "changed_at": ledger.at}
        connection.execute(upsert(connection, credentials, ("person",)), [row])
        connection.execute(schema.sessions.delete().where(schema.sessions.c.person == person))
    return person


def _person_of(connection: sa.Connection, token: str, now: int) -> str | None:
    table = schema.invitations
    row = connection.execute(sa.select(table).where(table.c.token == token_hash(token))).first()
    if row is None or row.expires_at < now:
        raise InputError(GONE, kind=ErrorKind.NOT_FOUND)
    if row.person is not None and find_person(connection, row.person) is None:
        raise InputError(GONE, kind=ErrorKind.NOT_FOUND)
    return None if row.person is None else str(row.person)


def _first_administrator(ledger: EventLedger, name: str | None) -> str:
    people = schema.people
    role = ledger.connection.scalar(sa.select(people.c.role).where(people.c.id == (name or "")))
    if not name:
        raise InputError("choose a name")
    if role not in (None, Role.ADMINISTRATOR):
        raise InputError(f"'{name}' is the name of somebody else: choose another one")
    ACTIONS["invite"].act(ledger, person=name, role=Role.ADMINISTRATOR.value)
    return name
