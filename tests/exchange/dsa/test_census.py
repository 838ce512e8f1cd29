"""Counts of the report, held against plain loops over the same rows."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from typing import Any

import polars as pl
import pytest

from evenhand.errors import InputError
from evenhand.exchange.dsa import labels
from evenhand.exchange.dsa.appeal_census import AppealCensus
from evenhand.exchange.dsa.census import DECISION_COLUMNS, DecisionCensus
from evenhand.exchange.dsa.draft_report import DraftReport
from evenhand.exchange.dsa.labels import Provider
from evenhand.exchange.dsa.notice_census import NoticeCensus
from exchange.dsa import corpus
from exchange.dsa.corpus import jsonl
from exchange.dsa.simulated_service import PERIOD

DECISIONS = corpus.decisions(1500)


def draft() -> DraftReport:
    return DraftReport.empty(Provider.VLOP, "Forum", PERIOD)


def written(tmp_path: Path, rows: list[dict[str, Any]], ending: str) -> Path:
    """The same rows in another format: lists are lists, JSON in a cell, or codes with commas."""
    if ending == "jsonl":
        return jsonl(tmp_path / "rows.jsonl", rows)
    frame = pl.DataFrame(rows, infer_schema_length=None)
    if ending == "parquet":
        frame.write_parquet(tmp_path / "rows.parquet")
        return tmp_path / "rows.parquet"
    as_json = ending == "json.csv"
    cells = [
        {k: (json.dumps(v) if as_json else ",".join(v)) if isinstance(v, list) else v for k, v in row.items()}
        for row in rows
    ]
    pl.DataFrame(cells, infer_schema_length=None).write_csv(tmp_path / "rows.csv")
    return tmp_path / "rows.csv"


def measures(row: dict[str, Any]) -> set[str]:
    held = set(row.get("decision_visibility", []))
    return held | {
        row[f"decision_{kind}"] for kind in ("monetary", "provision", "account") if f"decision_{kind}" in row
    }


@pytest.mark.parametrize("ending", ["jsonl", "parquet", "json.csv", "plain.csv"])
def test_measures_at_own_initiative_are_counted(tmp_path: Path, ending: str) -> None:
    report = draft()
    DecisionCensus.read(written(tmp_path, DECISIONS, ending), PERIOD).fill(report)
    inside = [row for row in DECISIONS if "2026-01-01" <= row["application_date"] <= "2026-06-30"]
    for table, ground, column in (
        (labels.OWN_ILLEGAL, "DECISION_GROUND_ILLEGAL_CONTENT", labels.CATEGORY),
        (labels.OWN_TERMS, "DECISION_GROUND_INCOMPATIBLE_CONTENT", labels.TERMS_CATEGORY),
    ):
        own = [r for r in inside if r["source_type"] == "SOURCE_VOLUNTARY" and r["decision_ground"] == ground]
        parent = ""
        for row in report.tables[table]:
            code = row[column]
            parent = parent if code.startswith("KEYWORD") else code
            part = [
                r
                for r in own
                if code == "TOTAL"
                or (r["category"] == parent and (code == parent or code in r["category_specification"]))
            ]
            assert row[labels.OWN_MEASURES] == str(len(part))
            assert row[labels.OWN_DETECTED] == str(sum(r["automated_detection"] == "Yes" for r in part))
            for name, counted in labels.RESTRICTIONS.items():
                assert row[name] == str(sum(bool(measures(r) & set(counted)) for r in part)), (code, name)


def test_automated_measures_are_counted_by_scope(tmp_path: Path) -> None:
    report = draft()
    census = DecisionCensus.read(jsonl(tmp_path / "d.jsonl", DECISIONS), PERIOD)
    census.fill(report)
    inside = [row for row in DECISIONS if row["application_date"] <= "2026-06-30"]
    assert census.outside == len(DECISIONS) - len(inside) > 0
    assert not census.only_own_automation
    scopes = {
        "Total number": inside,
        "Own-initiative": [r for r in inside if r["source_type"] == "SOURCE_VOLUNTARY"],
        "de": [r for r in inside if r["content_language"] == "DE"],
        "sv": [],
    }
    filed = {(r["Indicator"], r["Scope"]): r["Value"] for r in report.tables[labels.AUTOMATED]}
    for scope, part in scopes.items():
        fully = sum(r["automated_decision"] == "AUTOMATED_DECISION_FULLY" for r in part)
        assert filed[labels.SOLELY, scope] == str(fully)
        assert filed[labels.NOT_SOLELY, scope] == str(len(part) - fully)


def hours(row: dict[str, Any]) -> float:
    import datetime

    start, stop = (datetime.datetime.fromisoformat(row[name]) for name in ("received_at", "acted_at"))
    return (stop - start).total_seconds() / 3600


def test_notices_are_counted(tmp_path: Path) -> None:
    rows, report = corpus.notices(600), draft()
    NoticeCensus.read(jsonl(tmp_path / "n.jsonl", rows), PERIOD).fill(report)
    total = report.tables[labels.NOTICES][0]
    flagged = [row for row in rows if row["trusted_flagger"] == "yes"]
    for part, names in ((rows, labels.NOTICE_MEASURES[::2]), (flagged, labels.NOTICE_MEASURES[1::2])):
        times = [hours(row) for row in part if row["acted_at"]]
        expected = [
            *(str(len(part)), str(sum(row["items"] for row in part)), pytest.approx(median(times), abs=0.006)),
            *(str(sum(row["action"] == action for row in part)) for action in ("law", "terms")),
        ]
        found = [total[name] for name in names]
        found[2] = float(found[2])
        assert found == expected
    filed = {(r["Indicator"], r["Scope"]): r["Value"] for r in report.tables[labels.AUTOMATED]}
    assert filed[labels.NOTICES_SOLELY, "NAM Total"] == str(sum(row["automated"] == "yes" for row in rows))
    category = report.tables[labels.NOTICES][1]
    assert category[labels.NOTICES_RECEIVED] == str(sum(r["category"] == category[labels.CATEGORY] for r in rows))


def test_appeals_and_reversals_are_counted(tmp_path: Path) -> None:
    rows, report = corpus.appeals(500), draft()
    AppealCensus.read(jsonl(tmp_path / "a.jsonl", rows), PERIOD).fill(report)
    filed = {(r["Indicator"], r["Scope"]): r["Value"] for r in report.tables[labels.APPEALS]}
    internal = [row for row in rows if row["channel"] == "internal"]
    about = [row for row in internal if row["about"] == "account"]
    for indicator, part in (
        (labels.ALL_COMPLAINTS, internal),
        (labels.COMPLAINT_SUBJECTS["account"], about),
        (labels.ALL_DISPUTES, [row for row in rows if row["channel"] == "out_of_court"]),
    ):
        assert filed[indicator, "Total number"] == str(len(part))
        for scope, word in (("Decisions upheld", "upheld"), ("Decisions reversed", "reversed")):
            assert filed[indicator, scope] == str(sum(row["outcome"] == word for row in part))
    assert filed[labels.NEW_RESTRICTIONS, "Total number"] == str(sum(r["new_restriction"] == "yes" for r in internal))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"category": "HATE"}, "column 'category', row 3: invalid: 'HATE'"),
        ({"application_date": "2026-13-01"}, "column 'application_date', row 3: invalid"),
        ({"application_date": ""}, "column 'application_date', row 3: empty"),
        ({"automated_detection": "maybe"}, "column 'automated_detection', row 3: invalid"),
        ({"puid": "case-0"}, "'case-0' appears twice"),
        ({"decision_visibility": ["GONE"]}, "column 'decision_visibility', row 3: invalid: 'GONE'"),
    ],
    ids=["category", "date", "empty", "yes_no", "twice", "restriction"],
)
def test_what_cannot_be_counted_is_refused_by_name(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    rows = [dict(row) for row in DECISIONS[:5]]
    rows[2] |= change
    with pytest.raises(InputError) as raised:
        DecisionCensus.read(jsonl(tmp_path / "d.jsonl", rows), PERIOD)
    assert said in str(raised.value)


def test_a_period_without_decisions_has_none(tmp_path: Path) -> None:
    rows = [{**row, "application_date": "2025-05-05"} for row in DECISIONS[:3]]
    rows = [{name: row[name] for name in (*DECISION_COLUMNS, "decision_ground")} for row in rows]  # and no restriction
    report, census = draft(), DecisionCensus.read(jsonl(tmp_path / "d.jsonl", rows), PERIOD)
    census.fill(report)
    assert (census.outside, census.fully_automated) == (3, 0)
    assert {row[labels.OWN_MEASURES] for row in report.tables[labels.OWN_TERMS]} == {"0"}


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "d.jsonl", [{"puid": "1", "source_type": "SOURCE_VOLUNTARY"}])
    with pytest.raises(InputError, match="application_date"):
        DecisionCensus.read(path, PERIOD)
