"""Measures, notices and appeals, recounted from the state after every event."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest

from evenhand.store.cases import LEAVE, Case
from evenhand.store.census import ItemCensus
from evenhand.store.exporting import export
from evenhand.store.rebuilding import RecordedEvent, derive_case, event_streams
from store.desks import Desk, sqlite_desk

APART = {"store", "people", "policy"}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return sqlite_desk(tmp_path, measured=0.5, reserved=0.5, second=0.3, panel=0.0)


def histories(desk: Desk) -> dict[str, list[RecordedEvent]]:
    with desk.store.database.reading() as connection:
        return {name: list(history) for name, history in event_streams(connection) if name not in APART}


def census(desk: Desk, item: str) -> ItemCensus:
    history = histories(desk)[item]
    return ItemCensus.from_history(derive_case(item, history), history)


def decide(desk: Desk, person: str, verdict: str, **more: object) -> tuple[str, str]:
    view = desk.do("claim", person, queue="review")
    desk.do("decide", person, task=view["task"], version=view["version"], verdict=verdict, **more)
    return view["item"], view["task"]


def test_measures_are_the_changes_of_the_action_that_holds(desk: Desk) -> None:
    rng = random.Random(3)
    desk.receive(*(rng.random() for _ in range(60)))
    for number in range(40):
        view = desk.do("claim", ("ana", "bo", "cy")[number % 3], queue="review")
        if view.get("task") is not None:
            verdict = rng.choice(["violating", "benign"])
            desk.do(
                "decide", ("ana", "bo", "cy")[number % 3], task=view["task"], version=view["version"], verdict=verdict
            )
    for item, history in histories(desk).items():
        case, before, begun = Case.begin(item, history[0].at, history[0].event), LEAVE, []
        for version, entry in enumerate(history, start=1):
            case.apply(entry.event, entry.at, entry.actor)
            held = case.item.action or before
            begun += [(f"{item}-{version}", held)] if held not in (before, LEAVE) else []
            before = held
        assert [(row["decision_id"], row["action"]) for row in census(desk, item).decisions()] == begun


def test_a_person_who_confirms_the_policy_takes_no_second_measure(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, measured=1.0, reserved=1.0, second=0.0, panel=0.0)
    (item,) = desk.receive(0.99)
    decide(desk, "ana", "violating")
    (row,) = census(desk, item).decisions()
    assert (row["basis"], row["automated"], row["source"]) == ("policy", True, "own")


def test_what_was_undone_in_time_was_no_measure(desk: Desk) -> None:
    desk.receive(0.5)
    item, task = decide(desk, "ana", "violating", clause="hate", ground="terms")
    (row,) = census(desk, item).decisions()
    assert (row["clause"], row["ground"], row["automated"]) == ("hate", "terms", False)
    desk.do("undo", "ana", task=task)
    assert list(census(desk, item).decisions()) == []


def test_a_decision_on_the_account_is_a_measure_of_its_own(desk: Desk) -> None:
    (item,) = desk.receive(0.5, author="writer")
    decide(desk, "ana", "violating", action="leave", account_action="suspend")
    (row,) = census(desk, item).decisions()
    assert (row["action"], row["account_action"], row["automated"]) == ("leave", "suspend", False)
    desk.do("appeal", "io", item=item, reason="quoted")
    (appeal,) = census(desk, item).appeals()
    assert (appeal["action"], appeal["account_action"]) == ("leave", "suspend")


def test_a_notice_has_what_was_done_next_and_an_appeal_its_outcome(desk: Desk, tmp_path: Path) -> None:
    (item,) = desk.receive(0.5)
    desk.do("notice", "io", item=item, reason="insult", trusted=True)
    assert [row["action"] for row in census(desk, item).notices()] == [None]
    decide(desk, "ana", "violating")
    desk.do("appeal", "io", item=item, reason="quoted")
    assert [row["outcome"] for row in census(desk, item).appeals()] == [None]
    view = desk.do("claim", "lee", queue="escalated")
    desk.do("decide", "lee", task=view["task"], version=view["version"], verdict="benign")
    made = census(desk, item)
    assert [(row["source"], row["action"]) for row in made.decisions()] == [("trusted_flagger", "remove")]
    assert [(row["action"], row["automated"]) for row in made.notices()] == [("remove", False)]
    assert [(row["action"], row["outcome"]) for row in made.appeals()] == [("remove", "overturned")]
    export(desk.store, tmp_path / "out")
    kept = {name: pl.read_parquet(tmp_path / "out" / f"{name}.parquet") for name in ("decisions", "notices", "appeals")}
    assert {name: len(table) for name, table in kept.items()} == {"decisions": 1, "notices": 1, "appeals": 1}
    assert kept["notices"]["received_at"][0].startswith("2027-01-15T08:00")
