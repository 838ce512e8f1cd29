"""A second factor: enrolled in two steps, asked for at every sign-in, each code once, and required where it is set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from cli.program import Program, ran
from desk.desks import CHEAP, PASSWORD, STAFF, TestDesk, test_desk
from evenhand.desk import invitations
from evenhand.desk.app import create_desk
from evenhand.desk.one_time_codes import STEP_SECONDS, code_at
from evenhand.desk.passwords import PasswordKeeper
from evenhand.desk.people import Role
from evenhand.desk.second_factors import SecondFactors
from evenhand.service.settings import ServiceSettings
from evenhand.store import schema
from service.fakes import fake_model, local_client
from store.desks import SECOND, check

SESSION, FACTOR = "/api/v1/session", "/api/v1/session/second-factor"
LEAD, MODERATOR = STAFF[Role.LEAD], STAFF[Role.MODERATOR]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[TestDesk]:
    made = test_desk(tmp_path)
    yield made
    check(made.store)
    made.store.close()


def enrol(desk: TestDesk, client: TestClient) -> tuple[str, list[str]]:
    """The secret and the recovery codes."""
    secret = client.post(FACTOR).json()["secret"]
    answer = client.post(f"{FACTOR}/confirm", json={"code": code_now(desk, secret)})
    assert answer.status_code == 200, answer.text
    return secret, answer.json()["recovery_codes"]


def code_now(desk: TestDesk, secret: str) -> str:
    return code_at(secret, desk.desk.clock.at // SECOND // STEP_SECONDS)


def sign_in(desk: TestDesk, code: str | None = None) -> tuple[int, str]:
    answer = desk.client().post(SESSION, json={"name": LEAD, "password": PASSWORD, "code": code})
    return answer.status_code, answer.json().get("type", "").rpartition(":")[2]


def test_a_code_is_asked_for_once_enrolled_and_taken_once(desk: TestDesk) -> None:
    client = desk.signed_in(LEAD)
    client.post(FACTOR)
    assert sign_in(desk) == (200, "")  # begun, and no code was entered yet
    secret, _ = enrol(desk, client)
    assert client.get(SESSION).json()["second_factor"]
    assert client.post(FACTOR).status_code == 409  # whoever takes over a session cannot replace it
    assert sign_in(desk) == (401, "second-factor-needed")
    used = code_now(desk, secret)
    assert sign_in(desk, used) == (401, "second-factor-needed")  # taken when it was confirmed
    desk.desk.clock.pass_seconds(STEP_SECONDS)
    fresh = code_now(desk, secret)
    assert sign_in(desk, fresh) == (200, "")
    assert sign_in(desk, fresh) == (401, "second-factor-needed")
    desk.desk.clock.pass_seconds(STEP_SECONDS)
    assert sign_in(desk, used) == (401, "second-factor-needed")  # an earlier one, within the tolerance or not


def test_a_recovery_code_works_once(desk: TestDesk) -> None:
    _, codes = enrol(desk, desk.signed_in(LEAD))
    assert len(set(codes)) == 10
    assert sign_in(desk, codes[3].upper()) == (200, "")
    assert sign_in(desk, codes[3]) == (401, "second-factor-needed")
    assert sign_in(desk, codes[4]) == (200, "")
    with desk.store.database.reading() as connection:
        stored = str(connection.execute(sa.select(schema.second_factors)).all())
    assert not any(code in stored for code in codes)


def test_codes_cannot_be_guessed_at_leisure(desk: TestDesk) -> None:
    secret, _ = enrol(desk, desk.signed_in(LEAD))
    desk.desk.clock.pass_seconds(STEP_SECONDS)
    wrong = f"{(int(code_now(desk, secret)) + 1) % 10**6:06d}"
    told = [sign_in(desk, wrong) for _ in range(7)]
    assert told[:5] == [(401, "second-factor-needed")] * 5
    assert told[5:] == [(429, "too-many-attempts")] * 2


def test_a_wrong_password_says_nothing_of_the_second_factor(desk: TestDesk) -> None:
    enrol(desk, desk.signed_in(LEAD))
    answer = desk.client().post(SESSION, json={"name": LEAD, "password": "wrong"})
    assert (answer.status_code, answer.json()["detail"]) == (401, "the name or the password is wrong")


def test_a_link_alone_does_not_stand_for_it(desk: TestDesk) -> None:
    secret, _ = enrol(desk, desk.signed_in(LEAD))
    token = invitations.issue_link(desk.store, LEAD).removeprefix(invitations.LINK_PATH)
    body = {"invitation": token, "password": "another long password"}
    answer = desk.client().post("/api/v1/invitations/accept", json=body)
    assert answer.status_code == 401
    assert not answer.cookies
    desk.desk.clock.pass_seconds(STEP_SECONDS)
    body = {"name": LEAD, "password": "another long password", "code": code_now(desk, secret)}
    assert desk.client().post(SESSION, json=body).status_code == 200
    page = desk.client().get("/sign-in").text
    assert 'name="code"' in page


def test_where_it_is_required_leads_without_one_can_only_enrol(desk: TestDesk, tmp_path: Path) -> None:
    settings = ServiceSettings(token_file=tmp_path / "tokens.json", require_second_factor=True)
    app = create_desk(desk.store, settings, models={"fake": fake_model()}, passwords=PasswordKeeper(CHEAP))
    strict = TestDesk(desk.desk, app, desk.tokens)
    client, moderator = strict.signed_in(LEAD), strict.signed_in(MODERATOR)
    assert moderator.get("/api/v1/queues").status_code == 200
    for path in ("/api/v1/queues", "/api/v1/decisions", "/api/v1/people"):
        answer = client.get(path)
        assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (403, "second-factor-missing")
    assert client.get("/").status_code == 403
    assert client.get(SESSION).status_code == 200
    enrol(strict, client)
    assert client.get("/api/v1/queues").status_code == 200
    assert local_client(app).get("/api/v1/queues", headers=strict.as_token(LEAD)).status_code == 200


def test_whoever_has_the_machine_can_reset_it(desk: TestDesk, tmp_path: Path, program: Program) -> None:
    enrol(desk, desk.signed_in(LEAD))
    said = ran(program, "desk", "recover", tmp_path / "desk.db", LEAD)
    assert "second factor was removed" in said
    assert sign_in(desk) == (200, "")
    assert not SecondFactors(desk.store).reset(LEAD)
    kinds = [event.active for event in desk.desk.history("people") if event.kind == "second_factor"]
    assert kinds == [True, False]
