"""evenhand migrate perspective: the report, the files of thresholds, and one line for bad input."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import polars as pl
import pytest

from cli.program import Program, fails, ran
from evenhand.findings_file import from_json
from migration.logs import frame

COLUMNS = ("--old-score", "perspective", "--new-score", "ours")


@pytest.fixture
def log(program: Program) -> str:
    frame(400).write_csv("log.csv")
    return "log.csv"


def test_a_report_with_thresholds(program: Program, log: str) -> None:
    printed = ran(program, "migrate", "perspective", log, *COLUMNS, "--threshold", "0.8", "--groups", "women,men")
    folder = Path("evenhand-migration")
    assert "Replace the threshold 0.8 by " in printed
    assert "report: evenhand-migration/report.html" in printed
    assert {path.name for path in folder.iterdir()} >= {
        "report.html",
        "findings.json",
        "thresholds.csv",
        "thresholds.json",
    }
    (finding,) = from_json((folder / "findings.json").read_text(), source="x")
    new = finding.get("new_threshold", threshold="0.8", matched="flag_rate")
    rows = list(csv.DictReader((folder / "thresholds.csv").read_text().splitlines()))
    assert list(rows[0]) == ["old", "new", "low", "high", "flag_rate"]
    (row,) = [row for row in rows if row["old"] == "0.8"]
    assert [float(row[key]) for key in ("new", "low", "high")] == [new.value, new.low, new.high]
    assert float(row["flag_rate"]) == finding.get("flag_rate", threshold="0.8", model="old").value
    content = json.loads((folder / "thresholds.json").read_text())
    assert content["old"] == "perspective"
    assert content["new"] == {"column": "ours"}
    (chosen,) = [one for one in content["thresholds"] if one["recommended"] == "yes"]
    assert (chosen["old"], chosen["new"], chosen["keeps"]) == (0.8, new.value, "flag_rate")
    assert len(content["map"]) == len(rows) == 99


def test_the_next_report_replaces_the_files(program: Program, log: str) -> None:
    for threshold in ("0.8", "0.6"):
        ran(program, "migrate", "perspective", log, *COLUMNS, "--threshold", threshold, "--out", "there")
    content = json.loads(Path("there/thresholds.json").read_text())
    assert {one["old"] for one in content["thresholds"]} == {0.6}
    assert "thresholds.csv" in json.loads(Path("there/files.json").read_text())["files"]


def test_common_thresholds_unless_told(program: Program, log: str) -> None:
    printed = json.loads(ran(program, "migrate", "perspective", log, *COLUMNS, "--json"))
    (finding,) = from_json(json.dumps(printed), source="x")
    assert finding.values("threshold") == ("0.7", "0.8", "0.9")
    assert not Path("evenhand-migration").exists()


def test_csv_has_the_estimates(program: Program, log: str) -> None:
    rows = list(csv.DictReader(ran(program, "migrate", "perspective", log, *COLUMNS, "--csv").splitlines()))
    assert {row["measure"] for row in rows} >= {"new_threshold", "flag_rate", "newly_flagged", "rank_agreement"}
    assert {row["threshold"] for row in rows} == {"", "0.7", "0.8", "0.9"}


def test_texts_are_scored_with_the_default_model(program: Program) -> None:
    table = frame(80).with_columns(text=pl.concat_str(pl.lit("you are so "), pl.col("text")))
    table.select("text", "perspective").write_parquet("texts.parquet")
    options = ("--old-score", "perspective", "--model", "default", "--threshold", "0.6", "--json")
    (finding,) = json.loads(ran(program, "migrate", "perspective", "texts.parquet", *options))["findings"]
    assert finding["provenance"]["new"]["model"] == "default"


def test_terms_and_rows_that_are_kept(program: Program, log: str) -> None:
    Path("terms.txt").write_text("women: she, her\nmen: he\n")
    options = ("--text", "text", "--terms", "terms.txt", "--where", "language = 'en'", "--threshold", "0.6", "--json")
    (finding,) = json.loads(ran(program, "migrate", "perspective", log, *COLUMNS, *options))["findings"]
    assert finding["provenance"]["rows"] == int((frame(400)["language"] == "en").sum())
    assert {r["slice"]["group"] for r in finding["readings"] if r["topic"] == "group"} == {"women", "men"}
    assert any("that mention 'women'" in r["text"] for r in finding["readings"])


BAD = {
    "no such file": (("none.csv", *COLUMNS), ["none.csv", "no such file"]),
    "no old scores": (("log.csv", "--new-score", "ours"), ["log.csv", "--old-score"]),
    "no new scores": (("log.csv", "--old-score", "perspective"), ["--new-score", "--model"]),
    "no such column": (
        ("log.csv", "--old-score", "perspectiv", "--new-score", "ours"),
        ["did you mean 'perspective'?"],
    ),
    "per cent": (
        ("percent.csv", *COLUMNS),
        ["percent.csv", "column 'perspective', row 1", "outside 0 to 1", "set --scale to percent or logit"],
    ),
    "constant": (("constant.csv", *COLUMNS), ["constant.csv", "column 'ours'", "all scores are 0.5"]),
    "few": (("few.csv", *COLUMNS), ["few.csv", "20 comments are too few"]),
    "threshold": (("log.csv", *COLUMNS, "--threshold", "80"), ["invalid old threshold: 80"]),
    "tolerance": (("log.csv", *COLUMNS, "--tolerance", "1"), ["invalid --tolerance: 1 (must be a ratio above 1"]),
    "both outputs": (("log.csv", *COLUMNS, "--json", "--csv"), ["--json and --csv"]),
    "terms": (("log.csv", *COLUMNS, "--terms", "none.txt"), ["none.txt", "no such file"]),
    "attribute": (("log.csv", "--attribute", "TOXICITY", "--new-score", "ours"), ["--old-score"]),
    "empty": (
        ("empty.csv", *COLUMNS),
        ["empty.csv", "column 'perspective', row 3: the score is empty", "--skip-unscored"],
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_input_is_one_line(program: Program, log: str, kind: str) -> None:
    table = frame(60)
    table.with_columns(pl.col("perspective") * 100).write_csv("percent.csv")
    table.with_columns(ours=pl.lit(0.5)).write_csv("constant.csv")
    table.head(20).write_csv("few.csv")
    table.with_columns(perspective=pl.when(pl.int_range(60) == 2).then(None).otherwise("perspective")).write_csv(
        "empty.csv"
    )
    arguments, says = BAD[kind]
    fails(program, "migrate", "perspective", *arguments, says=says)


@pytest.mark.verify
def test_an_audit_in_the_same_folder_leaves_no_thresholds_behind(program: Program, log: str) -> None:
    """Thresholds of another run beside a report that does not mention them would be set by mistake."""
    ran(program, "migrate", "perspective", log, *COLUMNS, "--threshold", "0.8", "--out", "there")
    assert Path("there/thresholds.csv").exists()
    ran(program, "audit", log, "--score", "ours", "--label", "toxic", "--groups", "women", "--out", "there")
    assert not list(Path("there").glob("thresholds.*"))
