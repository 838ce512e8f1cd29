"""The Python client against a desk in this process."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from desk.desks import STAFF, TestDesk
from evenhand.client import Client, ServiceError, verify_webhook
from evenhand.desk.outgoing import signature
from evenhand.desk.people import Role
from evenhand.measurement import ItemColumns, SampleSizeRequest, plan_campaign
from evenhand.sampling import RandomDesign
from evenhand.store import seal
from evenhand.store.exporting import export
from store.study_desks import with_items


def client_of(desk: TestDesk, person: str) -> Client:
    http = desk.client()

    def answer(request: httpx.Request) -> httpx.Response:
        path = request.url.raw_path.decode()
        told = http.request(request.method, path, content=request.content, headers=dict(request.headers))
        return httpx.Response(told.status_code, content=told.content, headers=dict(told.headers))

    transport = httpx.MockTransport(answer)
    return Client("http://localhost:8717", token=desk.tokens[person], transport=transport, sleep=lambda _: None)


def test_a_platform_sends_and_learns(fresh: TestDesk) -> None:
    client = client_of(fresh, STAFF[Role.SERVICE])
    items = [{"id": f"c{number}", "text": "x" * length} for number, length in enumerate((950, 500, 50))]
    sent = list(client.send_items(items, batch=2))
    assert [(one.id, one.outcome, one.route) for one in sent] == [
        ("c0", "new", "remove"), ("c1", "new", "review"), ("c2", "new", "leave"),
    ]  # fmt: skip
    assert client.send_notice("c1", "spam", reporter="r") == 1
    client.send_appeal("c0", "unfair")
    seal(fresh.store)
    found = list(client.decisions())
    assert [(one.id, one.action, one.automated) for one in found] == [("c0", "remove", True), ("c2", "leave", True)]
    assert list(client.decisions(after=found[-1].number)) == []
    with pytest.raises(ServiceError, match="there is no item 'unknown'") as refused:
        client.send_notice("unknown", "spam")
    assert (refused.value.status, refused.value.code) == (404, "not-found")
    client.close()


def test_a_study_from_the_plan_to_the_finding(fresh: TestDesk, tmp_path: Path) -> None:
    with_items(fresh.desk)
    lead, annotator = client_of(fresh, STAFF[Role.LEAD]), client_of(fresh, STAFF[Role.ANNOTATOR])
    opened = lead.open_study("Spring", [STAFF[Role.ANNOTATOR]], design="random", n=20, seed=1, codebook="Insults.")
    assert (opened.study, opened.labels, opened.items) == ("1", 20, 200)
    assert lead.draw_batch("1", 1) == 20
    while (shown := annotator.next_label("1")).task is not None:
        assert shown.codebook == "Insults."
        annotator.label(shown, "no", note="seen")
    annotator.undo_label("1")
    annotator.label(annotator.next_label("1"), "yes")
    assert lead.study("1")["can_stop"] is True
    assert lead.study_finding("1")["findings"][0]["audit"] == "accuracy"
    assert lead.stop_study("1", 1) == 20
    export(fresh.store, tmp_path / "out", texts=False)
    plan_campaign(
        tmp_path / "out" / "items.parquet", tmp_path / "plan.json", roles=ItemColumns(id="item_id", score="score"),
        design=RandomDesign(), size=SampleSizeRequest(n=30), seed=1,
        purpose={"ground_truth": "", "codebook": "", "population": "all", "period": ""},
    )  # fmt: skip
    files = {"plan": tmp_path / "plan.json", "items": tmp_path / "out" / "items.parquet"}
    assert lead.import_study("Again", [STAFF[Role.ANNOTATOR]], **files).labels == 30


def test_webhooks_are_verified() -> None:
    header = signature("secret", 1000, b"body")
    assert verify_webhook("secret", header, b"body", now=1100)
    for secret, told, body, now in (
        ("other", header, b"body", 1100),
        ("secret", header, b"another", 1100),
        ("secret", header, b"body", 1301),
        ("secret", header.replace("t=1000", "t=1050"), b"body", 1100),
        *(("secret", told, b"body", 1100) for told in ("", "t=,v1=", "t=x,v1=y", "v1=é", f"t={'9' * 50},v1=a")),
    ):
        assert not verify_webhook(secret, told, body, now=now)
