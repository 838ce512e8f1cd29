"""evenhand audit --audits accuracy and evenhand sample compare: what is printed, and what is refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cli.program import fails, ran, refused

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


def test_the_command_writes_a_report(program) -> None:
    table().write_parquet("labelled.parquet")
    done = program("audit", "labelled.parquet", *ROLES, "--stratum", "s", "--by", "language", "--out", "found")
    assert done.code == 0, done.err
    assert "of violating items were removed" in done.out
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
        ({"pi": [0.0] * 1200}, [], ["column 'pi', row 1", "invalid: 0 (must be above 0 and at most 1)"]),
        ({"pi": [0.5] * 1199 + [1.5]}, [], ["column 'pi', row 1200", "invalid: 1.5 (must be above 0 and at most 1)"]),
        ({"pi": [None] * 1200}, [], ["column 'pi', row 1", "empty"]),
        ({"removed": [True] * 1200}, [], ["no labelled item is visible", "prevalence alone"]),
        ({"removed": [False] * 1200}, [], ["no labelled item was removed", "prevalence alone"]),
        ({"s": ["one", *["many"] * 1199], "pi": [0.5] * 1200}, ["--stratum", "s"], ["'one'", "single label"]),
        ({"s": ["all"] * 1200}, ["--stratum", "s"], ["'all'", "different inclusion probabilities"]),
        ({"s": [None] * 1200}, ["--stratum", "s"], ["column 's', row 1", "stratum is empty"]),
        ({"y": [None] * 1200}, [], ["column 'y'", "no item is labelled"]),
        ({"y": [2] * 1200}, [], ["column 'y', row 1", "--positive"]),
        ({}, ["--skip", "cannot tell"], ["no label is 'cannot tell'"]),
        ({}, ["--target", "2"], ["target must be between 0 and 1"]),
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
    fails(program, *command, "--decision", "removed", "--stratum", "s", says=["set --inclusion too"])
    fails(program, *command, "--inclusion", "pi", "--removes", "x", says=["set --decision too"])
    fails(program, *command, says=["the audit 'accuracy' also needs --decision or --inclusion"])


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
    assert program("sample", "compare", "this.json", "last.json", "--fail-on-alarm").code == 3
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
    assert done.out.rstrip().endswith("No alarm: no change exceeds sampling variation.")


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


def accuracy(**columns) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    removed = np.arange(300) < 60
    base = {
        "y": (rng.random(300) < np.where(removed, 0.9, 0.1)).astype(float),
        "removed": removed,
        "pi": np.where(removed, 0.5, 0.02),
        "s": np.where(removed, "removed", "visible"),
        "language": ["de", "fr", "it"] * 100,
    }
    return pl.DataFrame({**base, **columns}, strict=False)


def test_parts_of_which_nothing_is_visible(program) -> None:
    """Everything in Italian was removed: there is no visible share to plan for, and nothing breaks."""
    frame = accuracy().with_columns(language=pl.when("removed").then(pl.lit("it")).otherwise("language"))
    frame = frame.filter(pl.col("removed") | (pl.col("language") != "it"))
    frame.write_parquet("items.parquet")
    out = ran(program, "audit", "items.parquet", *ROLES, "--stratum", "s", "--by", "language", "--out", "report")
    assert "Recall could not be estimated" in out or "of removed items were not violating" in out
    found = json.loads(Path("report/findings.json").read_text())["findings"][0]
    of = {e["measure"] for e in found["estimates"] if e["slice"] == {"language": "it", "pool": "visible"}}
    assert "labels_needed" not in of


def test_a_stratum_may_be_a_slice_too(program) -> None:
    accuracy().write_parquet("items.parquet")
    out = ran(program, "audit", "items.parquet", *ROLES, "--by", "s", "--json")
    assert any(e["slice"] == {"s": "visible"} for e in json.loads(out)["findings"][0]["estimates"])


def test_nobody_could_tell_of_a_stratum(program) -> None:
    odd = pl.int_range(pl.len()) % 2 == 1
    said = pl.col("y").cast(pl.Int64).cast(pl.String)
    frame = accuracy().with_columns(
        y=pl.when(odd & ~pl.col("removed")).then(pl.lit("cannot tell")).otherwise(said),
        s=pl.when(odd & ~pl.col("removed")).then(pl.lit("odd")).otherwise("s"),
    )
    frame.write_parquet("items.parquet")
    done = program("audit", "items.parquet", *ROLES, "--skip", "cannot tell", "--stratum", "s")
    refused(done, "every answer for stratum 'odd' is 'cannot tell': no label represents it")


def test_all_that_is_visible_violates(program) -> None:
    frame = accuracy().with_columns(y=pl.when(~pl.col("removed")).then(1.0).otherwise("y"))
    frame.write_parquet("items.parquet")
    found = json.loads(ran(program, "audit", "items.parquet", *ROLES, "--stratum", "s", "--json"))["findings"][0]
    (needed,) = [e for e in found["estimates"] if e["measure"] == "labels_needed" and e["slice"] == {"pool": "visible"}]
    assert needed["value"] is None
    assert "every labelled item is violating" in needed["note"]


def test_too_few_parts_to_rank(program) -> None:
    accuracy(language=["de", "fr"] * 150).write_parquet("items.parquet")
    pl.DataFrame({"language": ["de", "es"], "prevalence": [0.1, 0.2]}).write_csv("other.csv")
    out = ran(program, "audit", "items.parquet", *ROLES, "--by", "language", "--rank-with", "other.csv")
    assert "The ranking by language cannot be compared with the other source" in out


def test_periods_that_cannot_be_compared(program) -> None:
    accuracy().write_parquet("items.parquet")
    for name, level in (("this", "0.95"), ("last", "0.9")):
        Path(f"{name}.json").write_text(ran(program, "audit", "items.parquet", *ROLES, "--level", level, "--json"))
    refused(program("sample", "compare", "this.json", "last.json"), "the levels of the intervals differ: 0.9 and 0.95")
    data = json.loads(Path("last.json").read_text())
    nothing = {"value": None, "low": None, "high": None, "method": "none", "note": "nothing was labelled"}
    estimates = [e | nothing for e in data["findings"][0]["estimates"] if e["measure"] == "prevalence"]
    data["findings"][0]["estimates"] = estimates
    Path("last.json").write_text(json.dumps(data))
    refused(program("sample", "compare", "this.json", "last.json"), "no estimate of moderation in common")
