"""What a plan must not accept without a word, and what an estimate must not say."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.special import expit


@pytest.fixture
def items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pl.DataFrame:
    """Four thousand items, the score of which is far too high: 15 % expected, 2 % true."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    violating = rng.random(4000) < 0.02
    height = 2.0 * (2.0 * violating + rng.normal(size=4000) - 1.0) + np.log(0.02) + 3.0
    table = pl.DataFrame(
        {
            "id": np.arange(4000),
            "text": [f"text {i}" for i in range(4000)],
            "p": expit(height),
            "action": np.where(height > 2.0, "taken down", "kept"),
            "violating": violating,
        }
    )
    table.write_parquet("items.parquet")
    return table


def plan(program, *options: str, source: str = "items.parquet"):
    return program("sample", "plan", source, "--score", "p", *options, "-o", "plan.json")


def answer(name: str, items: pl.DataFrame) -> pl.DataFrame:
    """Fill in a sheet with the truth."""
    truth = dict(zip(items["id"].cast(pl.String), items["violating"], strict=True))
    sheet = pl.read_csv(name, infer_schema=False)
    words = ["yes" if truth[id_.strip("'")] else "no" for id_ in sheet["id"]]
    sheet = sheet.with_columns(label=pl.Series(words))
    sheet.write_csv(name)
    return sheet


def test_items_without_text_and_score_are_left_out(program, items: pl.DataFrame) -> None:
    """As `evenhand score` writes them: there is nothing to label. With a text, a score is still needed."""
    blank = pl.col("id") % 10 == 3
    no_score = pl.when(blank).then(None).otherwise(pl.col("p")).alias("p")
    items.with_columns(no_score, pl.when(blank).then(pl.lit("")).otherwise("text").alias("text")).write_csv("blank.csv")
    done = plan(program, "--n", "100", source="blank.csv")
    assert done.code == 0, done.err
    assert "100 of 3,600 items to label" in done.out
    assert "400 of 4,000 rows have no score and are left out" in done.err
    assert program("sample", "draw", "plan.json", "-o", "sheet.csv").code == 0
    assert not pl.read_csv("sheet.csv", infer_schema=False)["text"].str.strip_chars("'").eq("").any()
    items.with_columns(no_score).write_csv("unscored.csv")
    done = program("sample", "plan", "unscored.csv", "--score", "p", "--n", "100", "-o", "other.json")
    assert done.code == 2
    assert "the score is empty" in done.err


def test_an_estimate_refuses_other_items(program, items: pl.DataFrame) -> None:
    plan(program, "--n", "100")
    program("sample", "draw", "plan.json", "-o", "sheet.csv")
    answer("sheet.csv", items)
    assert program("sample", "estimate", "plan.json", "sheet.csv").code == 0
    items.with_columns(pl.col("p") * 0.5).write_parquet("items.parquet")
    done = program("sample", "estimate", "plan.json", "sheet.csv")
    assert done.code == 2
    assert "the items have changed since the plan was made" in done.err
    Path("items.parquet").unlink()
    assert program("sample", "estimate", "plan.json", "sheet.csv").code == 0


def test_words_that_remove_an_item_must_be_there_and_look_right(program, items: pl.DataFrame) -> None:
    done = plan(program, "--decision", "action", "--removes", "deleted", "--n", "200")
    assert done.code == 2
    assert "no decision is 'deleted', which --removes names (there are: kept, taken down)" in done.err
    warning = "removed items violate less often than visible ones"
    assert warning in plan(program, "--decision", "action", "--removes", "kept", "--n", "200").out
    assert warning not in plan(program, "--decision", "action", "--removes", "taken down", "--n", "200").out


def test_a_sheet_of_ids_alone_is_announced(program, items: pl.DataFrame) -> None:
    warning = "annotators will see ids only"
    assert warning not in plan(program, "--n", "100").out
    items.drop("text").write_parquet("items.parquet")
    assert warning in plan(program, "--n", "100", "--force").out


@pytest.mark.parametrize("option", ["--within", "--cv", "--width", "--below"])
def test_a_target_in_per_cent_is_refused(program, items: pl.DataFrame, option: str) -> None:
    for done in (plan(program, option, "20"), program("sample", "size", "--prevalence", "0.05", option, "20")):
        assert done.code == 2
        assert f"invalid {option}: 20 (must be above 0 and below 1;" in done.err


def test_labels_that_are_missing_are_not_said_to_be_in(program, items: pl.DataFrame) -> None:
    plan(program, "--n", "60")
    program("sample", "draw", "plan.json", "-o", "sheet.csv")
    sheet = answer("sheet.csv", items)
    sheet.head(len(sheet) - 3).write_csv("sheet.csv")
    done = program("sample", "estimate", "plan.json", "sheet.csv", "--unfinished")
    assert done.code == 0, done.err
    assert "All planned labels are in." not in done.out
    assert "All planned items have been drawn; 3 of them have no label." in done.out


def test_a_target_is_looked_at_after_each_batch_and_the_plan_extended(program, items: pl.DataFrame) -> None:
    """The score promises far too much: that shows after the first batch, and a longer plan keeps what was drawn."""
    assert plan(program, "--within", "0.5").code == 0
    program("sample", "draw", "plan.json", "-o", "b1.csv")
    answer("b1.csv", items)
    out = program("sample", "estimate", "plan.json", "b1.csv", "--per-hour", "100").out
    assert "Target for prevalence: ±50 %; now ±" in out
    assert "more labels are expected (" in out
    assert "at 100 per hour." in out
    drawn = json.loads(Path("plan.json").read_text())["batches"]
    planned = sum(pool["labels"] for pool in json.loads(Path("plan.json").read_text())["pools"])
    done = program("sample", "extend", "plan.json", "--n", str(planned + 150), "-o", "longer.json")
    assert done.code == 0, done.err
    longer = json.loads(Path("longer.json").read_text())
    assert longer["extends"] == json.loads(Path("plan.json").read_text())["seal"]
    assert [batch["parts"] for batch in longer["batches"]] == [batch["parts"] for batch in drawn]
    sheets = ["b1.csv"]
    for number in (2, 3, 4):
        done = program("sample", "estimate", "longer.json", *sheets, "--next", f"b{number}.csv")
        assert done.code == 0, done.err
        if not Path(f"b{number}.csv").exists():
            break
        answer(f"b{number}.csv", items)
        sheets.append(f"b{number}.csv")
    target = json.loads(program("sample", "estimate", "longer.json", *sheets, "--json").out)["findings"][0]
    state = target["provenance"]["target"]
    assert state["labels"] == sum(len(pl.read_csv(name)) for name in sheets)
    assert state["reached"] == (state["now"] <= 0.5)
    again = program("sample", "extend", "longer.json", "--n", "10", "-o", "third.json")
    assert again.code == 2
    assert "must be more than the" in again.err
    assert program("sample", "extend", "longer.json", "--n", "900", "-o", "longer.json").code == 2
