"""The output contract: flat records, the same bytes everywhere, undefined with its reason, no broken number."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path

import polars as pl
import pytest

import evenhand as eh
from evenhand.reports.serialise import from_json, to_json

ROLES = {"score": ["first", "second"], "label": "y", "groups": ["a", "b", "c"], "text": "text", "audits": "bias"}
RECORD = ["audit", "measure", "slice", "value", "low", "high", "level", "method", "n", "note"]
SLICES = {"group", "model", "against", "length"}
MEASURES = {
    "subgroup_auc bpsn_auc bnsp_auc negative_aeg positive_aeg auroc tpr fpr precision tpr_gap fpr_gap count "
    "positive_share "
    "subgroup_auc_power_mean bpsn_auc_power_mean bnsp_auc_power_mean jigsaw_score"
}


@pytest.fixture
def table(small: pl.DataFrame) -> pl.DataFrame:
    """With a third group that has no violating items."""
    return small.with_columns((pl.col("a") & ~pl.col("y")).alias("c"))


@pytest.fixture
def report(table: pl.DataFrame) -> eh.Report:
    return eh.audit(table, **ROLES)


def test_the_object(report: eh.Report) -> None:
    data = json.loads(report.json())
    assert data["evenhand"] == eh.__version__
    (finding,) = data["findings"]
    assert list(finding)[:2] == ["audit", "question"]
    assert {"audit", "question", "estimates", "caveats", "provenance"} <= set(finding)
    assert finding["provenance"]["seed"] == 0


def test_every_record(report: eh.Report) -> None:
    records = json.loads(report.json())["findings"][0]["estimates"]
    names = set(" ".join(MEASURES).split())
    assert {r["measure"] for r in records} == names
    for record in records:
        assert list(record)[: len(RECORD)] == RECORD
        assert set(record) - set(RECORD) <= {"flags", "p_value"}
        assert set(record.get("flags", ())) <= {"small", "stands_out", "best"}
        assert set(record["slice"]) <= SLICES
        assert isinstance(record["n"], int)
        if record["value"] is None:
            assert record["low"] is None
            assert record["high"] is None
            assert record["note"]
        else:
            assert record["low"] <= record["value"] <= record["high"]
            assert math.isfinite(record["low"] + record["high"])


def test_no_slice_is_reported_twice(report: eh.Report) -> None:
    keys = [(m.measure, tuple(sorted(m.slice.items()))) for m in report.findings[0]]
    assert len(keys) == len(set(keys))


def test_one_value_renders_everywhere(report: eh.Report, tmp_path: Path) -> None:
    folder = report.save(tmp_path / "out")
    text = (folder / "findings.json").read_text()
    assert text == report.json()
    page = (folder / "report.html").read_text()
    start = page.index('id="findings">') + len('id="findings">')
    assert page[start : page.index("</script>", start)] == text
    rows = list(csv.DictReader(io.StringIO((folder / "estimates.csv").read_text())))
    records = json.loads(text)["findings"][0]["estimates"]
    assert len(rows) == len(records)
    for row, record in zip(rows, records, strict=True):
        assert json.loads(row["slice"]) == record["slice"]
        assert row["value"] == ("" if record["value"] is None else row["value"])
        if record["value"] is not None:
            assert float(row["value"]) == record["value"]
        assert row["group"] == record["slice"].get("group", "")


def test_the_same_input_gives_the_same_bytes(table: pl.DataFrame) -> None:
    one, two = (eh.audit(table, **ROLES) for _ in range(2))
    assert one.json() == two.json()
    assert one.html() == two.html()


def test_findings_survive_a_round_trip(report: eh.Report) -> None:
    again = from_json(report.json(), source="x")
    assert to_json(again) == report.json()
    for text in ("{}", "[]", '{"findings": [{}]}', "not json", '{"findings": [{"audit": 1, "estimates": 3}]}'):
        with pytest.raises(eh.InputError, match="no findings"):
            from_json(text, source="x")


def test_flat_records_as_a_frame(report: eh.Report) -> None:
    frame = report.estimates
    assert frame.columns[: len(RECORD)] == RECORD
    assert set(frame.columns) >= {"group", "model", "against", "length", "flags"}
    undefined = frame.filter(pl.col("value").is_null())
    assert len(undefined) > 0
    assert undefined["note"].null_count() == 0


def test_names_that_a_spreadsheet_would_run(small: pl.DataFrame) -> None:
    report = eh.audit(small.rename({"a": "=cmd()"}), score="first", label="y", groups=["=cmd()"])
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
