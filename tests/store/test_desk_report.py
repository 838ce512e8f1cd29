"""A report from the store itself: rates that are those counted item by item, and a census that equals the export's."""

from __future__ import annotations

import random
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from evenhand.audits.accuracy.blind_spots import published_estimate
from evenhand.errors import InputError
from evenhand.exchange.dsa import labels
from evenhand.exchange.dsa.automated_means import AutomatedMeans
from evenhand.exchange.dsa.desk_tables import DeskTables, PlatformCodes
from evenhand.exchange.dsa.labels import Provider
from evenhand.exchange.dsa.period import ReportingPeriod
from evenhand.exchange.dsa.report import TransparencyReport, make_report
from evenhand.exchange.dsa.study import StudyPurpose
from evenhand.store import NewItem, NewScore, schema
from evenhand.store.cases import BENIGN, VIOLATING
from evenhand.store.desk_report import DeskReportSources, desk_tables
from evenhand.store.desk_study import DeskStudy
from evenhand.store.exporting import export
from evenhand.store.measured import ADJUDICATED, REVIEWER
from evenhand.store.snapshots import StoreSnapshot
from exchange.dsa.corpus import DESK_CODES
from store.desks import SECOND, START, Desk, sqlite_desk

YEAR = ReportingPeriod.parse("2027-01-01/2027-12-31")
ITEMS = 90


def worked(folder: Path, **policy: float) -> Desk:
    """A desk that was given items with known truth, and people who are right about them except one reviewer."""
    desk = sqlite_desk(folder, **{"measured": 1.0, "reserved": 0.6, "panel": 1.0, "second": 0.0, **policy})
    chance, truth = random.Random(5), dict[str, bool]()
    for number in range(ITEMS):
        truth[f"e{number}"] = chance.random() < 0.4
        score = min(max(chance.gauss(0.75 if truth[f"e{number}"] else 0.3, 0.3), 0.0), 1.0)
        item = NewItem(
            f"e{number}", f"text {number}", language=chance.choice(["en", "de"]), scores=[NewScore("m", "1", score)]
        )
        desk.do("receive", "io", items=[item])
    people = ["ana", "bo", "cy", "lee", "max"]
    idle = 0
    while idle < len(people):
        person = people[idle]
        view = desk.do("claim", person, queue="review")
        if view["task"] is None:
            idle += 1
            continue
        violates = truth[view["external_id"]] != (person == "ana" and chance.random() < 0.3)
        verdict = VIOLATING if violates else BENIGN
        desk.do("decide", person, task=view["task"], version=view["version"], verdict=verdict)
    return desk


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return worked(tmp_path_factory.mktemp("desk"))


@pytest.fixture
def codes(tmp_path: Path) -> Path:
    (tmp_path / "codes.toml").write_text(DESK_CODES)
    return tmp_path / "codes.toml"


def report(sources: DeskReportSources, *, fewest: int = 1) -> TransparencyReport:
    means = AutomatedMeans(sources.study, fewest_labels=fewest)
    return make_report(Provider.VLOP, "Forum", YEAR, means=means, census=sources.census, notes=sources.notes)


def rates(made: TransparencyReport) -> dict[tuple[str, str], tuple[str, str]]:
    return {
        (row["Scope"], row["Indicator"].rpartition(" ")[2]): (row["Value"], row["Contextual Information"])
        for row in made.draft.tables[labels.AUTOMATED]
        if row["Indicator"] in labels.RATES
    }


def item_rows(desk: Desk) -> list[Any]:
    with desk.store.database.reading() as connection:
        return list(connection.execute(sa.select(schema.items)))


def counted(desk: Desk, verdicts: str, language: str | None = None) -> dict[str, float]:
    """Accuracy, precision and recall from the rows of the store, one by one."""
    found = wrong = missed = passed = 0
    for row in item_rows(desk):
        violates = (row.panel_verdict if verdicts == ADJUDICATED else row.measured_verdict) == VIOLATING
        taken = row.route == "remove"
        if language in (None, row.language):
            found, wrong = found + (violates and taken), wrong + (taken and not violates)
            missed, passed = missed + (violates and not taken), passed + (not violates and not taken)
    everything = found + wrong + missed + passed
    return {
        "Accuracy": (found + passed) / everything,
        "Precision": found / (found + wrong),
        "Recall": found / (found + missed),
    }


@pytest.mark.parametrize("verdicts", [ADJUDICATED, REVIEWER])
def test_with_every_item_drawn_the_rates_are_the_counts(desk: Desk, verdicts: str) -> None:
    filled = rates(report(DeskReportSources.read(desk.store, YEAR, verdicts=verdicts)))
    for scope, language in (("Total number", None), ("en", "en"), ("de", "de")):
        for name, value in counted(desk, verdicts, language).items():
            assert filled[scope, name][0] == f"{value:.4f}", (scope, name)
    assert filled["fr", "Recall"] == ("", "No value: no item in this language was labelled.")


def test_whose_verdicts_they_are_is_said_and_matters(desk: Desk) -> None:
    adjudicated, reviewer = (counted(desk, verdicts)["Recall"] for verdicts in (ADJUDICATED, REVIEWER))
    assert adjudicated != reviewer
    for verdicts, words in (
        (ADJUDICATED, "adjudicated verdicts of a panel"),
        (REVIEWER, "the verdict of one reviewer"),
    ):
        made = report(DeskReportSources.read(desk.store, YEAR, verdicts=verdicts))
        text = next(
            row["Value"] for row in made.draft.tables[labels.QUALITATIVE] if row["Indicator"] == labels.RATE_TEXT
        )
        assert words in text
        assert "Krippendorff's alpha" in text
        context = rates(made)["Total number", "Recall"][1]
        assert "the desk's draw at arrival (probability 1)" in context
        assert "Detection recall, by automated means or people:" in context
    with pytest.raises(InputError, match="invalid `verdicts`: 'panel'"):
        DeskReportSources.read(desk.store, YEAR, verdicts="panel")


