"""Promises of a plan: as many labels as can keep them, said plainly, and what to do where they were not kept."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

from cli.loop import answered, found, made_up


@pytest.fixture
def items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pl.DataFrame:
    monkeypatch.chdir(tmp_path)
    table = made_up()
    table.write_parquet("items.parquet")
    return table


def planned(program, *options: str) -> dict:
    done = program("sample", "plan", "items.parquet", "--score", "p", *options, "-o", "plan.json", "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


@pytest.mark.parametrize("answer", ["no", "yes"])
def test_a_safe_level_is_shown_by_clean_labels(program, items: pl.DataFrame, answer: str) -> None:
    made = planned(program, "--below", "0.2", "--prevalence", "0.02")
    size = json.loads(program("sample", "size", "--prevalence", "0.02", "--below", "0.2", "--json").out)
    assert made["n"] >= size["n"]
    program("sample", "draw", "plan.json", "-o", "batch.csv")
    answered(Path("batch.csv"), items, lambda _, __: answer)
    done = program("sample", "estimate", "plan.json", "batch.csv")
    assert ("(--below 0.2) has been reached." in done.out) == (answer == "no")
    assert (f"--n {2 * made['n']} --seed 1" in done.out) == (answer == "yes")
    assert (
        found(program("sample", "estimate", "plan.json", "batch.csv", "--json").out)["count", ()]["value"] == made["n"]
    )


def test_an_easy_promise_gets_the_fewest_labels(program, items: pl.DataFrame) -> None:
    done = program(
        *("sample", "plan", "items.parquet", "--score", "p", "--decision", "removed", "--width", "0.9"),
        *("-o", "plan.json"),
    )
    assert done.code == 0, done.err
    assert "100 of 4,000 items" in done.out
    assert "the minimum for this design is 100" in done.out


@pytest.mark.parametrize("n", [320, 330, 400])
def test_a_pilot_draws_what_was_planned(program, items: pl.DataFrame, n: int) -> None:
    made = planned(program, "--design", "stratified", "--pilot", "20", "--decision", "removed", "--n", str(n))
    assert sum(sum(pool["batches"]) for pool in made["pools"].values()) == n
    assert sum(pool["labels"] for pool in made["pools"].values()) == n
    program("sample", "draw", "plan.json", "-o", "first.csv")
    drawn = len(answered(Path("first.csv"), items))
    program("sample", "estimate", "plan.json", "first.csv", "--next", "second.csv")
    second = len(answered(Path("second.csv"), items)) if Path("second.csv").exists() else 0
    assert drawn + second == n


def test_a_report_says_what_was_measured_and_that_it_is_not_finished(program, items: pl.DataFrame) -> None:
    named = ("--ground-truth", "our <rules>", "--codebook", "v2", "--population", "visible", "--period", "May")
    planned(program, "--n", "300", *named)
    program("sample", "draw", "plan.json", "-o", "first.csv")
    answered(Path("first.csv"), items)
    done = program("sample", "estimate", "plan.json", "first.csv", "--next", "second.csv", "-o", "part")
    begun = "Interim result: 100 of 300 planned labels are in"
    assert begun in done.out
    page = Path("part/report.html").read_text(encoding="utf-8")
    what = "Ground truth: our &lt;rules&gt; (codebook: v2). Population: visible content, May."
    assert page.index(begun) < page.index(what) < page.index("Main results")
    answered(Path("second.csv"), items)
    done = program("sample", "estimate", "plan.json", "first.csv", "second.csv", "-o", "whole")
    page = Path("whole/report.html").read_text(encoding="utf-8")
    assert "Not finished" not in done.out + page
    assert page.index(what) < page.index("Main results")


def test_a_score_that_is_the_same_for_all(program, items: pl.DataFrame) -> None:
    items.with_columns(p=pl.lit(0.0)).write_parquet("items.parquet")
    done = program("sample", "plan", "items.parquet", "--score", "p", "-o", "plan.json")
    assert done.code == 2
    assert "column 'p': the score is the same for all items" in done.err
    assert "give --n, or the expected --prevalence" in done.err
    done = program("sample", "plan", "items.parquet", "--score", "p", "--n", "90", "-o", "plan.json")
    assert done.code == 0, done.err
    assert "the same for all items" in done.out
    assert "Expected prevalence" not in done.out
    assert "about 9 minutes" in done.out
    assert "sample draw plan.json -o batch1.csv" in done.out
    assert planned(program, "--prevalence", "0.1", "--force")["n"] > 500


def test_a_promise_that_takes_everything_is_refused_once(program, items: pl.DataFrame) -> None:
    done = program("sample", "plan", "items.parquet", "--score", "p", "--within", "0.000001", "-o", "plan.json")
    assert done.code == 2
    assert "more than 400,000 labels" in done.err
    assert "--n 4000" not in done.err


def test_a_forgotten_sheet(program, items: pl.DataFrame) -> None:
    planned(program, "--n", "700")
    program("sample", "draw", "plan.json", "-o", "1.csv")
    for number in (1, 2):
        answered(Path(f"{number}.csv"), items)
        sheets = [f"{one}.csv" for one in range(1, number + 1)]
        program("sample", "estimate", "plan.json", *sheets, "--next", f"{number + 1}.csv")
    answered(Path("3.csv"), items)
    done = program("sample", "estimate", "plan.json", "1.csv", "3.csv")
    assert (
        "1.csv, 3.csv: column 'label': none of the 200 items of batch 2 has a label: give the sheets of all batches"
        in done.err
    )


def test_an_empty_sheet_is_named_with_its_column(program, items: pl.DataFrame) -> None:
    planned(program, "--n", "100")
    program("sample", "draw", "plan.json", "-o", "1.csv")
    done = program("sample", "estimate", "plan.json", "1.csv")
    assert done.code == 2
    assert "1.csv: column 'label': none of the 100 items of batch 1 has a label" in done.err


def test_unfinished_labels_of_the_default_design(program, items: pl.DataFrame) -> None:
    planned(program, "--n", "150", "--decision", "removed")
    program("sample", "draw", "plan.json", "-o", "1.csv")
    answered(Path("1.csv"), items)
    table = pl.read_csv("1.csv", infer_schema=False)
    table.filter(pl.int_range(len(table)) % 4 != 1).write_csv("some.csv")
    done = program("sample", "estimate", "plan.json", "some.csv", "--unfinished")
    assert done.code == 0, done.err
    assert "Drawn items without a label" in done.out
    assert "merged with a neighbour" in done.out


def test_periods_that_measured_other_things(program, items: pl.DataFrame) -> None:
    for name, *options in (
        ("last", "--ground-truth", "law", "--codebook", "a", "--period", "May", "--by", "language"),
        ("this", "--ground-truth", "law", "--codebook", "b", "--period", "June"),
    ):
        Path("plan.json").unlink(missing_ok=True)
        planned(program, "--n", "300", *options)
        program("sample", "draw", "plan.json", "-o", f"{name}.csv")
        answered(Path(f"{name}.csv"), items)
        Path(f"{name}.json").write_text(program("sample", "estimate", "plan.json", f"{name}.csv", "--json").out)
    done = program("sample", "compare", "this.json", "last.json")
    assert done.code == 0, done.err
    assert "This period: June. Last period: May." in done.out
    assert "(codebook 'a' then, 'b' now)" in done.out
    assert "Caution: this period is not complete: only 100 labels are in." in done.out
    assert "Not compared: results by language (`evenhand sample chart` compares them)." in done.out
    same = json.loads(program("sample", "compare", "this.json", "this.json", "--json").out)
    assert not any("did not measure" in caveat for caveat in same["caveats"])


def test_few_violations_are_marked_and_said_once(program, items: pl.DataFrame) -> None:
    planned(program, "--n", "100", "--by", "language")
    program("sample", "draw", "plan.json", "-o", "1.csv")
    answered(Path("1.csv"), items, lambda _, __: "no")
    out = program("sample", "estimate", "plan.json", "1.csv").out
    assert out.count("Few violating items were labelled") == 1
    assert "Few violating items were labelled: 0 of 100 labels, 0 of " in out
    assert "non-violating" not in out
    assert out.count("°") > 3


def test_few_others_are_not_called_few_violations(program, items: pl.DataFrame) -> None:
    """Of the removed nearly all violate, of the visible hardly any: each pool is short of the other kind."""
    planned(program, "--n", "200", "--decision", "removed")
    program("sample", "draw", "plan.json", "-o", "1.csv")
    removed = dict(items.select(pl.col("id").cast(pl.String), "removed").iter_rows())
    answered(Path("1.csv"), items, lambda id_, _: "yes" if removed[id_] else "no")
    done = program("sample", "estimate", "plan.json", "1.csv", "--evidence", "labelled.parquet", "-o", "out")
    said = next(line for line in done.out.splitlines() if line.startswith("°"))
    violations, others = said.split("Few violating items were labelled: ")[1].split(
        "Few non-violating items were labelled: "
    )
    assert re.fullmatch(r"0 of \d+ labels \(visible\)\. ", violations)
    assert re.fullmatch(r"0 of \d+ labels \(removed\)\.", others)
    assert others in " ".join(Path("out/report.html").read_text().split())


SPOILT = {"removed leading zeros": lambda id_: id_.lstrip("0"), "rounded them": lambda _: "1.00000E+18"}


@pytest.mark.parametrize("lost", SPOILT)
def test_ids_that_a_spreadsheet_spoilt(program, items: pl.DataFrame, lost: str) -> None:
    planned(program, "--n", "100")
    program("sample", "draw", "plan.json", "-o", "1.csv")
    answered(Path("1.csv"), items)
    table = pl.read_csv("1.csv", infer_schema=False)
    ids = [SPOILT[lost](id_.removeprefix("'")) for id_ in table["id"]]
    table.with_columns(id=pl.Series(ids)).write_csv("1.csv")
    done = program("sample", "estimate", "plan.json", "1.csv")
    assert done.code == 2
    assert f"a spreadsheet seems to have {lost}" in done.err
