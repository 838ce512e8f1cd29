"""Items, reports and appeals in the shape of Coop's API, as a platform that sends there would send them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desk.desks import STAFF, TestDesk, test_desk
from evenhand.desk.coop_bodies import CoopFields
from evenhand.desk.people import Role
from evenhand.errors import InputError
from store.desks import check

SERVICE = STAFF[Role.SERVICE]
REVIEWED = "x" * 500  # the model of the tests scores a text by its length: 0.5
FIELDS = CoopFields.from_settings(["text=body", "author=creator", "created_at=createdAt"])


@pytest.fixture
def desk(tmp_path: Path) -> Any:
    made = test_desk(tmp_path, measured=1e-9, reserved=0.0, second=0.0)
    made.app.state.coop_fields = FIELDS
    yield made
    check(made.store)
    made.store.close()


def post(desk: TestDesk, path: str, body: Any, status: int, person: str = SERVICE, **headers: str) -> Any:
    told = {"X-API-KEY": desk.tokens[person], **headers}
    answer = desk.client().post(f"/api/v1{path}", json=body, headers=told)
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content else None


def item(name: str = "17", text: Any = REVIEWED, **data: Any) -> dict[str, Any]:
    return {"id": name, "typeId": "comment", "data": {"body": text, "likes": 3, **data}, "typeVersion": "v2"}


def report(**more: Any) -> dict[str, Any]:
    reporter = {"kind": "user", "typeId": "user", "id": "u9"}
    return {
        "reporter": reporter, "reportedAt": "2026-03-01T12:00:00Z", "reportedItem": item(),
        "reportedForReason": {"policyId": "hate", "reason": "an insult"}, "additionalItems": [item("18")], **more,
    }  # fmt: skip


def appeal(name: str = "a1", **more: Any) -> dict[str, Any]:
    by = {"typeId": "user", "id": "u5"}
    whole = {"appealId": name, "appealedBy": by, "appealedAt": "2026-03-02T12:00:00Z", "actionsTaken": ["remove"]}
    return {**whole, "actionedItem": item(), "appealReason": "it was irony", **more}


def test_items_come_in_by_type_and_id(desk: TestDesk) -> None:
    creator = {"id": "u5", "typeId": "user"}
    sent = [item(creator=creator, createdAt="2026-01-01T00:00:00Z", language="en"), {**item(), "typeId": "post"}]
    answer = post(desk, "/items/async/", {"items": sent}, 202)["items"]
    assert [(one["id"], one["outcome"]) for one in answer] == [("comment:17", "new"), ("post:17", "new")]
    row = desk.desk.row(answer[0]["item"])
    assert (row.item_type, row.language, row.author is not None) == ("comment", "en", True)
    assert row.created_at == 1_767_225_600_000_000
    assert post(desk, "/items/async/", {"items": sent}, 202)["items"][0]["outcome"] == "known"


def test_a_report_takes_an_unknown_item_in_and_never_edits_a_known_one(desk: TestDesk) -> None:
    first = post(desk, "/report", report(), 201)
    name, _, number = first["reportId"].rpartition("-")
    assert number == "1"
    older = report(reportedItem=item(text="as it was an hour ago"), reporter={"typeId": "user", "id": "u10"})
    assert post(desk, "/report", older, 201, **{"Idempotency-Key": "r"})["reportId"] == f"{name}-2"
    assert post(desk, "/report", older, 201, **{"Idempotency-Key": "r"})["reportId"] == f"{name}-2"
    row = desk.desk.row(name)
    assert (row.external_id, row.edits, row.notices, row.reporters) == ("comment:17", 0, 2, 2)
    notices = [event for event in desk.desk.history(name) if event.kind == "noticed"]
    assert [event.clause for event in notices] == ["hate", "hate"]  # type: ignore[attr-defined]
    assert post(desk, "/report", report(reportedForReason={"csam": True}), 201)


def test_an_appeal_is_one_however_often_it_is_sent(desk: TestDesk) -> None:
    post(desk, "/report/appeal", appeal(), 404)
    post(desk, "/items/async/", {"items": [item(text="x" * 950)]}, 202)  # the policy removes it
    post(desk, "/report/appeal", appeal(), 204)
    post(desk, "/report/appeal", appeal(), 204)
    post(desk, "/report/appeal", appeal("a2"), 409)
    view = desk.desk.do("claim", "lee", queue="escalated")
    desk.desk.do("decide", "lee", task=view["task"], version=view["version"], verdict="benign")
    assert desk.desk.row(view["item"]).appeal == "overturned"


def test_what_is_missing_is_named(desk: TestDesk) -> None:
    for data, pointer in (
        ({"text": "not the declared field"}, "#/items/0/data/body"),
        ({"body": 5}, "#/items/0/data/body"),
        ({"body": "a", "createdAt": "yesterday"}, "#/items/0/data/createdAt"),
        ({"body": "a", "creator": ["x"]}, "#/items/0/data/creator"),
    ):
        body = {"items": [{"id": "1", "typeId": "comment", "data": data}]}
        assert post(desk, "/items/async/", body, 422)["errors"][0]["pointer"] == pointer
    post(desk, "/items/async/", {"items": []}, 422)
    post(desk, "/report", {**report(), "reporter": None}, 422)
    post(desk, "/report", report(), 403, person="ana")


@pytest.mark.parametrize(
    ("declared", "problem"), [("texts=body", "no role 'texts'"), ("text", "ROLE=FIELD"), ("text=", "ROLE=FIELD")]
)
def test_fields_are_declared_by_role(declared: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        CoopFields.from_settings([declared])
    assert replace(FIELDS).names["text"] == "body"
