"""evenhand sample simulate: the report and its data, and one line for everything that is wrong."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

FILE = ["sample", "simulate", "items.parquet"]
SCORED = [*FILE, "--score", "p", "--label", "y"]
FAST = ["--quick", "--simulations", "100", "--within", "0.5", "--strata", "2", "--pilots", "10", "--pilot-totals", "32"]


@pytest.fixture
def items(program) -> pl.DataFrame:
    """Three thousand items, a tenth of them violating, with a score and a text."""
    rng = np.random.default_rng(2)
    height = rng.normal(size=3000)
    share = np.where(height > 1.28, 0.6, 0.0) + np.where(height > 2.0, 0.4, 0.0)
    words = np.where(height > 1.28, "an awful thing", "a kind word")
    table = pl.DataFrame(
        {
            "p": expit(2.0 * height + rng.normal(size=3000) - 3.0),
            "y": height > 1.28,
            "share": share,
            "text": words,
            "all": True,
            "nan": np.where(height > 2.5, np.nan, 0.5),
            "split": np.where(height > 1.0, "high", "low"),
        }
    )
    table.write_parquet("items.parquet")
    return table


def records(out: str) -> dict:
    (finding,) = json.loads(out)["findings"]
    assert finding["audit"] == "simulation"
    return {(r["measure"], *sorted(r["slice"].items())): r for r in finding["estimates"]}


@pytest.mark.verify
def test_the_report_and_the_terminal(program, items, tmp_path) -> None:
    done = program(*SCORED, *FAST, "--setting", "first=50")
    assert done.code == 0, done.err
    said = " ".join(done.out.split())
    assert (
        "prevalence of 9.13 % to within 50 % of its value, simple random sampling needs 153 labels (0.3 hours" in said
    )
    assert "This is the spread of estimates; the published interval can take more labels" in said
    assert "--campaigns simulates" in said
    assert "Bias and coverage" in done.out
    folder = tmp_path / "evenhand-simulation"
    page = (folder / "report.html").read_text()
    for piece in ("By the number of strata", "By the size of the pilot", "Default design", "first=50", "<svg"):
        assert piece in page, piece
    assert "<script src" not in page
    assert {path.name for path in (folder / "figures").iterdir()} == {
        f"simulation_{name}.svg" for name in ("strata", "pilots")
    }
    assert json.loads((folder / "findings.json").read_text())["findings"][0]["audit"] == "simulation"


def test_json_and_csv_are_the_same_numbers(program, items, tmp_path) -> None:
    found = records(program(*SCORED, *FAST, "--seed", "3", "--json", "--out", "out").out)
    assert not (tmp_path / "evenhand-simulation").exists()
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out" / "estimates.csv").read_text())))
    assert len(rows) == len(found)
    for row in rows:
        record = found[(row["measure"], *sorted(json.loads(row["slice"]).items()))]
        assert float(row["value"]) == record["value"]
    default = found["labels_needed", ("design", "default"), ("within", "0.5")]
    assert default["method"] == "monte_carlo"
    assert default["n"] == 100
    assert default["low"] < default["value"] < default["high"]


@pytest.mark.verify
def test_rarer_prevalences(program, items) -> None:
    thresholds = ["--label-threshold", "0.5", "--label-threshold", "0.9"]
    done = program(*FILE, "--score", "p", "--label", "share", *thresholds, *FAST, "--csv")
    assert done.code == 0, done.err
    rows = [r for r in csv.DictReader(io.StringIO(done.out)) if r["design"] in ("", "random")]
    found = {(r["measure"], r["label_threshold"]): float(r["value"]) for r in rows if not r["interval"]}
    assert found["labels_needed", "0.9"] > found["labels_needed", "0.5"]
    for threshold in (0.5, 0.9):
        assert found["prevalence", f"{threshold:g}"] == (items["share"] >= threshold).mean()


def test_a_classifier_trained_on_a_share(program, items) -> None:
    done = program(
        *FILE, "--text", "text", "--label", "y", "--train-share", "0.2", "--method", "unigram", *FAST, "--json"
    )
    assert done.code == 0, done.err
    (finding,) = json.loads(done.out)["findings"]
    assert finding["provenance"]["trained_on"] == pytest.approx(600, abs=80)
    assert any("was trained on" in caveat for caveat in finding["caveats"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--score", "p", "--label", "all"], "every item is violating"),
        (["--score", "nan", "--label", "y"], "the score is NaN"),
        (
            ["--score", "p", "--label", "share", "--label-threshold", "1.0", "--where", "share < 0.9"],
            "threshold of 1: every",
        ),
        (["--score", "p", "--label", "y", "--where", "p > 0.9"], "rows are too few for a simulation"),
        (["--score", "p", "--label", "y", "--where", "p > 2"], "no row meets the condition --where: p > 2"),
        (
            ["--text", "text", "--label", "y", "--train-share", "0.0001"],
            "0.0001 leaves rows of only one class to train on",
        ),
        (
            ["--text", "text", "--label", "y", "--train-where", "split = 'high'"],
            "in the rows to simulate on: every item is benign",
        ),
        (["--text", "text", "--label", "all"], "every item is violating"),
        (["--text", "text", "--label", "y", "--train-share", "1.5"], "the share to train on must be between 0 and 1"),
        (["--text", "text", "--label", "y", "--method", "forest"], "there is no method 'forest'"),
        (["--text", "text", "--label", "y", "--train-share", "0.1", "--train-where", "y"], "not both"),
        (["--score", "p", "--text", "text", "--label", "y"], "give either a score"),
        (["--label", "y"], "give either a score"),
        (["--score", "p"], "name the column of labels"),
        (["--score", "q", "--label", "y"], "column 'q'"),
        (["--score", "p", "--label", "y", "--within", "0"], "within must be between 0 and 1"),
        (["--score", "p", "--label", "y", "--strata", "2,x"], "invalid --strata: '2,x' (must be whole numbers"),
        (["--score", "p", "--label", "y", "--strata", "1"], "strata must be a whole number from 2 up"),
        (["--score", "p", "--label", "y", "--simulations", "5"], "whole number from 100 up"),
        (["--score", "p", "--label", "y", "--setting", "frist=5"], "no setting 'frist'"),
        (["--score", "p", "--label", "y", "--json", "--csv"], "choose one"),
        (["--score", "p", "--label", "share", "--label-threshold", "0.5", "--label-threshold", "0.5"], "only once"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(program, items, options: list[str], said: str) -> None:
    done = program(*FILE, *options)
    assert done.code == 2
    assert done.err.startswith("evenhand: ")
    assert done.err.count("\n") == 1
    assert said in done.err
    assert done.out == ""
