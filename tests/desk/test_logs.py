"""Logs of a desk hold no text, reason, note, password, code, token, or key of a person, also at the lowest level."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from desk.desks import PASSWORD, STAFF, test_desk
from evenhand.desk.people import Role
from evenhand.store.connection import DatabaseError

API = "/api/v1"
SERVICE, LEAD, AUDITOR = STAFF[Role.SERVICE], STAFF[Role.LEAD], STAFF[Role.AUDITOR]
WORDS = ("secret-text", "secret-reason", "secret-note", "secret-author", "secret-reporter", "secret-password")


def test_what_people_write_and_sign_in_with_is_never_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    text, reason, note, author, reporter, wrong = WORDS
    desk = test_desk(tmp_path, measured=1e-9, reserved=0.0, second=0.0)
    caplog.set_level(logging.DEBUG)
    client = desk.client()
    said = {"id": "c1", "reason": reason, "note": note}
    service = desk.as_token(SERVICE)
    client.post(f"{API}/items", json={"id": "c1", "text": text * 40, "author": author}, headers=service)
    client.post(f"{API}/items", json={"id": "c1", "text": text, "wrong": 1}, headers=service)
    client.post(f"{API}/notices", json={**said, "reporter": reporter}, headers=service)
    view = client.post(f"{API}/queues/review/claim", headers=desk.as_token("ana")).json()
    assert text in view["text"]
    body = {"version": view["version"], "verdict": "violating", "note": note}
    for _ in range(2):  # the second is a conflict
        client.post(f"{API}/tasks/{view['task']}/decide", json=body, headers=desk.as_token("ana"))
    client.post(f"{API}/appeals", json=said, headers=service)
    client.post(f"{API}/items/{view['item']}/read", json={"reason": reason}, headers=desk.as_token(AUDITOR))
    client.post(f"{API}/session", json={"name": LEAD, "password": wrong, "code": "secret-code"})
    signed = desk.client().post(f"{API}/session", json={"name": LEAD, "password": PASSWORD})
    logged = "\n".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)
    assert caplog.records, "nothing was logged, so this shows nothing"
    hidden = (*WORDS, PASSWORD, "secret-code", desk.tokens[SERVICE], desk.tokens["ana"], *signed.cookies.values())
    assert [word for word in hidden if word in logged] == []
    desk.store.close()


def test_a_desk_whose_database_is_away_still_ends_cleanly(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = test_desk(tmp_path)

    def away(_store: object) -> int:
        raise DatabaseError("the database failed: connection refused")

    with desk.client():
        monkeypatch.setattr("evenhand.desk.app.seal", away)
    (last,) = [one for one in caplog.records if "the next start does it" in one.getMessage()]
    assert last.exc_info is None
    desk.store.close()
