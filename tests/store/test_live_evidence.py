"""The tables of a snapshot: which rows they have, and what their columns say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from evenhand.errors import InputError
from evenhand.store.cases import BENIGN, DONE, VIOLATING
from evenhand.store.intake import NewItem, NewScore
from evenhand.store.live_evidence import LiveEvidence, LiveTable
from evenhand.store.snapshots import read_snapshot
from store.desks import Desk, sqlite_desk
from store.live_desk import WAITING, live_desk


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    made = live_desk(tmp_path_factory.mktemp("live"))
    yield made
    made.store.close()


@pytest.fixture(scope="module")
def evidence(desk: Desk) -> LiveEvidence:
    return LiveEvidence(read_snapshot(desk.store))


def table(evidence: LiveEvidence, audit: str) -> LiveTable:
    return next(one for one in evidence.tables() if audit in one.audits)


def frame(evidence: LiveEvidence, audit: str) -> pl.DataFrame:
    return table(evidence, audit).source.frame.collect()


def test_scored_rows_are_the_items_whose_verdict_counts(evidence: LiveEvidence) -> None:
    shown = frame(evidence, "bias")
    expected = {
        row.external_id: (row.score, row.measured_verdict, row.language, chance)
        for row, chance in zip(evidence.items, evidence.inclusion.chance.tolist(), strict=True)
        if not np.isnan(chance) and row.measured_verdict in (VIOLATING, BENIGN)
    }
    rows = shown.select("item", "score", "verdict", "language", "inclusion").iter_rows()
    assert {row[0]: row[1:] for row in rows} == expected
    assert 0 < len(expected) < len(evidence.items)
    assert (shown["language: de"] == (shown["language"] == "de")).all()


def test_decided_rows_are_all_items_of_weeks_that_count(evidence: LiveEvidence) -> None:
    shown = frame(evidence, "accuracy")
    assert len(shown) == len(evidence.items) - WAITING  # the last ones came in a week that nobody reviewed
    removed = {
        row.external_id: row.measured_verdict == VIOLATING if row.reached else row.route == "remove"
        for row in evidence.items
    }
    assert all(removed[item] == (outcome == "removed") for item, outcome in shown.select("item", "outcome").iter_rows())
    assert shown["verdict"].null_count() == shown["inclusion"].null_count() > 0
    assert any("no drawn item was judged yet" in note for note in table(evidence, "accuracy").source.notes)


def test_labels_are_one_row_a_judgement(evidence: LiveEvidence, desk: Desk) -> None:
    shown = frame(evidence, "perspective")
    done = [t for t in evidence.snapshot.tasks if t.state == DONE and t.person and t.verdict in (VIOLATING, BENIGN)]
    assert len(shown) == len(done)
    assert set(shown["role"]) == {"lead", "moderator"}
    assert shown.select("item", "annotator").is_duplicated().sum() == 0


def test_scores_of_an_earlier_model_are_left_out(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, measured=1.0, reserved=1.0)
    for model in ("old", "new"):
        items = [NewItem(f"{model}{n}", "x", scores=[NewScore(model, "1", 0.5)]) for n in range(3)]
        desk.do("receive", "io", items=items)
    for person in ("ana", "bo"):
        while (task := desk.do("claim", person, queue="review"))["task"]:
            desk.do("decide", person, task=task["task"], version=task["version"], verdict="benign")
    evidence = LiveEvidence(read_snapshot(desk.store))
    assert evidence.model == ("new", "1")
    assert {name[:3] for name in frame(evidence, "bias")["item"]} == {"new"}
    assert any("earlier model" in note for note in table(evidence, "bias").source.notes)


def test_a_store_without_items_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no item has been routed yet"):
        LiveEvidence(read_snapshot(sqlite_desk(tmp_path).store)).tables()
