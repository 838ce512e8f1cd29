"""A day at the desk over HTTP: items come in, people decide, the platform learns of it, and nothing happens twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import typer

from desk.desks import STAFF, TestDesk, test_desk
from evenhand.cli.store import app as store_commands
from evenhand.desk.people import Role
from evenhand.store import DeskPolicy, events, schema, seal
from evenhand.store.events import read_event
from evenhand.store.reasons import reason_texts
from store.desks import check

API = "/api/v1"
ADMINISTRATOR, LEAD, MODERATOR, AUDITOR, SERVICE = (
    STAFF[role] for role in (Role.ADMINISTRATOR, Role.LEAD, Role.MODERATOR, Role.AUDITOR, Role.SERVICE)
)
REVIEWED = "x" * 500  # the model of the tests scores a text by its length: 0.5


class Caller:
    """Somebody with a token."""

    def __init__(self, desk: TestDesk, person: str) -> None:
        self.desk, self.person, self.http = desk, person, desk.client()

    def post(self, path: str, body: Any = None, key: str | None = None, status: int = 200) -> Any:
        headers = self.desk.as_token(self.person, **({"Idempotency-Key": key} if key else {}))
        answer = self.http.post(API + path, json=body, headers=headers)
        assert answer.status_code == status, answer.text
        return answer.json()

    def get(self, path: str, status: int = 200, **query: Any) -> Any:
        answer = self.http.get(API + path, params=query, headers=self.desk.as_token(self.person))
        assert answer.status_code == status, answer.text
        return answer.json()


@pytest.fixture
def quiet(tmp_path: Path) -> Any:
    """A desk that measures next to nothing, so that every task is an ordinary review."""
    desk = test_desk(tmp_path, measured=1e-9, reserved=0.0, second=0.0)
    yield desk
    check(desk.store)
    desk.store.close()


def send(desk: TestDesk, *texts: str, prefix: str = "c") -> list[dict[str, Any]]:
    items = [{"id": f"{prefix}{number}", "text": text} for number, text in enumerate(texts)]
    return list(Caller(desk, SERVICE).post("/items", {"items": items})["items"])


def test_items_are_scored_routed_and_known_by_the_platforms_id(quiet: TestDesk) -> None:
    service = Caller(quiet, SERVICE)
    first = send(quiet, "x" * 950, REVIEWED, "x" * 50, " ")
    assert [one["route"] for one in first] == ["remove", "review", "leave", "review"]
    assert {one["outcome"] for one in first} == {"new"}
    assert [one["outcome"] for one in send(quiet, "x" * 950, REVIEWED)] == ["known", "known"]
    edited = service.post(
        "/items", {"id": "c1", "text": "x" * 990, "author": "a", "created_at": "2026-01-01T00:00:00Z"}
    )
    assert edited["items"] == [{"item": first[1]["item"], "id": "c1", "outcome": "edited", "route": "remove"}]
    row = quiet.desk.row(first[0]["item"])
    assert (row.score, row.model, row.model_version) == (0.95, "fake", "0123456789abcdef")
    assert service.get("/items", id="c0")["action"] == "remove"
    assert service.get("/items", id="nothing", status=404)["type"].endswith("not-found")


def test_a_stream_is_answered_line_by_line(quiet: TestDesk) -> None:
    lines = [json.dumps({"id": f"s{number}", "text": REVIEWED}) for number in range(300)]
    lines[3], lines[260] = "{", json.dumps({"id": "bad", "text": 1})
    headers = quiet.as_token(SERVICE, **{"Content-Type": "application/x-ndjson"})
    with quiet.client() as client:
        answers = [client.post(f"{API}/items", content="\n".join(lines), headers=headers) for _ in range(2)]
    told = [[json.loads(line) for line in answer.text.splitlines()] for answer in answers]
    assert [len(one) for one in told] == [300, 300]
    assert [number for number, line in enumerate(told[0]) if "problem" in line] == [3, 260]
    assert {line["outcome"] for line in told[0] if "item" in line} == {"new"}
    assert {line["outcome"] for line in told[1] if "item" in line} == {"known"}


def test_a_line_that_the_store_refuses_does_not_take_others_with_it(tmp_path: Path) -> None:
    desk = test_desk(tmp_path, strategy="column:reach")
    lines = [{"id": "a", "text": REVIEWED, "attributes": {"reach": 1}}, {"id": "b", "text": REVIEWED}]
    headers = desk.as_token(SERVICE, **{"Content-Type": "application/x-ndjson"})
    with desk.client() as client:
        answer = client.post(f"{API}/items", content="\n".join(map(json.dumps, lines)), headers=headers)
    first, second = map(json.loads, answer.text.splitlines())
    assert first["outcome"] == "new"
    assert "needs the attribute 'reach'" in second["problem"]["detail"]


def test_claim_decide_undo_at_the_version_seen_and_once(quiet: TestDesk) -> None:
    send(quiet, REVIEWED)
    ana, bo = Caller(quiet, "ana"), Caller(quiet, "bo")
    task = ana.post("/queues/review/claim", key="one")
    assert task["text"] == REVIEWED
    assert ana.post("/queues/review/claim", key="one") == task
    assert ana.get("/tasks")["tasks"] == [task]
    assert bo.post("/queues/review/claim") == {"task": None, "until": None}
    path, version = f"/tasks/{task['task']}", task["version"]
    assert bo.post(f"{path}/decide", {"version": version, "verdict": "benign"}, status=409)
    quiet.desk.clock.pass_seconds(1)
    renewed = ana.post(f"{path}/renew", {"version": version})
    assert renewed["until"] > task["until"]
    stale = ana.post(f"{path}/decide", {"version": version, "verdict": "violating"}, status=409)
    assert "look at it again" in stale["detail"]
    answer = {"version": renewed["version"], "verdict": "violating", "clause": "4.2", "ground": "terms", "note": "n"}
    done = ana.post(f"{path}/decide", answer, key="two")
    assert set(done) == {"task", "version", "until"}
    assert ana.post(f"{path}/decide", answer, key="two") == done
    assert ana.post(f"{path}/decide", {**answer, "verdict": "benign"}, key="two", status=409)
    assert ana.post(f"{path}/decide", answer, status=409)
    assert ana.post(f"{path}/undo", {"version": 1}, status=409)
    held = ana.post(f"{path}/undo", {"version": done["version"]})
    ana.post(f"{path}/decide", {"version": held["version"], "verdict": "benign"})
    kinds = [event.kind for event in quiet.desk.history(task["item"])]
    assert kinds.count("decided") == 2
    assert kinds.count("undone") == 1


def test_skip_release_escalate_and_second_opinion(quiet: TestDesk) -> None:
    send(quiet, REVIEWED)
    callers = {name: Caller(quiet, name) for name in ("ana", "bo", "cy", "lee")}
    task = callers["ana"].post("/queues/review/claim")
    path = f"/tasks/{task['task']}"
    callers["ana"].post(f"{path}/release", {"version": task["version"]})
    task = callers["bo"].post("/queues/review/claim")
    callers["bo"].post(f"{path}/skip", {"version": task["version"], "reason": "I know the author", "lead_time": 2.5})
    task = callers["cy"].post("/queues/review/claim")
    asked = callers["cy"].post(f"{path}/second-opinion", {"version": task["version"]})
    wrong = {"version": asked["version"], "reason": "a threat", "queue": "nowhere"}
    assert "there is no queue" in callers["cy"].post(f"{path}/escalate", wrong, status=422)["detail"]
    callers["cy"].post(f"{path}/escalate", {"version": asked["version"], "reason": "a threat"})
    assert callers["lee"].post("/queues/escalated/claim")["task"] == task["task"]
    assert {row["queue"] for row in callers["lee"].get("/queues")["queues"]} == {"review", "escalated"}


def test_the_answer_does_not_tell_what_a_task_was_for(tmp_path: Path) -> None:
    desk = test_desk(tmp_path, measured=1.0, reserved=0.5, second=0.5, gold=0.3)
    Caller(desk, SERVICE).post("/items", {"id": "g", "text": "test", "gold": "benign"})
    send(desk, *[REVIEWED] * 3, *["x" * 950] * 3)
    shown, answered = set(), set()
    for person in ("ana", "bo", "cy"):
        caller = Caller(desk, person)
        while (task := caller.post("/queues/review/claim"))["task"]:
            shown.add(frozenset(task))
            assert task["score"] is None
            done = caller.post(f"/tasks/{task['task']}/decide", {"version": task["version"], "verdict": "benign"})
            answered.add((frozenset(done), done["until"], done["version"] - task["version"]))
    assert len(shown) == len(answered) == 1
    check(desk.store)


def test_decisions_come_by_number_each_once(quiet: TestDesk) -> None:
    send(quiet, "x" * 950, REVIEWED, "x" * 50)
    ana, service = Caller(quiet, "ana"), Caller(quiet, SERVICE)
    task = ana.post("/queues/review/claim")
    done = ana.post(
        f"/tasks/{task['task']}/decide", {"version": task["version"], "verdict": "violating", "clause": "4"}
    )
    assert service.get("/decisions")["decisions"] == []  # nothing is sealed yet
    seal(quiet.store)
    told = service.get("/decisions")
    assert [(one["id"], one["kind"], one["action"], one["automated"]) for one in told["decisions"]] == [
        ("c0", "routed", "remove", True), ("c2", "routed", "leave", True), ("c1", "decided", "remove", False),
    ]  # fmt: skip
    assert (told["decisions"][2]["clause"], told["decisions"][2]["verdict"]) == ("4", "violating")
    one_by_one, after = [], 0
    for _ in range(10):
        page = service.get("/decisions", after=after, limit=1)
        one_by_one += page["decisions"]
        after = page["next"]
    assert one_by_one == told["decisions"]
    ana.post(f"/tasks/{task['task']}/undo", {"version": done["version"]})
    seal(quiet.store)
    (undone,) = service.get("/decisions", after=told["next"])["decisions"]
    assert (undone["kind"], undone["action"], undone["automated"]) == ("undone", None, False)
    assert service.get("/decisions", after=2**53)["next"] == 2**53


def test_what_the_feed_says_is_what_holds(tmp_path: Path) -> None:
    """Whoever follows the feed knows the action that holds of every item: also after undo, edits and appeals."""
    desk = test_desk(tmp_path, measured=0.5, reserved=0.5, second=0.5)
    for round_ in range(2):
        send(desk, *(f"{'x' * (100 * n + round_)}" for n in range(10)))
        for number, person in enumerate(("ana", "bo", "cy", "lee")):
            caller = Caller(desk, person)
            for turn in range(4):
                task = caller.post(f"/queues/{'escalated' if turn == 3 else 'review'}/claim")
                if task["task"] is None:
                    continue
                verdict = ("violating", "benign")[(turn + number) % 2]
                body = {"version": task["version"], "verdict": verdict}
                done = caller.post(f"/tasks/{task['task']}/decide", body)
                if turn == 1:
                    caller.http.post(
                        f"{API}/tasks/{task['task']}/undo",
                        json={"version": done["version"]},
                        headers=desk.as_token(person),
                    )
    seal(desk.store)
    followed: dict[str, str | None] = {}
    for one in Caller(desk, SERVICE).get("/decisions", limit=1000)["decisions"]:
        followed[one["item"]] = one["action"]
    with desk.store.database.reading() as connection:
        rows = connection.execute(sa.select(schema.items.c.id, schema.items.c.action)).all()
    assert {row.id: followed.get(row.id) for row in rows} == {row.id: row.action for row in rows}
    check(desk.store)


def test_notices_and_appeals_by_the_platforms_id(quiet: TestDesk) -> None:
    send(quiet, REVIEWED)
    service, ana = Caller(quiet, SERVICE), Caller(quiet, "ana")
    told = service.post("/notices", {"id": "c0", "reason": "spam", "reporter": "r1", "trusted": True}, key="n")
    assert told["notices"] == service.post(
        "/notices", {"id": "c0", "reason": "spam", "reporter": "r1", "trusted": True}, key="n"
    )["notices"] == 1  # fmt: skip
    assert service.post("/notices", {"id": "unknown", "reason": "spam"}, status=404)
    assert service.post("/appeals", {"id": "c0", "reason": "unfair"}, status=409)
    task = ana.post("/queues/review/claim")
    ana.post(f"/tasks/{task['task']}/decide", {"version": task["version"], "verdict": "violating"})
    assert service.post("/appeals", {"id": "c0", "reason": "unfair", "note": "please"}) == {"item": task["item"]}
    assert ana.post("/queues/escalated/claim")["task"] is None
    lee = Caller(quiet, "lee")
    appeal = lee.post("/queues/escalated/claim")
    lee.post(f"/tasks/{appeal['task']}/decide", {"version": appeal["version"], "verdict": "benign"})
    assert service.get("/items", id="c0")["appeal"] == "overturned"


def test_reading_a_text_is_an_event_and_nothing_of_an_erased_one_is_left(quiet: TestDesk) -> None:
    secret = "a very secret sentence " * 20
    (item,) = send(quiet, secret)
    ana, auditor, lead = Caller(quiet, "ana"), Caller(quiet, AUDITOR), Caller(quiet, LEAD)
    assert ana.post("/queues/review/claim", key="k")["text"] == secret
    assert auditor.post(f"/items/{item['item']}/read", {"reason": "sample"}, key="r")["text"] == secret
    (read,) = [e.reason for e in quiet.desk.history(item["item"]) if e.kind == "read"]
    with quiet.store.database.reading() as connection:
        assert reason_texts(connection, [read]) == {read.id: "sample"}
    assert lead.post(f"/items/{item['item']}/hold", {"held": True, "reason": "court"})["held"]
    assert lead.post(f"/items/{item['item']}/erase", {"reason": "asked"}, status=409)
    lead.post(f"/items/{item['item']}/hold", {"held": False, "reason": "over"})
    assert lead.post(f"/items/{item['item']}/erase", {"reason": "asked"})["erased"] == 4  # the text, and three reasons
    with quiet.store.database.reading() as connection:
        for table in schema.metadata.sorted_tables:
            assert "very secret" not in str(connection.execute(sa.select(table)).all()), table.name
    assert ana.post("/queues/review/claim", key="k")["text"] is None


def test_context_only_for_who_holds_the_item_and_on_record(quiet: TestDesk) -> None:
    items = [{"id": f"t{n}", "text": REVIEWED, "thread": "t", "author": "a"} for n in range(2)]
    for one in items:
        Caller(quiet, SERVICE).post("/items", one)
    ana, bo = Caller(quiet, "ana"), Caller(quiet, "bo")
    ana.post("/queues/review/claim")
    task = ana.post("/queues/review/claim")
    around = ana.get(f"/tasks/{task['task']}/context")
    assert [[one["external_id"] for one in around[name]] for name in ("thread", "author")] == [["t0"], ["t0"]]
    assert next(e for e in quiet.desk.history(task["item"]) if e.kind == "read").number == 2
    assert bo.get(f"/tasks/{task['task']}/context", status=409)


def test_policies_are_activated_with_a_reason(quiet: TestDesk) -> None:
    lead = Caller(quiet, LEAD)
    document = DeskPolicy.from_thresholds(upper=0.8, lower=0.2).to_dict()
    version = lead.post("/policies", {"policy": document, "reason": "the new audit"}, key="p")["policy"]
    assert lead.post("/policies", {"policy": document, "reason": "the new audit"}, key="p")["policy"] == version
    last = lead.get("/policies")["policies"][-1]
    assert (last["version"], last["activated_by"], last["reason"]) == (version, LEAD, "the new audit")
    assert DeskPolicy.from_dict(last["policy"]) == DeskPolicy.from_dict(document)
    broken = [{}, {"kind": document["kind"]}, {**document, "measured": "x"}, {**document, "lease_seconds": 1.5}]
    broken += [{**document, "queues": 3}, {**document, "strategy": 5}, {**document, "measured": 0}]
    for policy in broken:
        lead.post("/policies", {"policy": policy, "reason": "wrong"}, status=422)
    assert len(lead.get("/policies")["policies"]) == version


def test_people_are_invited_by_a_link_and_nobody_locks_themselves_out(quiet: TestDesk) -> None:
    boss = Caller(quiet, ADMINISTRATOR)
    answer = boss.post("/people", {"person": "zoe", "role": "moderator", "queues": ["review"]})
    client = quiet.client()
    body = {"invitation": answer["link"].rpartition("/")[2], "password": "a long enough password"}
    assert client.post(f"{API}/invitations/accept", json=body).json()["queues"] == ["review"]
    assert boss.post("/people", {"person": "bot", "role": "service"})["link"] is None
    assert boss.post("/people", {"person": ADMINISTRATOR, "role": "lead"}, status=409)
    assert boss.post("/people", {"person": ADMINISTRATOR, "role": "administrator", "active": False}, status=409)
    zoe = next(one for one in boss.get("/people")["people"] if one["person"] == "zoe")
    assert zoe == {"person": "zoe", "role": "moderator", "queues": ["review"], "active": True, "signs_in": True}
    assert client.post(f"{API}/queues/escalated/claim").status_code == 403


def test_the_log_is_the_chain(quiet: TestDesk) -> None:
    send(quiet, REVIEWED)
    seal(quiet.store)
    told = Caller(quiet, AUDITOR).get("/events", limit=1000)
    with quiet.store.database.reading() as connection:
        rows = connection.execute(sa.select(schema.events).order_by(schema.events.c.number)).all()
    assert [one["number"] for one in told["events"]] == [row.number for row in rows]
    assert [one["chain"] for one in told["events"]] == [bytes(row.chain).hex() for row in rows]
    assert all(read_event(one["kind"], json.dumps(one["payload"])) for one in told["events"])
    assert events.KINDS


def test_bulk_decisions_and_reversals_of_a_lead(quiet: TestDesk) -> None:
    items = [one["item"] for one in send(quiet, *[REVIEWED] * 3)]
    lead, other = Caller(quiet, LEAD), Caller(quiet, "lee")
    answer = lead.post("/items/decide", {"items": items, "verdict": "violating", "reason": "a raid"}, key="b")
    assert sorted(answer["decided"]) == sorted(items)
    assert lead.post("/items/decide", {"items": items, "verdict": "violating", "reason": "a raid"}, key="b") == answer
    assert lead.post(f"/items/{items[0]}/reverse", {"verdict": "benign", "reason": "error"}, status=403)
    assert other.post(f"/items/{items[0]}/reverse", {"verdict": "benign", "reason": "error"})["action"] == "leave"
    assert other.post("/items/nothing/reverse", {"verdict": "benign", "reason": "error"}, status=404)


def test_findings_are_what_the_command_prints_byte_for_byte(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    desk = test_desk(tmp_path, measured=0.6, reserved=0.5, second=0.0)
    auditor = Caller(desk, AUDITOR)
    assert "nothing to measure" in auditor.get("/findings", status=404)["detail"]
    send(desk, *("x" * length for length in range(20, 1000, 40)))
    ana = Caller(desk, "ana")
    while (task := ana.post("/queues/review/claim"))["task"]:
        verdict = "violating" if len(task["text"]) > 500 else "benign"
        ana.post(f"/tasks/{task['task']}/decide", {"version": task["version"], "verdict": verdict})
    command = typer.main.get_command(store_commands)
    for level in ("0.95", "0.8"):
        answer = auditor.http.get(f"{API}/findings?level={level}", headers=desk.as_token(AUDITOR))
        command(["measure", str(tmp_path / "desk.db"), "--json", "--level", level], standalone_mode=False)
        assert answer.text == capsys.readouterr().out
        assert {one["measure"] for one in answer.json()["estimates"]} == {"recall", "precision", "prevalence"}
    for level in ("0", "1", "nan", "x", "-1"):
        auditor.get("/findings", level=level, status=422)


OUTCOME = ("route", "action", "verdict", "basis", "decided_at")


def test_a_lead_sees_the_outcome_only_of_what_they_can_no_longer_influence(tmp_path: Path) -> None:
    desk = test_desk(tmp_path, measured=0.5, reserved=0.3, second=0.0, panel=0.0, undo_seconds=60)
    lead, auditor = Caller(desk, LEAD), Caller(desk, AUDITOR)
    unseen, queued, *_ = send(desk, "x" * 950, REVIEWED, *("x" * 950 for _ in range(8)))
    seal(desk.store)
    drawn = {row.drawn for row in map(desk.desk.row, (one["item"] for one in _items(desk)))}
    assert drawn == {True, False}
    for one in _items(desk):  # drawn or not, they look alike
        seen = lead.get(f"/items/{one['item']}")
        assert seen["hidden"]
        assert not any(seen[name] for name in OUTCOME)
        assert auditor.get(f"/items/{one['item']}")["route"] == desk.desk.row(one["item"]).route
    assert {one["kind"] for one in lead.get("/decisions")["decisions"]} == {"hidden"}
    assert all(one["action"] is None for one in lead.get("/decisions")["decisions"])
    assert {one["kind"] for one in auditor.get("/decisions")["decisions"]} == {"routed"}
    view = Caller(desk, "ana").post(f"/items/{queued['item']}/claim")
    Caller(desk, "ana").post(f"/tasks/{view['task']}/decide", {"version": view["version"], "verdict": "violating"})
    assert lead.get("/items", id=queued["id"])["hidden"]  # it can still be undone
    desk.desk.clock.pass_seconds(61)
    seal(desk.store)
    shown = lead.get("/items", id=queued["id"])
    assert (shown["action"], shown["hidden"]) == ("remove", False)
    assert any(one["kind"] == "decided" for one in lead.get("/decisions")["decisions"])
    assert lead.get(f"/items/{unseen['item']}")["hidden"]


def _items(desk: TestDesk) -> list[dict[str, Any]]:
    with desk.store.database.reading() as connection:
        return [{"item": name} for name in connection.scalars(sa.select(schema.items.c.id))]


def test_a_lead_sees_how_reliable_a_reporter_is_and_how_much_of_the_capacity_is_used(tmp_path: Path) -> None:
    desk = test_desk(tmp_path, measured=1e-9, reserved=0.0, second=0.0, capacity={"review": 40})
    lead, service = Caller(desk, LEAD), Caller(desk, SERVICE)
    send(desk, REVIEWED, REVIEWED + "x", REVIEWED + "xx")
    for number in range(3):
        service.post("/notices", {"id": f"c{number}", "reason": "spam", "reporter": "user 7"})
    for verdict in ("violating", "violating", "benign"):
        view = Caller(desk, "ana").post("/queues/review/claim")
        body = {"version": view["version"], "verdict": verdict}
        Caller(desk, "ana").post(f"/tasks/{view['task']}/decide", body)
    told = lead.get("/reporters", reporter="user 7")
    assert (told["value"], told["n"]) == (pytest.approx(2 / 3), 3)
    assert 0.0 < told["low"] < told["value"] < told["high"] < 1.0
    narrow = lead.get("/reporters", reporter="user 7", level=0.5)
    assert told["low"] < narrow["low"]
    assert lead.get("/reporters", status=404, reporter="nobody")
    assert Caller(desk, MODERATOR).get("/reporters", status=403, reporter="user 7")
    (queue,) = [one for one in lead.get("/queues")["queues"] if one["queue"] == "review"]
    assert (queue["capacity"], queue["reviewed_today"]) == (40, 3)


def test_an_account_is_acted_on_and_the_platform_is_told(quiet: TestDesk) -> None:
    Caller(quiet, SERVICE).post("/items", {"id": "c1", "text": REVIEWED, "author": "u5"})
    view = Caller(quiet, "ana").post("/queues/review/claim")
    body = {"version": view["version"], "verdict": "violating", "account_action": "suspend"}
    Caller(quiet, "ana").post(f"/tasks/{view['task']}/decide", {**body, "account_action": "banish"}, status=422)
    Caller(quiet, "ana").post(f"/tasks/{view['task']}/decide", body)
    seal(quiet.store)
    (made,) = [one for one in Caller(quiet, SERVICE).get("/decisions")["decisions"] if one["kind"] == "decided"]
    assert (made["action"], made["account_action"]) == ("remove", "suspend")
