"""The audits over HTTP: the bytes of the command line at the same snapshot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.program import Program, ran
from desk.desks import CHEAP, STAFF, TestDesk, test_desk
from evenhand.desk.app import create_desk
from evenhand.desk.live_findings import QUESTIONS, LiveFindings
from evenhand.desk.passwords import PasswordKeeper
from evenhand.desk.people import Role
from evenhand.errors import InputError
from evenhand.service.settings import ServiceSettings
from evenhand.service.tokens import TokenFile, write_tokens
from service.fakes import fake_model, local_client
from store.conftest import postgres  # noqa: F401 (a fixture)
from store.desks import emptied
from store.live_desk import POLICY, write_history

API, AUDITOR = "/api/v1/audits", STAFF[Role.AUDITOR]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestDesk]:
    made = test_desk(tmp_path_factory.mktemp("live"), **POLICY)
    write_history(made.desk)
    yield made
    made.store.close()


def test_one_question_has_the_bytes_of_the_command_line(live: TestDesk, program: Program) -> None:
    client = live.signed_in(AUDITOR)
    number = LiveFindings(live.store).number()
    live.desk.receive(0.4, prefix="after")
    for question in ("accuracy", "bias"):
        answer = client.get(f"{API}/{question}?snapshot={number}")
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"] == "application/json"
        named = ["audit", live.store.name, "--audits", question, "--snapshot", number, "--json"]
        assert ran(program, *named) == answer.text
    latest = client.get(f"{API}/accuracy").json()["findings"][0]["provenance"]["snapshot"]
    assert latest > number


def test_what_is_not_there_says_so(live: TestDesk, fresh: TestDesk) -> None:
    client = live.signed_in(AUDITOR)
    assert client.get(f"{API}/beauty").status_code == 404
    assert "choose from" in client.get(f"{API}/beauty").json()["detail"]
    assert client.get(f"{API}/bias?snapshot=9999999").status_code == 404
    assert client.get(f"{API}/bias?snapshot=-1").status_code == 422
    nothing = fresh.signed_in(AUDITOR).get(API)
    assert (nothing.status_code, "no item has been routed yet" in nothing.json()["detail"]) == (422, True)


def test_an_answer_is_made_once(live: TestDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, calls = LiveFindings(live.store), list[str]()
    number = kept.number()

    def refuse(*_: object, audits: str = "", **__: object) -> None:
        calls.append(audits)
        raise InputError("nothing to see")

    monkeypatch.setattr("evenhand.desk.live_findings.audit_store", refuse)
    assert [kept.answer("bias", number).problem for _ in range(3)] == ["nothing to see"] * 3
    assert calls == ["bias"]


@pytest.mark.verify
def test_all_questions_have_the_bytes_of_the_command_line(live: TestDesk, program: Program) -> None:
    number = LiveFindings(live.store).number()
    answer = live.signed_in(AUDITOR).get(f"{API}?snapshot={number}")
    assert ran(program, "audit", live.store.name, "--snapshot", number, "--json") == answer.text
    assert [finding["audit"] for finding in answer.json()["findings"]] == list(QUESTIONS)


@pytest.mark.verify
def test_on_postgres_too(postgres: str, tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    desk = emptied(postgres, tmp_path).staff(**POLICY)
    write_history(desk)
    desk.do("invite", person="aud", role="auditor")
    tokens, token = TokenFile().issue("aud", ("desk",))
    write_tokens(tokens, tmp_path / "tokens.json")
    settings = ServiceSettings(token_file=tmp_path / "tokens.json")
    app = create_desk(desk.store, settings, models={"fake": fake_model()}, passwords=PasswordKeeper(CHEAP))
    number = LiveFindings(desk.store).number()
    answer = local_client(app).get(f"{API}?snapshot={number}", headers={"Authorization": f"Bearer {token}"})
    monkeypatch.setenv("EVENHAND_STORE_KEY", str(tmp_path / "0.key"))
    assert ran(program, "audit", postgres, "--snapshot", number, "--json") == answer.text
    assert len(json.loads(answer.text)["findings"]) == len(QUESTIONS)
    desk.store.close()
