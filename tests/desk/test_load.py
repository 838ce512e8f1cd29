"""Desks under load whose servers and database are killed: nothing is decided twice, lost or stuck.

A short day of each kind; `python -m studies desk_load` has whole days, and `studies/results/desk_load.csv` what came of
them.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from studies.desk_load import STUDY, DayRecord, LoadedDay, PostgresProcess, open_loaded, outcome
from studies.study import Row

from store.desks import check

pytestmark = pytest.mark.verify
SLOWEST = 25.0  # decisions for each second of a core, clients, servers and database together: 50 a second on two cores
FAULTLESS = {"decided_twice": 0, "lost": 0, "stuck": 0, "refused": 0, "verifies": True}


def worked(day: LoadedDay, folder: Path, postgres: PostgresProcess | None = None) -> tuple[DayRecord, Row]:
    with open_loaded(day, folder, postgres) as desk:
        record = asyncio.run(desk.worked(seed=7))
    with desk.opened() as store:
        check(store)
    return record, outcome(desk, record)


def test_eight_people_on_sqlite_whose_server_is_killed(tmp_path: Path) -> None:
    day = LoadedDay("sqlite", people=8, items=160, kills=2, lease=6, lying=0.05)
    _, row = worked(day, tmp_path)
    assert {**row, **FAULTLESS} == row
    assert row["decided"] == day.items
    assert row["left_lying"] > 0  # and somebody else had them later


def test_fifty_people_on_postgresql_with_two_servers_all_of_them_killed(tmp_path: Path) -> None:
    day = LoadedDay("postgresql", people=50, items=200, servers=2, kills=2, database_kills=1, lease=6, lying=0.05)
    postgres = PostgresProcess()
    try:
        _, row = worked(day, tmp_path, postgres)
    finally:
        postgres.close()
    assert {**row, **FAULTLESS} == row
    assert row["decided"] == day.items
    assert row["left_lying"] > 0


def test_fifty_decisions_a_second_on_two_cores(tmp_path: Path) -> None:
    record, row = worked(LoadedDay("sqlite", people=8, items=150, lying=0.0), tmp_path)
    assert record.busy > 0
    assert row["decisions_per_core_second"] >= SLOWEST


def test_the_committed_days_hold() -> None:
    rows = STUDY.read()
    assert len(rows) == len(STUDY.cells)
    for row in rows:
        assert (row["decided_twice"], row["lost"], row["stuck"], row["refused"]) == (0, 0, 0, 0), row
        assert row["decided"] == row["items"] == STUDY.draws
        assert row["verifies"] == "True"
        if not row["kills"]:
            assert row["decisions_per_core_second"] >= SLOWEST
