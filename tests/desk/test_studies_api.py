"""Studies over HTTP: from the plan to the finding, for leads and for those who label."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from desk.desks import STAFF, TestDesk
from evenhand.desk.people import Role
from evenhand.findings_file import from_json
from evenhand.measurement import AnswerFiles, Campaign, ItemColumns, SampleSizeRequest, plan_campaign
from evenhand.sampling import RandomDesign
from evenhand.store.exporting import export
from store.desks import check
from store.study_desks import with_items

LEAD, ANNOTATOR, AUDITOR = STAFF[Role.LEAD], STAFF[Role.ANNOTATOR], STAFF[Role.AUDITOR]
SETUP = {"title": "Spring", "annotators": [ANNOTATOR], "codebook": "Only insults."}
PLAN = {**SETUP, "design": "random", "n": 40, "seed": 5}


class Caller:
    """Calls with a token."""

    def __init__(self, desk: TestDesk, person: str) -> None:
        self.client, self.headers = desk.client(), desk.as_token(person)

    def __call__(self, method: str, path: str, body: Any = None, status: int = 200, **headers: str) -> Any:
        answer = self.client.request(method, f"/api/v1{path}", json=body, headers={**self.headers, **headers})
        assert answer.status_code == status, (answer.status_code, answer.text)
        kind = answer.headers["content-type"]
        return answer.text if kind.startswith("text/") or path.endswith(("/plan", "/finding")) else answer.json()


@pytest.fixture
def desk(fresh: TestDesk) -> TestDesk:
    with_items(fresh.desk)
    return fresh


def label(caller: Caller, study: str, most: int = 1000) -> int:
    for number in range(most):
        shown = caller("GET", f"/studies/{study}/next")
        if shown["task"] is None:
            return number
        answer = "yes" if shown["text"].split()[1].endswith("5") else "no"
        body = {"task": shown["task"], "version": shown["version"], "answer": answer, "lead_time": 2.5}
        caller("POST", f"/studies/{study}/labels", body)
    return most


def test_a_study_from_the_plan_to_the_finding(desk: TestDesk, tmp_path: Path) -> None:
    lead, annotator = Caller(desk, LEAD), Caller(desk, ANNOTATOR)
    assert lead("POST", "/studies", PLAN) == {"study": "1", "labels": 40, "items": 200}
    assert lead("POST", "/studies/1/batches", {"number": 1})["items"] == 40
    lead("POST", "/studies/1/batches", {"number": 1}, 409)
    lead("GET", "/studies/1/finding", status=409)
    assert lead("GET", "/studies/1/labels") == "id,annotator,label\r\n"
    assert annotator("GET", "/labelling")["studies"][0]["waiting"] == 40
    shown = annotator("GET", "/studies/1/next")
    assert set(shown) == {
        *("study", "title", "codebook", "task", "version", "text", "language", "done", "waiting", "per_hour"),
    }
    assert label(annotator, "1", most=10) == 10
    view = lead("GET", "/studies/1")
    assert (view["finished"], view["batches_drawn"][0]["done"], view["more_labels"]) == (0, 10, 40)
    assert view["batches_drawn"][0]["estimate"] is None
    undone = annotator("POST", "/studies/1/undo")
    assert undone["version"] == 3
    assert label(annotator, "1") == 31
    view = lead("GET", "/studies/1")
    assert (view["finished"], view["can_stop"], view["can_draw"], view["more_labels"]) == (1, True, False, 0)
    assert view["batches_drawn"][0]["estimate"]["measure"] == "prevalence"
    (tmp_path / "plan.json").write_text(lead("GET", "/studies/1/plan"))
    (tmp_path / "labels.csv").write_text(lead("GET", "/studies/1/labels"), newline="")
    outcome = Campaign(tmp_path / "plan.json").take(AnswerFiles((tmp_path / "labels.csv",), annotator="annotator"))
    assert from_json(lead("GET", "/studies/1/finding"), source="desk") == [
        from_json(_json(outcome.finding), source="file")[0]
    ]
    assert lead("POST", "/studies/1/stop", {"batches": 1}) == {"study": "1", "labels": 40, "target_reached": None}
    assert lead("GET", "/studies")["studies"][0]["state"] == "stopped"
    check(desk.store)


def _json(finding: Any) -> str:
    from evenhand.findings_file import to_json

    return to_json([finding])


def test_an_import_over_http(desk: TestDesk, tmp_path: Path) -> None:
    export(desk.store, tmp_path / "export", texts=False)
    items = tmp_path / "export" / "items.parquet"
    plan_campaign(
        items, tmp_path / "plan.json", roles=ItemColumns(id="item_id", score="score"), design=RandomDesign(),
        size=SampleSizeRequest(n=30), seed=1,
        purpose={"ground_truth": "", "codebook": "", "population": "all", "period": ""},
    )  # fmt: skip
    lead = Caller(desk, LEAD)
    body = {
        **SETUP, "plan": (tmp_path / "plan.json").read_text(), "items": base64.b64encode(items.read_bytes()).decode(),
    }  # fmt: skip
    assert lead("POST", "/studies/import", body)["labels"] == 30
    lead("POST", "/studies/import", {**body, "plan": "{}"}, 422)
    assert lead("POST", "/studies/1/batches", {"number": 1})["items"] == 30


def test_whatever_is_sent_twice_is_done_once(desk: TestDesk) -> None:
    lead, annotator = Caller(desk, LEAD), Caller(desk, ANNOTATOR)
    key = {"Idempotency-Key": "one"}
    assert lead("POST", "/studies", PLAN, **key) == lead("POST", "/studies", PLAN, **key)
    lead("POST", "/studies", {**PLAN, "n": 50}, 409, **key)
    lead("POST", "/studies/1/batches", {"number": 1})
    shown = annotator("GET", "/studies/1/next")
    body = {"task": shown["task"], "version": 1, "answer": "cannot tell", "note": "half of it is missing"}
    first = annotator("POST", "/studies/1/labels", body, **key)
    assert annotator("POST", "/studies/1/labels", body, **key) == first
    annotator("POST", "/studies/1/labels", body, 409)
    assert annotator("GET", "/studies/1/next")["done"] == 1


def test_a_study_is_not_the_business_of_others(desk: TestDesk) -> None:
    lead, annotator, auditor = Caller(desk, LEAD), Caller(desk, ANNOTATOR), Caller(desk, AUDITOR)
    lead("POST", "/studies", {**PLAN, "annotators": ["una"]})
    lead("POST", "/studies/1/batches", {"number": 1})
    annotator("GET", "/studies/1/next", status=404)
    assert annotator("GET", "/labelling") == {"studies": []}
    for path in ("/studies", "/studies/1", "/studies/1/plan", "/studies/1/labels", "/studies/1/finding"):
        annotator("GET", path, status=403)
    auditor("GET", "/studies/1")
    auditor("GET", "/studies/7", status=404)
    auditor("POST", "/studies/1/batches", {"number": 2}, 403)
    assert "una" not in str(auditor("GET", "/studies/1/labels"))
    lead("POST", "/studies/1/people", {"annotators": [ANNOTATOR]})
    assert annotator("GET", "/studies/1/next")["waiting"] == 40
    lead("POST", "/studies/1/people", {"annotators": ["nobody"]}, 422)


@pytest.mark.parametrize(
    "change",
    [
        {"n": 0}, {"n": -1}, {"n": 10**400}, {"n": "many"}, {"within": 0.0}, {"within": 1e-9, "n": None},
        {"by": ["author"]}, {"seed": -1}, {"seed": 2**70}, {"level": 1}, {"title": "\x00"}, {"title": ""},
        {"annotators": []}, {"per_item": 99}, {"design": "clusters"}, {"pilot": 0}, {"population": {"language": "xx"}},
        {"population": {"received_from": "2200-01-01T00:00:00Z"}}, {"count": 5}, {"extra": 1},
    ],
)  # fmt: skip
def test_what_cannot_be_planned_is_a_problem_of_one_line(desk: TestDesk, change: dict[str, Any]) -> None:
    answer = Caller(desk, LEAD)("POST", "/studies", {**PLAN, **change}, 422)
    assert answer["detail"]
    assert "\n" not in answer["detail"]
