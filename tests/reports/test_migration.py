"""The section on a migration: the verdict first, tables that hold the numbers, and files for an operator."""

from __future__ import annotations

import json
import re
from io import StringIO

import polars as pl
import pytest
from rich.console import Console

import evenhand as eh
from evenhand.figures import Figure
from evenhand.finding import Finding
from evenhand.reports.migration import threshold_files
from evenhand.reports.terminal import print_findings
from migration.logs import frame, moved


@pytest.fixture(scope="module")
def finding() -> Finding:
    return moved(frame(1500), label="toxic", groups=["women", "men"], thresholds=[0.7, 0.9])


@pytest.fixture
def page(finding: Finding, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(Figure, "svg", "<svg/>")
    return eh.Report((finding,)).html()


def test_the_page_begins_with_what_to_set(page: str, finding: Finding) -> None:
    body = page[page.index("Main results") :]
    new = finding.get("new_threshold", threshold="0.7", matched="flag_rate")
    assert body.index(f"Replace the threshold 0.7 by {new.value:g}") < body.index("<h2>Thresholds")
    assert body.index("Next steps") < body.index("<h2>Thresholds")
    for heading in ("What changes", "Both models", "Changes by group", "Definitions"):
        assert heading in body


def test_every_verdict_and_reading_is_on_the_page(page: str, finding: Finding) -> None:
    plain = re.sub(r"<[^>]+>", "", page).replace("&#39;", "'")
    for verdict in finding.verdicts:
        assert verdict.statement in plain
    for reading in finding.readings:
        assert reading.text in plain


def test_without_labels_and_groups_the_page_is_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Figure, "svg", "<svg/>")
    page = eh.Report((moved(frame(300), thresholds=[0.8]),)).html()
    assert "Changes by group" not in page
    assert "Without labels, only flag rates can be compared" in page


def test_a_terminal_has_thresholds_changes_and_groups(finding: Finding) -> None:
    for width in (80, 140):
        out = StringIO()
        print_findings((finding,), Console(file=out, width=width))
        text = " ".join(out.getvalue().split())
        for part in ("New thresholds", "What changes", "Both models", "Changes by group", "Replace the threshold 0.7"):
            assert part in text


def test_files_for_an_operator(finding: Finding) -> None:
    files = threshold_files(finding)
    assert set(files) == {"thresholds.csv", "thresholds.json"}
    table = pl.read_csv(StringIO(files["thresholds.csv"]))
    assert table.columns == ["old", "new", "low", "high", "flag_rate"]
    assert table["old"].is_sorted()
    assert table.drop_nulls()["new"].is_sorted()
    content = json.loads(files["thresholds.json"])
    assert {one["keeps"] for one in content["thresholds"]} == {"flag_rate", "precision", "fpr", "recall"}
    for old in (0.7, 0.9):
        assert [one["old"] for one in content["thresholds"] if one["recommended"] == "yes"].count(old) <= 1


def test_thresholds_that_cannot_be_had_are_empty(finding: Finding) -> None:
    table = frame(200).with_columns(perspective=pl.col("perspective") * 0.5)
    files = threshold_files(moved(table, thresholds=[0.8]))
    (line,) = [line for line in files["thresholds.csv"].splitlines() if line.startswith("0.8,")]
    assert line == "0.8,,,,0.0"
    (one,) = json.loads(files["thresholds.json"])["thresholds"]
    assert (one["new"], one["recommended"]) == (None, "no")
