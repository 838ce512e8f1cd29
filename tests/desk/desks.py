"""Desks for tests: a store with people who can sign in, and clients that ask as one of them."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from argon2 import PasswordHasher
from fastapi import FastAPI
from starlette.testclient import TestClient

from evenhand.desk import invitations
from evenhand.desk.app import PARTS, create_desk
from evenhand.desk.passwords import PasswordKeeper
from evenhand.desk.people import Role
from evenhand.service.settings import ServiceSettings
from evenhand.service.tokens import TokenFile, write_tokens
from evenhand.store import DeskPolicy, Store, open_store
from service.fakes import fake_model, local_client
from store.desks import Desk, sqlite_desk

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
STAFF = {role: f"the-{role}" for role in Role}  # besides those of the store's tests
PASSWORD = "a long enough password"
ALL_SCOPES = ("items", "decisions", "desk")


@dataclass
class TestDesk:
    """A desk in this process; everybody of `STAFF` has a password, and a token of every scope."""

    __test__ = False
    desk: Desk
    app: FastAPI
    tokens: Mapping[str, str]
    sessions: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def store(self) -> Store:
        return self.desk.store

    def client(self, **more: Any) -> TestClient:
        return local_client(self.app, **more)

    def as_token(self, person: str, **headers: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[person]}", **headers}

    def signed_in(self, person: str) -> TestClient:
        """A browser of this person, which sends its token against forged requests."""
        client = self.client()
        answer = client.post("/api/v1/session", json={"name": person, "password": PASSWORD})
        assert answer.status_code == 200, answer.text
        client.headers["X-CSRF-Token"] = answer.json()["csrf"]
        return client


def _routes() -> Iterator[tuple[str, str, str]]:
    for part in PARTS:
        for route in part.routes.router.routes:
            (method,) = route.methods  # type: ignore[attr-defined]
            yield method, route.path, route.endpoint.permission  # type: ignore[attr-defined]


ROUTES = sorted(_routes())  # method, path and permission of all that needs one


@cache
def _template() -> tuple[Path, Mapping[str, str]]:
    """A staffed store that every desk of this process is a copy of, and the tokens of its people."""
    folder = Path(tempfile.mkdtemp(prefix="evenhand-desk-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    desk = sqlite_desk(folder)
    issued = _staff(desk, folder)
    desk.store.close()
    return folder, issued


def _staff(desk: Desk, folder: Path) -> Mapping[str, str]:
    """Passwords and tokens for everybody; the tokens."""
    tokens, issued, passwords = TokenFile(), dict[str, str](), PasswordKeeper(CHEAP)
    for role, person in STAFF.items():
        desk.do("invite", person=person, role=role.value)
        link = invitations.issue_link(desk.store, person)
        invitations.accept(desk.store, passwords, link.removeprefix(invitations.LINK_PATH), PASSWORD)
    for person in (*STAFF.values(), "ana", "bo", "cy", "lee", "max", "io"):
        tokens, issued[person] = tokens.issue(person, ALL_SCOPES)
    write_tokens(tokens, folder / "tokens.json")
    return issued


def test_desk(folder: Path, **policy: Any) -> TestDesk:
    template, issued = _template()
    for path in template.iterdir():
        shutil.copy(path, folder)
    store = open_store(str(folder / "desk.db"))
    store.close()
    sa.event.listen(store.database.engine, "connect", lambda raw, _: raw.execute("PRAGMA synchronous = OFF"))
    return _opened(Desk(store), folder, issued, policy)


def staffed_desk(desk: Desk, folder: Path, **policy: Any) -> TestDesk:
    """The same on a store that is there, in PostgreSQL say."""
    return _opened(desk.staff(), folder, _staff(desk, folder), policy)


def _opened(desk: Desk, folder: Path, tokens: Mapping[str, str], policy: Mapping[str, Any]) -> TestDesk:
    if policy:
        desk.do("activate", "lee", policy=DeskPolicy.from_thresholds(**{"upper": 0.9, "lower": 0.1, **policy}))
    settings = ServiceSettings(token_file=folder / "tokens.json")
    app = create_desk(desk.store, settings, models={"fake": fake_model()}, passwords=PasswordKeeper(CHEAP))
    return TestDesk(desk, app, tokens)


test_desk.__test__ = False  # type: ignore[attr-defined]
