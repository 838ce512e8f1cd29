"""Appeals and what was passed on: whoever decides reads why, and everybody else stays blind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from desk.desks import STAFF, TestDesk
from desk.pages.browsers import HOSTILE, Browser, plain_desk
from evenhand.desk.people import Role

MODERATOR, LEAD = STAFF[Role.MODERATOR], STAFF[Role.LEAD]
NOTE = "I know the author"


@pytest.fixture
def desk(tmp_path: Path) -> TestDesk:
    made = plain_desk(tmp_path)
    made.desk.receive(0.5)
    return made


def judge(desk: TestDesk, person: str, verdict: str, **more: Any) -> str:
    held = desk.desk.do("claim", person, queue="review")
    desk.desk.do("decide", person, task=held["task"], version=held["version"], verdict=verdict, **more)
    return str(held["item"])


def test_what_was_passed_on_comes_with_its_reason_and_note(desk: TestDesk) -> None:
    Browser(desk, MODERATOR).review("escalate", clause="Self-harm", note=f"{NOTE} {HOSTILE}")
    page = Browser(desk, LEAD).get("/queue?queue=escalated")
    assert f"Passed on by {MODERATOR}. Reason: Self-harm" in page.text
    assert NOTE in page.text
    assert "<script>alert" not in page.html


def test_a_note_is_kept_apart_from_the_history_and_can_be_erased(desk: TestDesk) -> None:
    Browser(desk, MODERATOR).review("escalate", note=NOTE)
    with desk.store.database.reading() as connection:
        payloads = connection.exec_driver_sql("SELECT payload FROM events").scalars().all()
        stream = connection.exec_driver_sql("SELECT id FROM items").scalar_one()
    assert not any(NOTE in payload for payload in payloads)
    desk.desk.do("erase_item", "lee", item=stream, reason="request")
    page = Browser(desk, LEAD).get("/queue?queue=escalated")
    assert "Passed on by" in page.text
    assert NOTE not in page.text


def test_what_several_skipped_says_so(desk: TestDesk) -> None:
    for person in ("ana", "bo", "cy"):
        held = desk.desk.do("claim", person, queue="review")
        desk.desk.do("skip", person, task=held["task"], version=held["version"], note=NOTE)
    page = Browser(desk, LEAD).get("/queue?queue=escalated")
    assert "several people skipped it" in page.text
    assert NOTE not in page.text


def test_an_appeal_shows_the_decision_that_it_is_about(desk: TestDesk) -> None:
    item = judge(desk, "ana", "violating", clause="Hate speech", ground="terms", note=NOTE)
    desk.desk.do("appeal", "io", item=item, reason="satire", note="It was a quotation.")
    page = Browser(desk, LEAD).get("/queue?queue=escalated")
    decision = "Decided by a reviewer. Policy clause: Hate speech. Ground: Against the terms of service."
    for words in ("Appeal against a decision. Reason: satire", "a quotation.", "The decision: removed", decision, NOTE):
        assert words in page.text, words
    assert "ana" not in page.text.replace("Evenhand", "")


def test_an_appeal_against_the_policy_says_that_nobody_decided(tmp_path: Path) -> None:
    desk = plain_desk(tmp_path)
    (item,) = desk.desk.receive(0.95)
    desk.desk.do("appeal", "io", item=item, reason="not me")
    page = Browser(desk, LEAD).get("/queue?queue=escalated")
    assert "The decision: removed" in page.text
    assert "Decided by the policy alone." in page.text


def test_two_who_disagree_are_resolved_blindly(tmp_path: Path) -> None:
    desk = plain_desk(tmp_path, second=1.0)
    desk.desk.receive(0.5)
    judge(desk, "ana", "violating", note=NOTE)
    judge(desk, "bo", "benign", note=NOTE)
    page = Browser(desk, LEAD).get("/queue?queue=escalated")
    assert page.form("review")["ticket"]
    assert not any("handover" in str(values.get("class")) for _, values in page.tags)
    assert NOTE not in page.text


def test_a_moderator_who_gets_another_item_reads_none_of_it(desk: TestDesk) -> None:
    item = judge(desk, "ana", "violating", note=NOTE)
    desk.desk.do("appeal", "io", item=item, reason="satire")
    desk.desk.receive(0.5, prefix="other")
    assert "satire" not in Browser(desk, MODERATOR).get("/queue").html
