"""What a role and access to queues keep from people: an annotator decides nothing, no queue leaks into another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evenhand.store import ForbiddenError
from evenhand.store import events as ev
from evenhand.store.cases import GOLD, PANEL, REVIEW, SECOND
from evenhand.store.roles import ANNOTATOR, MODERATOR, ROLES, StaffMember
from store.desks import Desk, check, sqlite_desk

PLAIN = {"measured": 0.0001, "reserved": 0.0, "second": 0.0}
GERMAN = {"queues": {"german": {"language": ("de",)}}}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = sqlite_desk(tmp_path, **PLAIN, **GERMAN)
    made.do("invite", person="ann", role="annotator")
    made.do("invite", person="ben", role="annotator")
    made.do("invite", person="dirk", role="moderator", queues=("german",))
    made.do("invite", person="doro", role="lead", queues=("german",))
    return made


def taken(desk: Desk, person: str, queue: str = "review") -> dict[str, Any]:
    view = desk.do("claim", person, queue=queue)
    assert view["task"], "nothing waits"
    return view


def decide(desk: Desk, person: str, view: dict[str, Any], verdict: str) -> None:
    desk.do("decide", person, task=view["task"], version=view["version"], verdict=verdict)


def test_only_an_annotator_is_kept_from_some_tasks() -> None:
    for role in ROLES:
        member = StaffMember("x", role)
        assert member.may_take(REVIEW) == (role != ANNOTATOR)
        assert all(member.may_take(purpose) for purpose in (SECOND, PANEL, GOLD))
    assert StaffMember("x", MODERATOR, ("german",)).may_use("german")
    assert not StaffMember("x", MODERATOR, ("german",)).may_use("review")


def test_an_annotator_is_given_nothing_whose_verdict_decides(desk: Desk) -> None:
    removed, queued = desk.receive(0.95, 0.5)
    assert desk.do("claim", "ann", queue="review") == {"task": None}
    desk.do("appeal", "io", item=removed, reason="wrong")
    assert desk.do("claim", "ann", queue="escalated") == {"task": None}
    view = taken(desk, "ana")
    desk.do("ask_second", "ana", task=view["task"], version=view["version"])
    second = taken(desk, "ann")
    assert second["item"] == queued
    decide(desk, "ann", second, "violating")
    assert desk.row(queued).action is None
    assert not any(isinstance(event, ev.Decided) for event in desk.history(queued))
    check(desk.store)


def test_a_measurement_that_would_correct_the_policy_is_not_for_annotators(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, measured=1.0, reserved=1.0, panel=1.0, second=0.0)
    desk.do("invite", person="ann", role="annotator")
    (item,) = desk.receive(0.95)
    assert desk.do("claim", "ann", queue="review") == {"task": None}
    decide(desk, "ana", taken(desk, "ana"), "benign")
    decide(desk, "ann", taken(desk, "ann"), "violating")  # on the panel
    assert (desk.row(item).action, desk.row(item).panel_verdict) == ("leave", "violating")


def test_who_becomes_an_annotator_can_only_release_what_they_hold(desk: Desk) -> None:
    (item,) = desk.receive(0.5)
    view = taken(desk, "ana")
    desk.do("invite", person="ana", role="annotator")
    with pytest.raises(ForbiddenError, match="release the task"):
        decide(desk, "ana", view, "violating")
    desk.do("release", "ana", task=view["task"], version=view["version"])
    done = taken(desk, "bo")
    decide(desk, "bo", done, "violating")
    desk.do("invite", person="bo", role="annotator")
    with pytest.raises(ForbiddenError, match="may not decide this"):
        desk.do("undo", "bo", task=done["task"])
    assert desk.row(item).action == "remove"
    check(desk.store)


def test_an_item_of_another_queue_is_out_of_reach(desk: Desk) -> None:
    (other,) = desk.receive(0.5, prefix="x", language="en")
    (own,) = desk.receive(0.5, prefix="y", language="de")
    with pytest.raises(ForbiddenError, match="the queue 'review'"):
        desk.do("claim_item", "dirk", item=other)
    with pytest.raises(ForbiddenError, match="the queue 'review'"):
        desk.do("decide_many", "doro", items=[own, other], verdict="violating", reason="raid")
    assert desk.row(own).action is None  # all or nothing
    asked = (("read_text", {}), ("erase_item", {}), ("hold", {"held": True}), ("reverse", {"verdict": "benign"}))
    for action, more in asked:
        with pytest.raises(ForbiddenError, match="the queue 'review'"):
            desk.do(action, "doro", item=other, reason="curious", **more)
    with pytest.raises(ForbiddenError, match="the queue 'review'"):
        desk.do("context", "dirk", item=other)
    assert desk.do("claim_item", "dirk", item=own)["item"] == own
    assert desk.do("read_text", "doro", item=own, reason="report")["text"] == "text 0 0.5"


def test_a_lead_of_the_escalated_reverses_what_came_there(desk: Desk) -> None:
    desk.do("invite", person="esc", role="lead", queues=("escalated",))
    (item,) = desk.receive(0.5)
    decide(desk, "ana", taken(desk, "ana"), "violating")
    with pytest.raises(ForbiddenError, match="the queue 'review'"):
        desk.do("reverse", "esc", item=item, reason="wrong", verdict="benign")
    desk.do("appeal", "io", item=item, reason="irony")
    assert desk.do("reverse", "esc", item=item, reason="wrong", verdict="benign")["action"] == "leave"
    check(desk.store)


def test_a_task_elsewhere_is_not_taken_through_an_item_of_ones_own(desk: Desk) -> None:
    (item,) = desk.receive(0.5, language="de")
    view = taken(desk, "ana", "german")
    desk.do("escalate", "ana", task=view["task"], version=view["version"], reason="unsure")
    with pytest.raises(ForbiddenError, match="the queue 'escalated'"):
        desk.do("claim_item", "dirk", item=item)
