"""What people decide, and what becomes of it: second opinions, undo, appeals, reversals, measurement."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand.errors import InputError
from evenhand.store import ConflictError, DeskPolicy, ForbiddenError, NewItem, NewScore
from evenhand.store import events as ev
from store.desks import Desk, check, sqlite_desk

PLAIN = {"measured": 0.0001, "reserved": 0.0, "second": 0.0}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return sqlite_desk(tmp_path, **PLAIN)


def decide(desk: Desk, person: str, verdict: str, queue: str = "review", **more: Any) -> dict[str, Any]:
    view = desk.do("claim", person, queue=queue)
    assert view["task"], "nothing waits"
    desk.do("decide", person, task=view["task"], version=view["version"], verdict=verdict, **more)
    return view


def test_the_policy_decides_what_is_clear(desk: Desk) -> None:
    removed, left, queued = desk.receive(0.95, 0.05, 0.5)
    assert [desk.row(item).action for item in (removed, left, queued)] == ["remove", "leave", None]
    assert [desk.row(item).basis for item in (removed, left, queued)] == ["policy", "policy", None]


def test_a_decision_keeps_what_a_statement_of_reasons_needs(desk: Desk) -> None:
    (item,) = desk.receive(0.5)
    decide(desk, "ana", "violating", action="restrict", clause="4.2", ground="terms", territory="EU", note="slur")
    row = desk.row(item)
    assert (row.action, row.verdict, row.basis, row.decided_by) == ("restrict", "violating", "review", "ana")
    (made,) = [event for event in desk.history(item) if isinstance(event, ev.Decided)]
    assert (made.clause, made.ground, made.territory, made.automated) == ("4.2", "terms", "EU", False)
    for wrong in ({"verdict": "bad"}, {"verdict": "benign", "ground": "taste"}):
        with pytest.raises(InputError, match="invalid"):
            desk.do("decide", "ana", task="x", version=1, **wrong)


def test_actions_are_those_that_the_policy_declares(tmp_path: Path) -> None:
    actions = {"actions": ("leave", "remove", "blur"), "account_actions": ("warn",)}
    desk = sqlite_desk(tmp_path, **PLAIN, **actions)
    declared = DeskPolicy.from_thresholds(upper=None, lower=None, **actions)
    assert DeskPolicy.from_dict(json.loads(json.dumps(declared.to_dict()))) == declared
    (with_author,) = desk.receive(0.5, author="u1")
    desk.receive(0.4, prefix="nobody")
    view = desk.do("claim", "ana", queue="review")
    what = {"task": view["task"], "version": view["version"], "verdict": "violating"}
    for wrong in ({"action": "blurr"}, {"account_action": "suspend"}):
        with pytest.raises(InputError, match="the policy has no action"):
            desk.do("decide", "ana", **what, **wrong)
    desk.do("decide", "ana", **what, action="blur", account_action="warn")
    assert (desk.row(with_author).action, desk.row(with_author).account_action) == ("blur", "warn")
    view = desk.do("claim", "bo", queue="review")
    with pytest.raises(InputError, match="has no author"):
        desk.do("decide", "bo", task=view["task"], version=view["version"], verdict="violating", account_action="warn")
    more = {"clause": "4", "ground": "terms", "territory": "EU", "until": 5}
    desk.do("reverse", "lee", item=with_author, reason="wrong", verdict="violating", action="remove", **more)
    row, made = desk.row(with_author), desk.history(with_author)[-1]
    assert (row.action, row.account_action) == ("remove", None)  # the measure against the account ended with it
    assert {name: getattr(made, name) for name in more} == more
    with pytest.raises(InputError, match="'leave' must be among them"):
        DeskPolicy.from_thresholds(upper=None, lower=None, actions=("remove",))
    check(desk.store)


def test_an_edit_makes_the_reviewer_look_again(desk: Desk) -> None:
    desk.receive(0.5)
    view = desk.do("claim", "ana", queue="review")
    edited = NewItem("e0", "another text", scores=[NewScore("m", "1", 0.6)])
    assert desk.do("receive", "io", items=[edited])["items"][0]["outcome"] == "edited"
    with pytest.raises(ConflictError, match="has changed"):
        desk.do("decide", "ana", task=view["task"], version=view["version"], verdict="benign")
    check(desk.store)


def test_an_edit_after_a_decision_is_reviewed_by_somebody_else(desk: Desk) -> None:
    (item,) = desk.receive(0.5)
    decide(desk, "ana", "benign")
    desk.do("receive", "io", items=[NewItem("e0", "now an insult", scores=[NewScore("m", "1", 0.6)])])
    assert desk.do("claim", "ana", queue="review") == {"task": None}
    decide(desk, "bo", "violating")
    assert desk.row(item).action == "remove"
    check(desk.store)


@pytest.mark.parametrize(
    ("verdict", "score", "reviewed"),
    [("benign", 0.99, True), ("benign", 0.01, False), ("violating", 0.01, True), ("violating", 0.99, False)],
)
def test_an_edit_that_the_policy_would_treat_otherwise_is_reviewed(
    desk: Desk, verdict: str, score: float, reviewed: bool
) -> None:
    """What a person approved stays up with another text only until somebody has looked at it, and the reverse."""
    (item,) = desk.receive(0.5)
    decide(desk, "ana", verdict)
    before = desk.row(item).action
    for text in ("another text", "and another"):
        desk.do("receive", "io", items=[NewItem("e0", text, scores=[NewScore("m", "1", score)])])
    assert desk.row(item).action == before
    view = desk.do("claim", "bo", queue="review")
    assert view.get("text") == ("and another" if reviewed else None)
    check(desk.store)


def test_a_new_score_does_not_take_away_a_review_that_a_notice_asks_for(desk: Desk) -> None:
    reported, silent = desk.receive(0.5, 0.5)
    desk.do("notice", "io", item=reported, reason="hate", reporter="user 1")
    for item in (reported, silent):
        desk.do("rescore", "io", item=item, scores=[NewScore("m", "2", 0.01)])
    assert desk.do("claim", "ana", queue="review")["item"] == reported
    assert desk.do("claim", "bo", queue="review") == {"task": None}
    check(desk.store)


def test_a_test_item_is_routed_by_no_score(desk: Desk) -> None:
    answer = desk.do("receive", "io", items=[NewItem("g", "gold", gold="benign")])["items"][0]
    with pytest.raises(ConflictError, match="tests reviewers"):
        desk.do("rescore", "io", item=answer["item"], scores=[NewScore("m", "2", 0.99)])
    assert desk.row(answer["item"]).action is None
    check(desk.store)


def test_undo_in_time(desk: Desk) -> None:
    (item,) = desk.receive(0.5)
    view = decide(desk, "ana", "violating")
    desk.clock.pass_seconds(59)
    with pytest.raises(ConflictError, match="no verdict of yours"):
        desk.do("undo", "bo", task=view["task"])
    again = desk.do("undo", "ana", task=view["task"])
    assert desk.row(item).action is None
    desk.do("decide", "ana", task=view["task"], version=again["version"], verdict="benign")
    assert desk.row(item).action == "leave"
    desk.clock.pass_seconds(61)
    with pytest.raises(ConflictError, match="too late"):
        desk.do("undo", "ana", task=view["task"])
    check(desk.store)


def test_a_reversal_is_not_undone_by_whoever_was_reversed(desk: Desk) -> None:
    (item,) = desk.receive(0.5)
    view = decide(desk, "ana", "benign")
    desk.do("reverse", "lee", item=item, reason="an insult", verdict="violating")
    with pytest.raises(ConflictError, match="somebody else has decided since"):
        desk.do("undo", "ana", task=view["task"])
    assert (desk.row(item).action, desk.row(item).decided_by) == ("remove", "lee")
    check(desk.store)


def test_undo_of_what_somebody_acted_on_is_refused(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, **{**PLAIN, "second": 1.0})
    desk.receive(0.5)
    view = decide(desk, "ana", "violating")
    desk.do("claim", "bo", queue="review")
    with pytest.raises(ConflictError, match="somebody has acted"):
        desk.do("undo", "ana", task=view["task"])
    check(desk.store)


def test_two_who_disagree_are_resolved_by_a_third(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, **{**PLAIN, "second": 1.0})
    (item,) = desk.receive(0.5)
    decide(desk, "ana", "violating")
    assert desk.do("claim", "ana", queue="review") == {"task": None}  # not her own second review
    decide(desk, "bo", "benign")
    assert desk.row(item).action == "remove"  # a second review decides nothing
    decide(desk, "lee", "benign", queue="escalated")
    row = desk.row(item)
    assert (row.action, row.basis, row.decided_by) == ("leave", "resolve", "lee")
    assert sum(isinstance(event, ev.Reversed) for event in desk.history(item)) == 1
    check(desk.store)


def test_a_second_opinion_that_was_asked_for_is_blind(desk: Desk) -> None:
    desk.receive(0.5)
    view = desk.do("claim", "ana", queue="review")
    asked = desk.do("ask_second", "ana", task=view["task"], version=view["version"])
    other = desk.do("claim", "bo", queue="review")
    assert other["item"] == view["item"]
    assert other["task"] != view["task"]
    desk.do("decide", "ana", task=view["task"], version=asked["version"], verdict="violating")
    desk.do("decide", "bo", task=other["task"], version=other["version"], verdict="violating")
    check(desk.store)


@pytest.mark.parametrize(("asker", "other", "resolved"), [("violating", "benign", True), ("benign", "benign", False)])
def test_a_second_opinion_counts_also_where_it_comes_first(desk: Desk, asker: str, other: str, resolved: bool) -> None:
    (item,) = desk.receive(0.5)
    view = desk.do("claim", "ana", queue="review")
    asked = desk.do("ask_second", "ana", task=view["task"], version=view["version"])
    decide(desk, "bo", other)
    assert desk.row(item).action is None
    desk.do("decide", "ana", task=view["task"], version=asked["version"], verdict=asker)
    assert (desk.do("claim", "cy", queue="escalated")["task"] is not None) == resolved
    check(desk.store)


@pytest.mark.parametrize(("answer", "outcome"), [("violating", "upheld"), ("benign", "overturned")])
def test_an_appeal_is_decided_by_somebody_else(desk: Desk, answer: str, outcome: str) -> None:
    (item,) = desk.receive(0.5)
    with pytest.raises(ConflictError, match="no decision"):
        desk.do("appeal", "io", item=item, reason="wrong")
    decide(desk, "lee", "violating")
    desk.do("appeal", "io", item=item, reason="it was irony", note="please look again")
    with pytest.raises(ConflictError, match="open already"):
        desk.do("appeal", "io", item=item, reason="again")
    assert desk.do("claim", "lee", queue="escalated") == {"task": None}
    decide(desk, "max", answer, queue="escalated")
    row = desk.row(item)
    assert (row.appeal, row.action) == (outcome, "remove" if outcome == "upheld" else "leave")
    check(desk.store)


def test_an_appeal_is_not_decided_by_whoever_reversed(desk: Desk) -> None:
    (item,) = desk.receive(0.5)
    decide(desk, "ana", "benign")
    desk.do("reverse", "lee", item=item, reason="an insult", verdict="violating")
    desk.do("appeal", "io", item=item, reason="it was irony")
    for person in ("ana", "lee"):
        assert desk.do("claim", person, queue="escalated") == {"task": None}
    with pytest.raises(ForbiddenError, match="seen this item"):
        desk.do("claim_item", "lee", item=item)
    decide(desk, "max", "benign", queue="escalated")
    assert (desk.row(item).appeal, desk.row(item).action) == ("overturned", "leave")
    check(desk.store)


def test_whoever_holds_a_task_of_an_item_does_not_reverse_it(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, **{**PLAIN, "second": 1.0})
    (item,) = desk.receive(0.5)
    decide(desk, "ana", "benign")
    desk.do("claim", "lee", queue="review")
    with pytest.raises(ConflictError, match="you hold a task"):
        desk.do("reverse", "lee", item=item, reason="x", verdict="violating")


def test_an_appeal_against_an_automatic_removal(desk: Desk) -> None:
    (item,) = desk.receive(0.95)
    desk.do("appeal", "io", item=item, reason="wrong")
    decide(desk, "lee", "benign", queue="escalated")
    assert (desk.row(item).action, desk.row(item).basis) == ("leave", "appeal")
    check(desk.store)


def test_a_lead_reverses_and_decides_many(desk: Desk) -> None:
    items = desk.receive(0.5, 0.6, 0.7)
    decide(desk, "ana", "benign")
    first = next(item for item in items if desk.row(item).decision)
    with pytest.raises(ForbiddenError):
        desk.do("reverse", "ana", item=first, reason="x", verdict="violating")
    desk.do("reverse", "lee", item=first, reason="wrong clause", verdict="violating")
    assert (desk.row(first).action, desk.row(first).decided_by) == ("remove", "lee")
    held = desk.do("claim", "ana", queue="review")["item"]
    answer = desk.do("decide_many", "lee", items=items, verdict="violating", reason="raid")
    assert set(answer["left"]) == {first, held}
    assert len(answer["decided"]) == 1
    check(desk.store)


def test_a_notice_asks_for_a_review_of_what_was_left(desk: Desk) -> None:
    (item,) = desk.receive(0.05)
    assert desk.do("claim", "ana", queue="review") == {"task": None}
    desk.do("notice", "io", item=item, reason="hate", reporter="user 1", clause="4.1")
    desk.do("notice", "io", item=item, reason="hate", reporter="user 2")
    decide(desk, "ana", "violating")
    assert (desk.row(item).action, desk.row(item).notices) == ("remove", 2)
    check(desk.store)


def test_a_measurement_corrects_and_keeps_its_place_in_the_order(tmp_path: Path) -> None:
    """Judged in a reserved slot first: the place in the policy's order is counted as reached without a review."""
    desk = sqlite_desk(tmp_path, measured=1.0, reserved=1.0, second=0.0, panel=0.0)
    (queued, left) = desk.receive(0.5, 0.05)
    for person in ("ana", "bo"):
        decide(desk, person, "violating")
    assert [desk.row(item).basis for item in (queued, left)] == ["measurement", "measurement"]
    assert not desk.row(queued).reached
    assert desk.do("claim", "cy", queue="review") == {"task": None}
    assert desk.row(queued).reached  # the order came to it
    assert not desk.row(left).reached
    check(desk.store)


def test_a_review_makes_the_measurement_needless(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, measured=1.0, reserved=0.0, second=0.0, panel=0.0)
    (item,) = desk.receive(0.5)
    view = decide(desk, "ana", "violating")
    assert desk.do("claim", "bo", queue="review") == {"task": None}
    desk.do("undo", "ana", task=view["task"])
    assert desk.do("claim", "bo", queue="review")["item"] == item  # measured again, as it is not decided
    check(desk.store)
