"""The Perspective API of a desk keeps suggested scores in its store."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from desk.desks import TestDesk
from evenhand.service.mappings import AttributeMapping, PerspectiveTable
from evenhand.service.perspective.attributes import AttributeTable
from evenhand.store.exporting import export

COMMENT = {"text": "hello to all of you", "type": "PLAIN_TEXT"}
SPAN = {"begin": 0, "end": 5, "score": {"value": 0.2}}
SCORES = {"TOXICITY": {"summaryScore": {"value": 0.1, "type": "PROBABILITY"}, "spanScores": [SPAN]}}


def test_a_suggestion_is_in_the_store_once_it_is_acknowledged(fresh: TestDesk, tmp_path: Path) -> None:
    body = {
        "comment": COMMENT,
        "attributeScores": SCORES,
        "languages": ["en"],
        "communityId": "games",
        "sessionId": "s",
    }
    state = fresh.app.state
    table = PerspectiveTable({"TOXICITY": AttributeMapping("toxic", "fake", ("en",))})
    state.attributes = AttributeTable.of_service(replace(state.settings, perspective=table), state.engine.models)
    with fresh.client() as client:
        refused = client.post("/v1alpha1/comments:suggestscore", json={**body, "attributeScores": {}})
        answer = client.post("/v1alpha1/comments:suggestscore", json={**body, "clientToken": "17", "sessionId": "s"})
    assert refused.status_code == 400
    assert (answer.status_code, answer.json()["clientToken"]) == (200, "17")
    export(fresh.store, tmp_path / "out")
    rows = pl.read_parquet(tmp_path / "out" / "suggestions.parquet")
    assert rows["text"].to_list() == ["hello to all of you"] * 2
    assert rows["value"].to_list() == [0.1, 0.2]
    assert rows["end"].to_list() == [None, 5]
    assert rows["community"].to_list() == ["games"] * 2
    assert rows["model"][0].count("@") == 1
