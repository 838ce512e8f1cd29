"""A day in production: the committed one kept what the desk promises, and a short one does."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from studies.production_day import STUDY
from studies.production_day.afterwards import kept
from studies.production_day.clock import DayClock
from studies.production_day.day import DaySize, ProductionDay
from studies.study import Row

from evenhand.store import open_store

SHORT = DaySize(items=600, seconds=25, review_minutes=6.0, drawn=0.35)


def broken(rows: list[Row]) -> set[str]:
    return {row["figure"] for row in rows if row["holds"] == 0}


def test_the_committed_day_lost_doubled_and_misjudged_nothing() -> None:
    rows = {row["figure"]: row for row in STUDY.read()}
    assert not broken([*rows.values()])
    for name in ("items lost", "judgements lost or altered", "judgements doubled", "tasks held by nobody who is there"):
        assert rows[name]["value"] == 0
    for target in ("reviewer", "adjudicated"):
        for measure in ("recall", "precision", "prevalence"):
            row = rows[f"{measure}, {target}"]
            assert row["low"] <= row["truth"] <= row["high"]
    for name in ("reviews", "undone", "appeals", "leases that ran out", "scored again by another model"):
        assert rows[name]["value"] > 0, f"nothing of this happened: {name}"


def test_the_clock_runs_faster_and_stands_still(tmp_path: Path) -> None:
    clock = DayClock.on_the_eve(24.0, tmp_path / "clock", 0.0)  # an hour is a second
    with clock.standing_still():
        hour = clock.hour
        time.sleep(0.01)
        assert clock.hour == hour
    clock.pass_minutes(0.6)
    assert clock.hour >= hour + 0.01


@pytest.mark.verify
def test_a_short_day_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """However busy the machine is; how much is reviewed in time, and so what can be estimated, is up to the machine."""
    day = ProductionDay(tmp_path, SHORT, 7)
    day.run()
    with open_store(str(day.desk.store)) as store:
        assert not broken([*kept(day, store)])
        day.log.received["ghost"] = "nowhere"
        day.log.judged.append(("nowhere", "ana", "benign"))
        day.log.judged.pop(0)
        day.log.notices["c0"] += 1
        found = broken([*kept(day, store)])
    planted = {"items lost", "items without having been sent", "judgements lost or altered", "notices lost or doubled"}
    assert found == {*planted, "judgements that nobody was told of", "judgements doubled"}
