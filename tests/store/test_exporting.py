"""An export has every judgement, says how each came about, and an audit reads it as it is."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
import sqlalchemy as sa

import evenhand as eh
from evenhand.errors import InputError
from evenhand.store import ForbiddenError, seal, verify
from evenhand.store.chain import GENESIS, link
from evenhand.store.events import stored_bytes
from evenhand.store.exporting import FORMATS, JUDGEMENT_COLUMNS, export
from evenhand.store.schema import events
from evenhand.store.suggestions import keep_suggestion
from store.desks import Desk, sqlite_desk
from store.study_desks import label_all, open_study

PROPOSED = (
    *("item_id", "item_type", "text", "language", "created_at", "policy_version", "annotator_id", "annotator_role"),
    *("label", "label_value", "is_skip", "is_gold", "shown_model_score", "model_name", "model_version", "score"),
    *("uncertainty", "route_reason", "stratum_id", "inclusion_prob", "weight", "decided_at", "lead_time_s"),
    *("decision_action", "decision_reason", "reversed_by", "appeal_outcome"),
)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = sqlite_desk(tmp_path, measured=1.0, reserved=0.5, second=0.0, panel=0.0)
    made_items = made.receive(*(number / 20 for number in range(20)), language="en", author="someone")
    made.do("notice", "io", item=made_items[3], reason="insult")
    for number in range(14):
        person = ("ana", "bo")[number % 2]
        view = made.do("claim", person, queue="review")
        what = {"task": view["task"], "version": view["version"]}
        if number == 7:
            made.do("skip", person, **what, reason="not my language")
        else:
            verdict = "violating" if view["text"].split()[2] > "0.5" else "benign"
            made.do("decide", person, **what, verdict=verdict, note="because", lead_time=2.5)
    made.do("appeal", "io", item=made_items[19], reason="quoted")
    with made.store.write() as ledger:
        keep_suggestion(ledger, "you there", [{"attribute": "TOXICITY", "value": 0.9}])
    label_all(made, open_study(made, annotators=("cy",), n="10"), "cy", lambda *_: "no", most=3)
    return made


@pytest.mark.parametrize("file_format", FORMATS)
def test_every_format_has_the_same_rows(desk: Desk, tmp_path: Path, file_format: str) -> None:
    made = export(desk.store, tmp_path / "out", file_format=file_format)
    read = {"parquet": pl.read_parquet, "csv": pl.read_csv, "jsonl": pl.read_ndjson}[file_format]
    tables = {name: read(tmp_path / "out" / f"{name}.{file_format}") for name in made.rows}
    assert {name: len(table) for name, table in tables.items()} == made.rows
    judged = tables["judgements"]
    assert [name for name in judged.columns if name in PROPOSED] == [n for n in JUDGEMENT_COLUMNS if n in PROPOSED]
    assert set(PROPOSED) <= set(judged.columns)
    assert judged["is_skip"].sum() == 1
    assert judged["label_value"].drop_nulls().is_in([0, 1]).all()
    assert set(judged["decision_reason"].drop_nulls()) == {"because", "not my language"}
    assert judged["annotator_id"].n_unique() == 2
    assert not judged["annotator_id"].is_in(["ana", "bo"]).any()


def test_the_events_of_an_export_chain_to_the_head(desk: Desk, tmp_path: Path) -> None:
    """Whoever has nothing but the file can verify it."""
    made = export(desk.store, tmp_path / "out")
    chain = GENESIS
    for row in pl.read_parquet(tmp_path / "out" / "events.parquet").iter_rows(named=True):
        parts = [row[name] for name in ("stream", "version", "at", "kind", "actor", "payload")]
        chain = link(chain, row["number"], stored_bytes(*parts))
        assert row["chain"] == chain.hex()
    assert row["number"] == made.number


def test_a_snapshot_is_the_same_later(desk: Desk, tmp_path: Path) -> None:
    seal(desk.store)
    number = verify(desk.store).events
    first = export(desk.store, tmp_path / "first", at=number)
    desk.receive(0.4, 0.6, prefix="later")
    view = desk.do("claim", "cy", queue="review")
    desk.do("decide", "cy", task=view["task"], version=view["version"], verdict="benign")
    again = export(desk.store, tmp_path / "again", at=number)
    assert first == again
    for name in first.rows:
        assert (tmp_path / "first" / f"{name}.parquet").read_bytes() == (
            tmp_path / "again" / f"{name}.parquet"
        ).read_bytes()
    assert export(desk.store, tmp_path / "all").rows["items"] == first.rows["items"] + 2
    with pytest.raises(InputError, match="the last sealed event is"):
        export(desk.store, tmp_path / "no", at=10**9)


def test_an_audit_reads_it(desk: Desk, tmp_path: Path) -> None:
    export(desk.store, tmp_path / "out")
    judged = str(tmp_path / "out" / "judgements.parquet")
    declaration = eh.Declaration(
        score="score", label="label_value", where="label_value >= 0", inclusion="inclusion_prob"
    )
    assert len(eh.open_evidence(judged, declaration).rows) == 13


def test_texts_can_be_left_out_and_an_export_with_them_is_recorded(desk: Desk, tmp_path: Path) -> None:
    export(desk.store, tmp_path / "out", texts=False)
    assert pl.read_parquet(tmp_path / "out" / "judgements.parquet")["text"].null_count() == 14
    export(desk.store, tmp_path / "with")
    read = [event.reason for event in desk.history("store") if event.kind == "read"]
    assert read == ["export without texts", "export"]


def test_whoever_exports_is_recorded_and_must_be_allowed_to(desk: Desk, tmp_path: Path) -> None:
    export(desk.store, tmp_path / "out", actor="lee")
    with desk.store.database.reading() as connection:
        query = sa.select(events.c.actor).where(events.c.stream == "store").order_by(events.c.version)
        assert list(connection.scalars(query)) == ["system", "lee"]
    for person, problem in (("ana", "may not export"), ("nobody", "no access")):
        with pytest.raises(ForbiddenError, match=problem):
            export(desk.store, tmp_path / "no", actor=person)
    assert not (tmp_path / "no").exists()


def test_a_format_that_there_is_not(desk: Desk, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="choose from: parquet, csv, jsonl"):
        export(desk.store, tmp_path / "out", file_format="xml")
