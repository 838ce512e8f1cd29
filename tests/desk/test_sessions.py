"""Signing in: by password, with a cookie that nobody can forge, and not too often."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from desk.desks import CHEAP, PASSWORD, STAFF, TestDesk
from evenhand.desk import invitations
from evenhand.desk.app import create_desk, prepare
from evenhand.desk.authorisation import COOKIE
from evenhand.desk.passwords import PasswordKeeper
from evenhand.desk.people import Role
from evenhand.desk.sessions import IDLE, LIFETIME, SECOND, WINDOW
from evenhand.errors import InputError
from evenhand.service.settings import ServiceSettings
from evenhand.store import create_store, schema
from service.fakes import fake_model, local_client
from store.desks import check

SESSION = "/api/v1/session"
MODERATOR = STAFF[Role.MODERATOR]


def problem(answer: object) -> tuple[int, str]:
    document = answer.json()  # type: ignore[attr-defined]
    return document["status"], document["type"].rpartition(":")[2]


def test_a_person_signs_in_and_out(fresh: TestDesk) -> None:
    client = fresh.signed_in(MODERATOR)
    answer = client.get(SESSION)
    told = {"person": MODERATOR, "role": "moderator", "queues": [], "csrf": "", "second_factor": False}
    assert answer.json() | {"csrf": ""} == told
    cookie = client.cookies[COOKIE]
    assert client.delete(SESSION).status_code == 204
    again = fresh.client()
    again.cookies.set(COOKIE, cookie)
    assert again.get(SESSION).status_code == 401


def test_the_cookie_is_out_of_reach_of_scripts_and_the_database_has_only_hashes(fresh: TestDesk) -> None:
    answer = fresh.client().post(SESSION, json={"name": MODERATOR, "password": PASSWORD})
    told = answer.headers["set-cookie"].lower()
    assert "httponly" in told
    assert "samesite=lax" in told
    secret = answer.cookies[COOKIE]
    with fresh.store.database.reading() as connection:
        kept = str(connection.execute(sa.select(schema.sessions)).all())
        hashed = str(connection.execute(sa.select(schema.credentials)).all())
    assert secret not in kept
    assert PASSWORD not in hashed
    assert "argon2id" in hashed


@pytest.mark.parametrize("name", [MODERATOR, "nobody", "io", "system"])
def test_a_wrong_password_and_an_unknown_name_are_told_alike(shared: TestDesk, name: str) -> None:
    answer = shared.client().post(SESSION, json={"name": name, "password": "wrong"})
    assert problem(answer) == (401, "sign-in-failed")
    assert answer.json()["detail"] == "the name or the password is wrong"


def test_attempts_are_limited_by_person_and_address(fresh: TestDesk) -> None:
    client = fresh.client()
    for _ in range(5):
        assert client.post(SESSION, json={"name": MODERATOR, "password": "wrong"}).status_code == 401
    answer = client.post(SESSION, json={"name": MODERATOR, "password": PASSWORD})
    assert problem(answer) == (429, "too-many-attempts")
    assert 0 < int(answer.headers["retry-after"]) <= WINDOW // SECOND
    assert client.post(SESSION, json={"name": STAFF[Role.LEAD], "password": PASSWORD}).status_code == 200
    fresh.desk.clock.pass_seconds(WINDOW / SECOND + 1)
    assert client.post(SESSION, json={"name": MODERATOR, "password": PASSWORD}).status_code == 200


def test_who_succeeds_is_not_limited(fresh: TestDesk) -> None:
    for _ in range(8):
        assert fresh.client().post(SESSION, json={"name": MODERATOR, "password": PASSWORD}).status_code == 200


def test_a_session_ends_after_a_while_unused_and_after_a_day_in_any_case(fresh: TestDesk) -> None:
    client = fresh.signed_in(MODERATOR)
    fresh.desk.clock.pass_seconds(IDLE / SECOND - 60)
    assert client.get(SESSION).status_code == 200
    fresh.desk.clock.pass_seconds(IDLE / SECOND - 60)
    assert client.get(SESSION).status_code == 200
    fresh.desk.clock.pass_seconds(IDLE / SECOND + 1)
    assert client.get(SESSION).status_code == 401
    client = fresh.signed_in(MODERATOR)
    for _ in range(4):
        fresh.desk.clock.pass_seconds(LIFETIME / SECOND / 4 - 60)
        client.get(SESSION)
    fresh.desk.clock.pass_seconds(300)
    assert client.get(SESSION).status_code == 401


def test_who_leaves_is_out_at_once(fresh: TestDesk) -> None:
    client = fresh.signed_in(MODERATOR)
    fresh.desk.do("invite", person=MODERATOR, role="moderator", active=False)
    assert client.get(SESSION).status_code == 401
    assert fresh.client().get(SESSION, headers=fresh.as_token(MODERATOR)).status_code == 403


def test_a_forged_request_is_refused(fresh: TestDesk) -> None:
    client = fresh.signed_in(MODERATOR)
    other = fresh.signed_in(STAFF[Role.LEAD])
    for headers in ({"X-CSRF-Token": ""}, {"X-CSRF-Token": other.headers["X-CSRF-Token"]}):
        assert problem(client.delete(SESSION, headers=headers)) == (403, "forged-request")
    assert problem(client.delete(SESSION, headers={"Origin": "https://evil.example"})) == (403, "forged-request")
    assert client.delete(SESSION, headers={"Origin": "http://localhost:8717"}).status_code == 204


def test_a_page_of_another_origin_cannot_sign_somebody_in(shared: TestDesk) -> None:
    body = {"name": MODERATOR, "password": PASSWORD}
    answer = shared.client().post(SESSION, json=body, headers={"Origin": "https://evil.example"})
    assert problem(answer) == (403, "forged-request")


def _token(path: str) -> str:
    return path.removeprefix(invitations.LINK_PATH)


def _accept(client: TestClient, path: str, **more: str) -> object:
    body = {"invitation": _token(path), "password": "another long password", **more}
    return client.post("/api/v1/invitations/accept", json=body)


def test_a_link_works_once_ends_sessions_and_only_the_last_one_counts(fresh: TestDesk) -> None:
    before = fresh.signed_in(MODERATOR)
    old = invitations.issue_link(fresh.store, MODERATOR)
    link = invitations.issue_link(fresh.store, MODERATOR)
    assert problem(_accept(fresh.client(), old)) == (404, "not-found")
    assert _accept(fresh.client(), link).status_code == 200  # type: ignore[attr-defined]
    assert before.get(SESSION).status_code == 401
    assert problem(_accept(fresh.client(), link)) == (404, "not-found")
    late = invitations.issue_link(fresh.store, MODERATOR)
    fresh.desk.clock.pass_seconds(invitations.LINK_LIFETIME / SECOND + 1)
    assert problem(_accept(fresh.client(), late)) == (404, "not-found")


def test_a_link_is_for_one_person_and_passwords_are_long(fresh: TestDesk) -> None:
    link = invitations.issue_link(fresh.store, MODERATOR)
    assert problem(_accept(fresh.client(), link, name="somebody else")) == (422, "invalid-request")
    assert problem(_accept(fresh.client(), link, password="short")) == (422, "invalid-request")
    with pytest.raises(InputError, match="invite them first"):
        invitations.issue_link(fresh.store, "nobody")


def test_a_first_start_prints_a_link_for_the_first_administrator(fresh: TestDesk, tmp_path: object) -> None:
    with create_store(f"{tmp_path}/new.db") as store:
        lines = prepare(store)
        assert lines[0] == "the desk is open: {url}"
        assert "every item is reviewed" in lines[1]
        link = _token("/invitation/" + lines[2].rpartition("/invitation/")[2])
        passwords = fresh.app.state.sessions.passwords
        with pytest.raises(InputError, match="choose a name"):
            invitations.accept(store, passwords, link, PASSWORD)
        assert invitations.invited_name(store, link) is None
        assert invitations.accept(store, passwords, link, PASSWORD, "ann") == "ann"
        assert prepare(store) == ["the desk is open: {url}"]
        check(store)


def test_the_first_administrator_cannot_take_the_name_of_somebody_else(fresh: TestDesk, tmp_path: object) -> None:
    passwords = fresh.app.state.sessions.passwords
    link = _token(invitations.issue_link(fresh.store, None))
    with pytest.raises(InputError, match="somebody else"):
        invitations.accept(fresh.store, passwords, link, PASSWORD, "lee")


def test_there_is_no_default_password(fresh: TestDesk) -> None:
    assert fresh.client().post(SESSION, json={"name": "io", "password": ""}).status_code == 422
    assert ServiceSettings().host == "127.0.0.1"


@pytest.mark.parametrize("settings", [{"host": "0.0.0.0"}, {"trusted_proxies": ("10.0.0.1",)}], ids=["public", "proxy"])
def test_from_other_machines_the_cookie_needs_https(fresh: TestDesk, settings: dict[str, object]) -> None:
    told = ServiceSettings(token_file=fresh.app.state.settings.token_file, allowed_hosts=("desk.example",), **settings)  # type: ignore[arg-type]
    app = create_desk(fresh.store, told, models={"fake": fake_model()}, passwords=PasswordKeeper(CHEAP))
    client = local_client(app, client=("192.0.2.7", 1), host="desk.example")
    answer = client.post(SESSION, json={"name": MODERATOR, "password": PASSWORD})
    assert answer.headers["set-cookie"].startswith("__Host-evenhand-session=")
    assert "secure" in answer.headers["set-cookie"].lower()
    assert client.post("/api/v1/score", json={"text": "a"}).status_code == 401
