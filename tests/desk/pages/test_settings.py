"""The desk's settings: secrets once, tokens for programs only, erasure only of what is old, all of it in the log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from desk.desks import STAFF, TestDesk
from desk.pages.browsers import Browser, Page, plain_desk
from evenhand.desk.outgoing import OutgoingRequests
from evenhand.desk.pages.words import words
from evenhand.desk.people import Role
from evenhand.desk.webhooks import Deliverer
from evenhand.store import schema, seal
from evenhand.store.erasure import COMPLAINT_DAYS, DAY
from store.desks import check

ADMINISTRATOR, AUDITOR, LEAD, SERVICE = (
    STAFF[role] for role in (Role.ADMINISTRATOR, Role.AUDITOR, Role.LEAD, Role.SERVICE)
)
SAY = words()
URL = "https://forum.example/hook"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[TestDesk]:
    made = plain_desk(tmp_path)
    made.app.state.outgoing = OutgoingRequests(lookup=lambda host, port: ["93.184.216.34"])
    yield made
    check(made.store)
    made.store.close()


def change(browser: Browser, do: str, status: int = 200, /, **fields: str) -> Page:
    return browser.send("/settings", status, **browser.get("/settings").form("who"), do=do, **fields)


def secret(page: Page) -> str:
    return next(str(values["value"]) for _, values in page.tags if values.get("id") == "secret")


def recorded(desk: TestDesk, kind: str) -> list[dict[str, Any]]:
    events = schema.events
    query = sa.select(events.c.payload).where(events.c.kind == kind).order_by(events.c.id)
    with desk.store.database.reading() as connection:
        return [json.loads(payload) for payload in connection.scalars(query)]


def test_a_webhook_is_added_watched_sent_again_and_ended(desk: TestDesk) -> None:
    browser = Browser(desk, ADMINISTRATOR)
    page = change(browser, "add_webhook", url=URL)
    assert secret(page).startswith("whsec_")
    assert URL in page.text
    assert 'id="secret"' not in browser.get("/settings").html
    desk.desk.receive(0.99, 0.98)
    seal(desk.store)
    refuse = OutgoingRequests(
        lookup=lambda host, port: ["93.184.216.34"], transport=httpx.MockTransport(lambda _: httpx.Response(500))
    )
    Deliverer(desk.store, refuse).deliver_due()
    assert SAY("settings.failing", n=1) in browser.get("/settings").text
    (hook,) = {f["fields"]["webhook"] for f in browser.get("/settings").forms if "webhook" in f["fields"]}
    assert SAY("done.replay", n=0) in change(browser, "replay", webhook=hook, after="0").text
    accept = OutgoingRequests(refuse.networks, refuse.lookup, httpx.MockTransport(lambda _: httpx.Response(200)))
    assert Deliverer(desk.store, accept).deliver_due() == 1
    for person in (ADMINISTRATOR, LEAD, AUDITOR):
        shown = Browser(desk, person).get("/settings")
        assert SAY("settings.delivered") in shown.text
        assert ('value="end_webhook"' in shown.html) == (person == ADMINISTRATOR)
    change(browser, "end_webhook", webhook=hook)
    assert SAY("settings.ended") in browser.get("/settings").text
    assert [event["active"] for event in recorded(desk, "webhook")] == [True, True, False]


def test_an_address_that_is_not_public_is_refused(desk: TestDesk) -> None:
    desk.app.state.outgoing = OutgoingRequests(lookup=lambda host, port: ["10.0.0.1"])
    browser = Browser(desk, ADMINISTRATOR)
    assert "hook" in change(browser, "add_webhook", 422, url=URL).text
    assert SAY("settings.no_webhooks") in browser.get("/settings").text
    change(browser, "add_webhook", 422, url="ftp://forum.example")
    change(browser, "replay", 422, webhook="none", after="x")


def test_a_program_gets_a_token_that_works_until_it_is_revoked(desk: TestDesk) -> None:
    browser = Browser(desk, ADMINISTRATOR)
    desk.desk.do("invite", person="forum", role="service")
    page = change(browser, "issue", name="forum", scope_items="1")
    token = secret(page)
    assert token.startswith("evh_")
    assert token not in browser.get("/settings").html
    headers = {"Authorization": f"Bearer {token}"}
    body = {"id": "c1", "text": "a comment"}
    assert desk.client().post("/api/v1/items", json=body, headers=headers).status_code == 200
    assert desk.client().get("/api/v1/decisions", headers=headers).status_code == 403
    change(browser, "revoke", name="forum")
    assert desk.client().post("/api/v1/items", json=body, headers=headers).status_code == 401
    told = [(event["name"], event["scopes"], event["active"]) for event in recorded(desk, "token")]
    assert told == [("forum", ["items"], True), ("forum", ["items"], False)]
    assert SAY("event.token") in Browser(desk, AUDITOR).get("/log?kind=token").text


@pytest.mark.parametrize("name", [LEAD, "nobody", SERVICE])
def test_nobody_else_gets_a_token(desk: TestDesk, name: str) -> None:
    """Neither a person, nor a stranger, nor a program that has one."""
    before = Path(desk.app.state.access.path).read_bytes()
    change(Browser(desk, ADMINISTRATOR), "issue", 422, name=name, scope_desk="1")
    assert recorded(desk, "token") == []
    assert Path(desk.app.state.access.path).read_bytes() == before


def test_only_what_is_old_is_erased_and_only_when_confirmed(desk: TestDesk) -> None:
    lead = Browser(desk, LEAD)
    (old,) = desk.desk.receive(0.5, prefix="old")
    desk.desk.clock.at += (COMPLAINT_DAYS + 20) * DAY
    desk.desk.receive(0.4, prefix="new")
    lead = Browser(desk, LEAD)
    assert SAY("settings.old", n=1, days=COMPLAINT_DAYS) in lead.get("/settings").text
    assert SAY("error.sure") in change(lead, "erase", 422, days="190").text
    assert "from 183 to" in change(lead, "erase", 422, days="7", sure="1").text
    assert SAY("done.erased", n=1) in change(lead, "erase", days="190", sure="1").text
    page = lead.get("/settings").text
    assert SAY("settings.old", n=0, days=COMPLAINT_DAYS) in page
    assert recorded(desk, "erased")[0]["reason"] == "retention of 190 days"
    assert desk.desk.row(old).external_id == "old0"


def test_who_may_not_change_is_refused(desk: TestDesk) -> None:
    for person, do in ((AUDITOR, "erase"), (AUDITOR, "issue"), (LEAD, "add_webhook"), (LEAD, "revoke")):
        browser = Browser(desk, person)
        change(browser, do, 403, url=URL, name="io", days="200", sure="1")
        assert f'value="{do}"' not in browser.get("/settings").html
    change(Browser(desk, ADMINISTRATOR), "explode", 422)
