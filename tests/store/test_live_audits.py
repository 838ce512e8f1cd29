"""The five questions on a store: the same bytes for the same snapshot, and the numbers of the rows they rest on."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from cli.program import Program, ran
from evenhand.audits import AUDITS
from evenhand.errors import InputError
from evenhand.reports import Report
from evenhand.store import audit_store, open_store, schema
from evenhand.store.backups import back_up
from evenhand.store.live_audits import audit_store as by_module
from evenhand.store.live_evidence import LiveEvidence
from evenhand.store.snapshots import read_snapshot
from store.conftest import postgres  # noqa: F401 (a fixture)
from store.desks import Desk, emptied
from store.live_desk import POLICY, live_desk, write_history

QUICK: dict[str, Any] = {"replicates": 50, "permutations": 99, "bins": 5, "capacities": ["0.05"]}
FLAGS = ["--replicates", "50", "--permutations", "99", "--bins", "5", "--capacities", "0.05"]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    made = live_desk(tmp_path_factory.mktemp("live"))
    yield made
    made.store.close()


@pytest.fixture(scope="module")
def report(desk: Desk) -> Report:
    return audit_store(desk.store, **QUICK)


def test_all_five_questions_are_answered(report: Report) -> None:
    assert [finding.audit for finding in report.findings] == [audit.name for audit in AUDITS]
    assert report.not_run == {}
    assert by_module is audit_store


def test_every_finding_names_its_snapshot(report: Report, desk: Desk) -> None:
    read = read_snapshot(desk.store)
    for finding in report.findings:
        about = finding.provenance
        assert (about["source"], about["snapshot"], about["chain"]) == (f"store {read.store}", read.number, read.chain)


def test_the_same_snapshot_gives_the_same_bytes_later_and_on_the_command_line(
    program: Program, tmp_path_factory: pytest.TempPathFactory
) -> None:
    desk = live_desk(tmp_path_factory.mktemp("more"))
    number = read_snapshot(desk.store).number
    expected = audit_store(desk.store, audits=["bias", "accuracy"], snapshot=number, **QUICK).json()
    desk.receive(0.2, 0.7, prefix="later")
    named = ["--audits", "bias,accuracy", "--snapshot", number, "--json", *FLAGS]
    assert ran(program, "audit", desk.store.name, *named) == expected
    newer = json.loads(ran(program, "audit", desk.store.name, "--audits", "accuracy", "--json", *FLAGS))
    assert newer["findings"][0]["provenance"]["snapshot"] > number
    url = f"sqlite:///{desk.store.name}"
    assert ran(program, "audit", url, *named) == expected


def test_shares_are_those_of_the_design(report: Report, desk: Desk) -> None:
    """Prevalence as weighted by hand: reached as they are, drawn ones for all others."""
    evidence = LiveEvidence(read_snapshot(desk.store))
    by_name = {finding.audit: finding for finding in report.findings}
    judged = [
        (row.measured_verdict == "violating", row.score, 1 / chance)
        for row, chance in zip(evidence.items, evidence.inclusion.chance, strict=True)
        if not np.isnan(chance) and row.measured_verdict != "unclear"
    ]
    share = sum(w for hit, _, w in judged if hit) / sum(w for _, _, w in judged)
    assert by_name["bias"].get("positive_share").value == pytest.approx(share)
    correct = sum(w for hit, score, w in judged if hit == (score >= 0.5)) / sum(w for _, _, w in judged)
    assert by_name["calibration"].get("accuracy").value == pytest.approx(correct)


def test_roles_may_be_replaced(desk: Desk) -> None:
    finding = audit_store(desk.store, audits="bias", group_by="community").findings[0]
    assert set(finding.values("group")) == {"games", "news"}


def test_groups_by_words_read_texts_and_that_is_recorded(desk: Desk) -> None:
    terms = {"even": ["0", "2", "4", "6", "8"], "week": ["w0"]}
    audit_store(desk.store, audits="bias", text="text", terms=terms)
    with desk.store.database.reading() as connection:
        query = sa.select(schema.events.c.payload).where(schema.events.c.kind == "read")
        (payload,) = connection.scalars(query).all()
    assert json.loads(payload)["reason"] == "audit"


def test_what_cannot_run_says_why(desk: Desk, program: Program, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no audit 'biased'"):
        audit_store(desk.store, audits="biased")
    done = program("audit", desk.store.name, "--snapshot", 10**9, "--json")
    assert done.code == 2
    assert "`snapshot`" not in done.err
    assert "invalid --snapshot: 1000000000" in done.err
    table = tmp_path / "table.csv"
    table.write_text("p,y\n0.1,0\n0.9,1\n")
    refused = program("audit", table, "--snapshot", 1, "--score", "p", "--label", "y", "--json")
    assert refused.code == 2
    assert "a store of the desk" in refused.err


def test_a_database_that_is_no_store_is_a_file_like_any_other(program: Program, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as opened:
        opened.execute("CREATE TABLE t (x)")
    done = program("audit", tmp_path / "other.db", "--score", "x", "--label", "y")
    assert done.code == 2
    assert "format of this file is unknown" in done.err


def test_a_copy_gives_the_same_bytes(desk: Desk, tmp_path: Path) -> None:
    number = read_snapshot(desk.store).number
    back_up(desk.store, tmp_path / "copy.db")
    with open_store(str(tmp_path / "copy.db"), key=Path(f"{desk.store.name}.key")) as copy:
        made = [audit_store(store, audits="accuracy", snapshot=number).json() for store in (desk.store, copy)]
    assert made[0] == made[1]


@pytest.mark.verify
def test_on_postgres_too(postgres: str, tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    desk = emptied(postgres, tmp_path).staff(**POLICY)
    write_history(desk)
    number = read_snapshot(desk.store).number
    expected = audit_store(desk.store, snapshot=number, **QUICK).json()
    desk.receive(0.5, prefix="later")
    monkeypatch.setenv("EVENHAND_STORE_KEY", str(tmp_path / "0.key"))
    assert ran(program, "audit", postgres, "--snapshot", number, "--json", *FLAGS) == expected
    assert len(json.loads(expected)["findings"]) == len(AUDITS)
    desk.store.close()