def test_measures_of_people_count_for_the_detection_recall_alone(desk: Desk) -> None:
    sources = DeskReportSources.read(desk.store, YEAR)
    taken = {
        row.external_id
        for row in item_rows(desk)
        if row.route == "remove" or (row.reached and row.measured_verdict == VIOLATING)
    }
    bad = {row.external_id for row in item_rows(desk) if row.panel_verdict == VIOLATING}
    assert sources.study is not None
    assert sources.study.detection is not None
    assert sources.study.detection.get("recall").value == pytest.approx(len(bad & taken) / len(bad))


def test_counts_are_those_of_the_export(desk: Desk, codes: Path, tmp_path: Path) -> None:
    described = PlatformCodes.read(codes)
    export(desk.store, tmp_path / "out", texts=False)
    made = desk_tables(desk.store, described)
    for name, table in DeskTables.read(tmp_path / "out", described).tables.items():
        assert made.tables[name].equals(table, null_equal=True), name
    sources = DeskReportSources.read(desk.store, YEAR, codes=codes)
    removed = sum(row.route == "remove" for row in item_rows(desk))
    numbers = {
        row["Scope"]: row["Value"]
        for row in report(sources).draft.tables[labels.AUTOMATED]
        if row["Indicator"] == labels.SOLELY
    }
    assert numbers["Total number"] == str(removed)
    assert not any("check that both are of the same content" in note for note in report(sources).notes)


def test_the_same_number_gives_the_same_report(desk: Desk, codes: Path) -> None:
    before = DeskReportSources.read(desk.store, YEAR, codes=codes)
    number = int(re.search(r"at event ([\d,]+)", before.notes[0])[1].replace(",", ""))  # type: ignore[index]
    desk.do("notice", "io", item=item_rows(desk)[0].id, reason="late")
    again = DeskReportSources.read(desk.store, YEAR, codes=codes, snapshot=number)
    assert report(before).draft == report(again).draft


def test_weeks_without_verdicts_leave_the_rates_empty(tmp_path: Path) -> None:
    desk = worked(tmp_path, panel=0.0)
    sources = DeskReportSources.read(desk.store, YEAR)
    assert sources.study is None
    assert "No item of the period has a verdict" in " ".join(sources.notes)
    desk.clock.pass_seconds(8 * 86_400)
    desk.receive(0.2, 0.5, prefix="late")
    filled = rates(report(DeskReportSources.read(desk.store, YEAR, verdicts=REVIEWER)))
    reason = "No value: 2 items arrived in weeks of which no drawn item was judged yet."
    assert {filled[scope, name] for scope in ("Total number", "en") for name in ("Accuracy", "Recall")} == {
        ("", reason)
    }


def test_content_of_another_period_is_no_part_of_it(desk: Desk) -> None:
    other = ReportingPeriod.parse("2026-01-01/2026-12-31")
    assert DeskReportSources.read(desk.store, other).study is None


def simulated(seed: int, items: int = 6000) -> tuple[DeskStudy, float, float]:
    """Six weeks of items of which a part is drawn, judged and adjudicated; with the true precision and recall."""
    rng = np.random.default_rng(seed)
    bad = rng.random(items) < 0.15
    removed = np.where(bad, rng.random(items) < 0.6, rng.random(items) < 0.03)
    reached = ~removed & (rng.random(items) < np.where(bad, 0.4, 0.15))
    drawn, asked = rng.random(items) < 0.4, rng.random(items) < 0.5
    judged = reached | drawn & (rng.random(items) < 0.8)
    order = np.where(judged, rng.random(items), 2.0)  # those that nobody came to are the last in the order
    slipped = np.where(bad, rng.random(items) < 0.15, rng.random(items) < 0.05)
    answered = judged & drawn & asked & (rng.random(items) < 0.9)
    rows = [
        SimpleNamespace(
            id=f"{number:05}", external_id=f"{number:05}", received_at=START + number * 600 * SECOND, policy=1,
            gold=None, language=None, author=None, route="remove" if removed[number] else "review",
            reached=bool(reached[number]), drawn=bool(drawn[number]), probability=0.4,
            draw_order=float(order[number]), panel=bool(asked[number]),
            measured_verdict=(VIOLATING if bad[number] != slipped[number] else BENIGN) if judged[number] else None,
            panel_verdict=(VIOLATING if bad[number] else BENIGN) if answered[number] else None,
        )
        for number in range(items)
    ]  # fmt: skip
    snapshot = StoreSnapshot("simulated", 1, "", rows, (), {})
    study = DeskStudy(snapshot, YEAR, rows, np.full(items, 0.5))
    return study, float((bad & removed).sum() / removed.sum()), float((bad & removed).sum() / bad.sum())


def coverage(studies: int) -> float:
    """Of the intervals of precision and recall over so many desks."""
    hits = []
    for seed in range(studies):
        study, *truth = simulated(seed)
        made = study.study(StudyPurpose())
        assert made is not None
        for name, value in zip(("precision", "recall"), truth, strict=True):
            estimate = published_estimate(made.finding, name)
            hits.append(float(estimate.low or 0.0) <= value <= float(estimate.high or 0.0))
    return float(np.mean(hits))


def test_intervals_cover_in_a_few_desks() -> None:
    assert coverage(6) >= 10 / 12


@pytest.mark.verify
def test_intervals_of_100_desks_cover() -> None:
    assert coverage(100) >= 0.92
