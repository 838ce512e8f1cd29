"""Public dumps: counted by hand, and held against a report; an inverted field is named."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from evenhand.errors import InputError
from evenhand.exchange.dsa.automated_means import AutomatedMeans
from evenhand.exchange.dsa.dumps import DumpCounts, compare_with_dump
from evenhand.exchange.dsa.filed_report import read_filed_report
from evenhand.exchange.dsa.labels import Provider
from evenhand.exchange.dsa.report import CensusFiles, make_report
from exchange.dsa import corpus
from exchange.dsa.simulated_service import PERIOD

COLUMNS = (
    *("uuid", "platform_name", "application_date", "source_type", "automated_detection", "automated_decision"),
    *("content_language", "category"),
)
ROWS = corpus.decisions(900)


def dumped(path: Path, rows: list[dict[str, Any]], *, inverted: bool = False) -> Path:
    other = {"Yes": "No", "No": "Yes"}
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore")
        writer.writeheader()
        for number, row in enumerate(rows):
            detection = other[row["automated_detection"]] if inverted else row["automated_detection"]
            common = {"uuid": number, "platform_name": "Forum", "automated_detection": detection}
            writer.writerow({**row, **common})
            writer.writerow({**row, **common, "platform_name": "Another"})
    return path


@pytest.fixture
def report(tmp_path: Path) -> Path:
    census = CensusFiles(decisions=corpus.jsonl(tmp_path / "d.jsonl", ROWS))
    make_report(Provider.VLOP, "Forum", PERIOD, means=AutomatedMeans(None), census=census).save(tmp_path / "report")
    return tmp_path / "report"


def test_counts_are_those_of_the_rows(tmp_path: Path) -> None:
    halves = [dumped(tmp_path / f"{n}.csv", part) for n, part in enumerate((ROWS[:400], ROWS[400:]))]
    counts = DumpCounts.read(halves, "Forum", PERIOD)
    inside = [row for row in ROWS if row["application_date"] <= "2026-06-30"]
    assert counts.statements == len(inside)
    fully = [row for row in inside if row["automated_decision"] == "AUTOMATED_DECISION_FULLY"]
    assert counts.solely["Total number"] == len(fully)
    assert counts.solely["de"] == sum(row["content_language"] == "DE" for row in fully)
    own = [row for row in inside if row["source_type"] == "SOURCE_VOLUNTARY"]
    assert counts.detected == sum(row["automated_detection"] == "Yes" for row in own)


def test_a_report_of_the_same_decisions_agrees(tmp_path: Path, report: Path) -> None:
    found = compare_with_dump(
        read_filed_report(report), DumpCounts.read([dumped(tmp_path / "dump.csv", ROWS)], "Forum", PERIOD)
    )
    assert (found.differences, found.inverted) == (0, False)
    assert len(found.counts) == 2 * 26 + 1


def test_missing_statements_differ(tmp_path: Path, report: Path) -> None:
    path = dumped(tmp_path / "dump.csv", ROWS[:600])
    assert compare_with_dump(read_filed_report(report), DumpCounts.read([path], "Forum", PERIOD)).differences > 5


def test_an_inverted_field_is_named(tmp_path: Path) -> None:
    rows = [{**row, "automated_detection": "Yes" if number % 5 else "No"} for number, row in enumerate(ROWS)]
    census = CensusFiles(decisions=corpus.jsonl(tmp_path / "d.jsonl", rows))
    make_report(Provider.VLOP, "Forum", PERIOD, means=AutomatedMeans(None), census=census).save(tmp_path / "report")
    dump = DumpCounts.read([dumped(tmp_path / "dump.csv", rows, inverted=True)], "Forum", PERIOD)
    found = compare_with_dump(read_filed_report(tmp_path / "report"), dump)
    assert found.inverted
    assert "inverted" in found.notes[0]


def test_a_platform_that_is_not_in_the_dump_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no statement of 'Nobody'"):
        DumpCounts.read([dumped(tmp_path / "dump.csv", ROWS[:5])], "Nobody", PERIOD)
