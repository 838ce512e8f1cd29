"""The output contract: flat records, the same bytes everywhere, undefined with its reason, no broken number."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import evenhand as eh
from cli.loop import drawn, made_up
from cli.program import ran
from contracts.every_finding import AUDITED, EVERY, PLAIN, annotated, classed, moderated, plain_finding
from evenhand.catalogue import MEASURES
from evenhand.estimate import Flag
from evenhand.figures import Figure
from evenhand.finding import SliceKey, Status
from evenhand.findings_file import from_json, to_json

ROLES = {"score": ["first", "second"], "label": "y", "groups": ["a", "b", "c"], "text": "text", "audits": "bias"}
FINDING = ["audit", "question", "estimates", "readings", "verdicts", "caveats", "provenance", "exhibits"]
RECORD = ["audit", "measure", "slice", "value", "low", "high", "level", "method", "n", "note"]
OPTIONAL = ["p_value", "flags"]
FLAGS = {*Flag, "best"}  # the best of the calibrators compared
COLUMNS = {PLAIN.language}  # the keys of slices that are columns


@pytest.fixture
def table(small: pl.DataFrame) -> pl.DataFrame:
    """With a third group that has no violating items."""
    return small.with_columns((pl.col("a") & ~pl.col("y")).alias("c"))


@pytest.fixture
def report(table: pl.DataFrame) -> eh.Report:
    return eh.audit(table, **ROLES)


def records(finding: eh.Finding) -> list[dict[str, Any]]:
    """As they are in the file."""
    (data,) = json.loads(to_json([finding]))["findings"]
    return data["estimates"]


def embedded(page: str) -> str:
    """The JSON inside a page."""
    start = page.index('id="findings">') + len('id="findings">')
    return page[start : page.index("</script>", start)]


def test_the_object(report: eh.Report) -> None:
    data = json.loads(report.json())
    assert data["evenhand"] == eh.__version__
    (finding,) = data["findings"]
    assert list(finding)[:2] == ["audit", "question"]
    assert {"audit", "question", "estimates", "caveats", "provenance"} <= set(finding)
    assert finding["provenance"]["seed"] == 0


@pytest.mark.parametrize("kind", EVERY)
def test_every_finding_has_the_keys_of_the_contract_in_their_order(kind: str) -> None:
    data = json.loads(to_json([plain_finding(kind)]))
    assert list(data) == ["evenhand", "findings"]
    (finding,) = data["findings"]
    assert [key for key in finding if key != "examples"] == FINDING
    assert isinstance(finding["question"], str)
    assert finding["question"].endswith("?")
    assert finding["estimates"]
    assert all(isinstance(caveat, str) and caveat for caveat in finding["caveats"])


@pytest.mark.parametrize("kind", EVERY)
def test_every_record_is_flat_and_of_the_types_of_the_contract(kind: str) -> None:
    finding = plain_finding(kind)
    for record in records(finding):
        assert list(record) == RECORD + [key for key in OPTIONAL if key in record]
        assert record["audit"] == finding.audit
        assert isinstance(record["measure"], str)
        assert all(isinstance(key, str) and isinstance(value, str) for key, value in record["slice"].items())
        assert type(record["n"]) is int
        assert record["n"] >= 0
        assert 0.0 < record["level"] < 1.0
        assert record["method"]
        assert record["note"] is None or record["note"].strip()


@pytest.mark.parametrize("kind", EVERY)
def test_every_number_is_whole_or_says_why_there_is_none(kind: str) -> None:
    for record in records(plain_finding(kind)):
        numbers = [record[name] for name in ("value", "low", "high")]
        if record["value"] is None:
            assert numbers == [None] * 3
            assert record["note"]
            assert record["method"] == "none"
            assert "p_value" not in record
            continue
        given = [number for number in numbers if number is not None]
        assert all(type(number) in (int, float) and math.isfinite(number) for number in given)
        if len(given) == 3:
            assert record["low"] <= record["value"] <= record["high"]
        else:  # a test in place of an interval
            assert numbers[1:] == [None, None]
            assert 0.0 <= record["p_value"] <= 1.0


@pytest.mark.parametrize("kind", EVERY)
def test_every_measure_flag_and_key_is_a_known_one(kind: str) -> None:
    for record in records(plain_finding(kind)):
        assert record["measure"] in MEASURES
        assert set(record.get("flags", ())) <= FLAGS
        assert len(set(record.get("flags", ()))) == len(record.get("flags", ()))
        assert set(record["slice"]) <= {*SliceKey} | COLUMNS, record["slice"]


@pytest.mark.parametrize("kind", EVERY)
def test_readings_verdicts_and_exhibits_are_plain_data(kind: str) -> None:
    (finding,) = json.loads(to_json([plain_finding(kind)]))["findings"]
    known = {*SliceKey} | COLUMNS
    for reading in finding["readings"]:
        assert [key for key in reading if key != "topic"] == ["slice", "text", "shape", "tendency"]
        assert reading["text"].strip()
        assert set(reading["slice"]) <= known
    for verdict in finding["verdicts"]:
        assert list(verdict) == ["status", "slice", "statement", "certainty", "action"]
        assert verdict["status"] in {*Status}
        assert set(verdict["slice"]) <= known
        assert verdict["statement"].strip()
    for exhibit in finding["exhibits"]:
        assert list(exhibit) == ["kind", "slice", "columns"]
        assert set(exhibit["slice"]) <= known
        assert all(isinstance(values, list) for values in exhibit["columns"].values())


@pytest.mark.parametrize("kind", AUDITED)
def test_every_audit_carries_its_verdicts(kind: str) -> None:
    finding = plain_finding(kind)
    models = {verdict.slice.get(SliceKey.MODEL) for verdict in finding.verdicts}
    assert models == (set(finding.values(SliceKey.MODEL)) or {None})


@pytest.mark.parametrize("kind", EVERY)
def test_csv_and_frame_have_the_columns_of_the_contract_and_one_for_each_key(kind: str) -> None:
    finding = plain_finding(kind)
    report = eh.Report((finding,))
    keys = list(dict.fromkeys(key for m in finding for key in m.slice))
    head = [*RECORD, "flags", "p_value", *keys]
    rows = list(csv.DictReader(io.StringIO(report.csv())))
    assert report.estimates.columns == list(rows[0]) == head
    for row, record in zip(rows, records(finding), strict=True):
        assert json.loads(row["slice"]) == record["slice"]
        assert row["flags"].split() == record.get("flags", [])
        assert [row[key] for key in keys] == [record["slice"].get(key, "") for key in keys]
        for name in ("value", "low", "high", "p_value"):
            assert (float(row[name]) if row[name] else None) == record.get(name)


@pytest.mark.parametrize("kind", EVERY)
def test_the_json_in_the_page_is_that_of_the_file(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Figure, "svg", "<svg/>")  # what is drawn does not matter here, and takes long
    report = eh.Report((plain_finding(kind),))
    assert embedded(report.html()) == report.json() == to_json([plain_finding(kind)])


@pytest.mark.parametrize("kind", EVERY)
def test_no_slice_is_reported_twice(kind: str) -> None:
    keys = [(m.measure, tuple(sorted(m.slice.items()))) for m in plain_finding(kind)]
    assert len(keys) == len(set(keys))


@pytest.mark.verify
def test_one_value_renders_everywhere(report: eh.Report, tmp_path: Path) -> None:
    folder = report.save(tmp_path / "out")
    text = (folder / "findings.json").read_text()
    assert text == report.json()
    page = (folder / "report.html").read_text()
    assert embedded(page) == text
    rows = list(csv.DictReader(io.StringIO((folder / "estimates.csv").read_text())))
    records = json.loads(text)["findings"][0]["estimates"]
    assert len(rows) == len(records)
    for row, record in zip(rows, records, strict=True):
        assert json.loads(row["slice"]) == record["slice"]
        assert row["value"] == ("" if record["value"] is None else row["value"])
        if record["value"] is not None:
            assert float(row["value"]) == record["value"]
        assert row["group"] == record["slice"].get("group", "")


@pytest.mark.verify
def test_the_same_input_gives_the_same_bytes(table: pl.DataFrame) -> None:
    one, two = (eh.audit(table, **ROLES) for _ in range(2))
    assert one.json() == two.json()
    assert one.html() == two.html()


def test_findings_survive_a_round_trip(report: eh.Report) -> None:
    again = from_json(report.json(), source="x")
    assert to_json(again) == report.json()
    for text in ("{}", "[]", '{"findings": [{}]}', "not json", '{"findings": [{"audit": 1, "estimates": 3}]}'):
        with pytest.raises(eh.InputError, match="not a findings file"):
            from_json(text, source="x")


def test_flat_records_as_a_frame(report: eh.Report) -> None:
    frame = report.estimates
    assert frame.columns[: len(RECORD)] == RECORD
    assert set(frame.columns) >= {"group", "model", "against", "length", "flags"}
    undefined = frame.filter(pl.col("value").is_null())
    assert len(undefined) > 0
    assert undefined["note"].null_count() == 0


def test_names_that_a_spreadsheet_would_run(small: pl.DataFrame) -> None:
    report = eh.audit(small.rename({"a": "=cmd()"}), score="first", label="y", groups=["=cmd()"], audits="bias")
    rows = list(csv.DictReader(io.StringIO(report.csv())))
    assert {row["group"] for row in rows} == {"", "'=cmd()"}
    assert json.loads(report.json())["findings"][0]["estimates"][-1]["slice"]["group"] == "=cmd()"


def test_estimates_refuse_to_be_broken() -> None:
    good = {"value": 0.5, "low": 0.4, "high": 0.6, "level": 0.95, "method": "m", "n": 3}
    assert str(eh.Estimate(**good)) == "0.500 (0.400 to 0.600)"
    for broken in (
        {"value": math.nan},
        {"high": math.inf},
        {"low": 0.55},
        {"value": None},
        {"value": None, "low": None, "high": None},
        {"low": None, "high": None},
        {"low": None, "high": None, "p_value": 1.5},
        {"low": None, "p_value": 0.5},
        {"value": math.inf, "low": None, "high": None, "p_value": 0.5},
    ):
        with pytest.raises(ValueError, match=r"estimate|interval"):
            eh.Estimate(**{**good, **broken})
    assert str(eh.Estimate.undefined("no items", level=0.95, n=0)) == "undefined: no items"
    tested = eh.Estimate.tested(0.2, 0.031, level=0.95, method="permutation", n=9)
    assert str(tested) == "0.200 (p = 0.031)"
    assert str(eh.Estimate.exact(7, level=0.95, n=7)) == "7"


SCORES = ("--score", "first,second", "--label", "y")
CLASSES = ("--probabilities", "first,second,removed", "--classes", "item,who,gender", "--label", "y")
FEW = ("--quick", "--simulations", "100", "--within", "0.5", "--strata", "2", "--pilots", "10", "--pilot-totals", "32")
COMMANDS = {
    "bias": ("audit", "moderated.parquet", "--audits", "bias", *SCORES, "--groups", "women,men", "--by", "language"),
    "collaboration": ("audit", "moderated.parquet", "--audits", "collaboration", *SCORES, "--capacities", "0.1,0.3"),
    "calibration": ("audit", "classed.parquet", "--audits", "calibration", *CLASSES, "--replicates", "50"),
    "accuracy": ("audit", "moderated.parquet", "--audits", "accuracy", "--label", "y", "--decision", "removed"),
    "perspective": (
        *("audit", "annotated.parquet", "--audits", "perspective", *SCORES, "--item", "item", "--annotator", "who"),
        *("--annotator-groups", "gender", "--replicates", "50", "--permutations", "99", "--fewest-labels", "8"),
    ),
    "calibrators": ("calibrate", "compare", "classed.parquet", "other.parquet", *CLASSES, "--seeds", "1"),
    "simulation": ("sample", "simulate", "moderated.parquet", "--score", "first", "--label", "y", *FEW),
    "migration": (
        *("migrate", "perspective", "moderated.parquet", "--old-score", "first", "--new-score", "second"),
        *("--label", "y", "--groups", "women,men", "--by", "language", "--threshold", "0.8"),
    ),
    "estimate": ("sample", "estimate", "plan.json", "batch.csv"),
}


@pytest.mark.parametrize(
    "kind", [kind if kind == "accuracy" else pytest.param(kind, marks=pytest.mark.verify) for kind in COMMANDS]
)
def test_a_command_prints_what_it_writes(program, kind: str) -> None:
    """The same bytes from --json, in findings.json and inside the page."""
    moderated().write_parquet("moderated.parquet")
    classed().write_parquet("classed.parquet")
    classed(seed=6).write_parquet("other.parquet")
    annotated().write_parquet("annotated.parquet")
    if kind == "estimate":
        items = made_up().head(1000)
        items.write_parquet("items.parquet")
        drawn(program, items, "--score", "p", "--decision", "removed", "--by", "language", "--n", "300")
    printed = ran(program, *COMMANDS[kind], "--json", "--out", "there")
    assert printed == Path("there/findings.json").read_text(encoding="utf-8")
    assert printed == embedded(Path("there/report.html").read_text(encoding="utf-8"))
    (finding,) = json.loads(printed)["findings"]
    assert {record["measure"] for record in finding["estimates"]} <= set(MEASURES)
    assert printed == to_json(from_json(printed, source="there"))
