"""evenhand audit --audits accuracy and evenhand sample compare: what is printed, and what is refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

ROLES = ["--audits", "accuracy", "--label", "y", "--decision", "removed", "--inclusion", "pi"]


def table(rate: float = 0.06, seed: int = 0, **columns) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    removed = np.arange(1200) < 200
    bad = rng.random(1200) < np.where(removed, 0.9, rate)
    base = {
        "y": bad,
        "removed": removed,
        "pi": np.where(removed, 0.5, 0.02),
        "s": np.where(removed, "removed", "visible"),
        "language": rng.choice(["de", "fr"], 1200),
    }
    return pl.DataFrame({**base, **columns}, strict=False)


def fails(program, *arguments: object, says: list[str]) -> None:
    before = sorted(Path.cwd().rglob("*"))
    done = program(*arguments)
    assert done.code == 2, (done.out, done.err)
    (line,) = done.err.strip().splitlines()
    for piece in says:
        assert piece in line, line
    assert done.out == ""
    assert sorted(Path.cwd().rglob("*")) == before, "something was written"


def test_the_command_writes_a_report(program) -> None:
    table().write_parquet("labelled.parquet")
    done = program("audit", "labelled.parquet", *ROLES, "--stratum", "s", "--by", "language", "--out", "found")
    assert done.code == 0, done.err
    assert "Of all violating items, about" in done.out
    page = Path("found/report.html").read_text()
    assert "are still visible" in page
    assert {path.name for path in Path("found/figures").glob("*.svg")} == {
        "accuracy_overview.svg",
        "accuracy_parts_language.svg",
        "accuracy_needed_language.svg",
    }


def test_slice_and_by_are_one(program) -> None:
    table().write_parquet("labelled.parquet")
    first, second = (
        program("audit", "labelled.parquet", *ROLES, way, "language", "--json") for way in ("--by", "--slice")
    )
    assert first.out == second.out


def test_decisions_may_be_words(program) -> None:
    words = pl.when(pl.col("removed")).then(pl.lit("Taken down")).otherwise(pl.lit("kept")).alias("removed")
    table().write_parquet("plain.parquet")
    table().with_columns(words).write_parquet("words.parquet")
    plain = json.loads(program("audit", "plain.parquet", *ROLES, "--json").out)
    said = json.loads(program("audit", "words.parquet", *ROLES, "--removes", "taken down", "--json").out)
    assert plain["findings"][0]["estimates"] == said["findings"][0]["estimates"]


@pytest.mark.parametrize(
    ("columns", "more", "says"),
    [
        ({"removed": ["maybe"] * 1200}, [], ["column 'removed', row 1", "yes or no", "--removes"]),
        ({"removed": [2] * 1200}, [], ["column 'removed', row 1", "yes or no"]),
        ({"removed": [None, *[True] * 1199]}, [], ["column 'removed', row 1", "empty"]),
        ({}, ["--removes", "gone"], ["column 'removed'", "no decision is 'gone'"]),
        ({"pi": [0.0] * 1200}, [], ["column 'pi', row 1", "0 is no inclusion probability"]),
        ({"pi": [0.5] * 1199 + [1.5]}, [], ["column 'pi', row 1200", "1.5 is no inclusion probability"]),
        ({"pi": [None] * 1200}, [], ["column 'pi', row 1", "empty"]),
        ({"removed": [True] * 1200}, [], ["no labelled item is visible", "prevalence alone"]),
        ({"removed": [False] * 1200}, [], ["no labelled item was removed", "prevalence alone"]),
        ({"s": ["one", *["many"] * 1199], "pi": [0.5] * 1200}, ["--stratum", "s"], ["'one'", "single label"]),
        ({"s": ["all"] * 1200}, ["--stratum", "s"], ["'all'", "different inclusion probabilities"]),
        ({"s": [None] * 1200}, ["--stratum", "s"], ["column 's', row 1", "stratum is empty"]),
        ({"y": [None] * 1200}, [], ["column 'y'", "no item is labelled"]),
        ({"y": [2] * 1200}, [], ["column 'y', row 1", "--positive"]),
        ({}, ["--skip", "cannot tell"], ["no label is 'cannot tell'"]),
        ({}, ["--target", "2"], ["target must lie between 0 and 1"]),
        ({}, ["--rank-with", "nowhere.csv", "--by", "language"], ["nowhere.csv"]),
    ],
)
def test_bad_input(program, columns, more, says) -> None:
    table(**columns).write_parquet("labelled.parquet")
    fails(program, "audit", "labelled.parquet", *ROLES, *more, says=says)


def test_roles_that_do_not_go_together(program) -> None:
    table(y=[None, *[True] * 1199]).write_parquet("labelled.parquet")
    command = ("audit", "labelled.parquet", "--audits", "accuracy", "--label", "y")
    fails(program, *command, "--decision", "removed", says=["column 'y', row 1", "every item must be labelled"])
    fails(program, *command, "--decision", "removed", "--stratum", "s", says=["declare inclusion"])
    fails(program, *command, "--inclusion", "pi", "--removes", "x", says=["declare decision"])
    fails(program, *command, says=["declare the label column", "accuracy"])


def test_a_source_to_rank_with_must_fit(program) -> None:
    table().write_parquet("labelled.parquet")
    command = ("audit", "labelled.parquet", *ROLES, "--by", "language", "--rank-with", "other.csv")
    pl.DataFrame({"town": ["x"], "prevalence": [1.0]}).write_csv("other.csv")
    fails(program, *command, says=["'language'"])
    pl.DataFrame({"language": ["de"], "one": [1.0], "two": [1.0]}).write_csv("other.csv")
    fails(program, *command, says=["prevalence"])


@pytest.fixture
def periods(program) -> None:
    for name, rate, seed in (("last", 0.05, 1), ("this", 0.13, 2), ("same", 0.05, 3)):
        table(rate, seed).write_parquet("labelled.parquet")
        Path(f"{name}.json").write_text(program("audit", "labelled.parquet", *ROLES, "--json").out)


@pytest.mark.usefixtures("periods")
def test_two_periods_with_an_alarm(program) -> None:
    done = program("sample", "compare", "this.json", "last.json")
    assert done.code == 0
    assert "Prevalence of what is visible rose from" in done.out
    assert "ALARM, for the worse" in done.out
    assert program("sample", "compare", "this.json", "last.json", "--fail-on-alarm").code == 1
    strict = json.loads(program("sample", "compare", "this.json", "last.json", "--rule", "overlap", "--json").out)
    found = json.loads(program("sample", "compare", "this.json", "last.json", "--json").out)
    assert found["alarm"]
    for one, other in zip(found["changes"], strict["changes"], strict=True):
        assert one["change"] == pytest.approx(one["this"] - one["last"])
        assert one["low"] <= one["change"] <= one["high"]
        assert other["threshold"] >= one["threshold"]
        assert one["alarm"] == (not one["low"] <= 0.0 <= one["high"])


@pytest.mark.usefixtures("periods")
def test_two_periods_without(program) -> None:
    done = program("sample", "compare", "same.json", "last.json", "--fail-on-alarm")
    assert done.code == 0
    assert done.out.rstrip().endswith("No alarm: no change is beyond what such samples vary by themselves.")


@pytest.mark.usefixtures("periods")
def test_overlap_is_what_it_says(program) -> None:
    """By the published rule the intervals themselves must not touch."""
    ends = {}
    for name in ("this", "last"):
        records = json.loads(Path(f"{name}.json").read_text())["findings"][0]["estimates"]
        ends[name] = {(r["measure"], str(r["slice"])): (r["low"], r["high"]) for r in records}
    found = json.loads(program("sample", "compare", "this.json", "last.json", "--rule", "overlap", "--json").out)
    for one in found["changes"]:
        (low, high), (old_low, old_high) = (ends[name][one["measure"], str(one["slice"])] for name in ("this", "last"))
        assert one["alarm"] == (low > old_high or high < old_low), one


@pytest.mark.usefixtures("periods")
def test_what_cannot_be_compared(program) -> None:
    fails(program, "sample", "compare", "this.json", "nowhere.json", says=["nowhere.json"])
    fails(program, "sample", "compare", "this.json", "last.json", "--rule", "guess", says=["no rule 'guess'"])
    Path("empty.json").write_text('{"evenhand": "0", "findings": []}')
    fails(program, "sample", "compare", "this.json", "empty.json", says=["empty.json"])
