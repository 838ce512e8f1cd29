"""evenhand sample plan and draw: ids, clusters, and items that change between the two."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from cli.loop import CLUSTERS, RANDOM, drawn, found, made_up, planned, ran
from cli.program import refused


@pytest.fixture
def items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pl.DataFrame:
    monkeypatch.chdir(tmp_path)
    table = made_up().head(1000)
    table.write_parquet("items.parquet")
    return table


def test_without_ids_the_number_of_the_row_is_one(program, items: pl.DataFrame) -> None:
    numbered = items.rename({"id": "name"})
    numbered.write_parquet("items.parquet")
    assert "row numbers are used as ids" in planned(program, *RANDOM)
    ran(program, "draw", "plan.json", "-o", "batch.csv")
    sheet = pl.read_csv("batch.csv")
    rows = numbered[sheet["id"].cast(pl.Int64) - 1]
    assert rows["text"].to_list() == [text.removeprefix("'") for text in sheet["text"]]
    sheet.with_columns(label=rows["truth"].cast(pl.Int64)).write_csv("batch.csv")
    share = found(ran(program, "estimate", "plan.json", "batch.csv", "--json"))["prevalence", ()]["value"]
    assert share == pytest.approx(rows["truth"].mean())


@pytest.mark.parametrize(
    ("change", "options", "says"),
    [
        ({"id": pl.col("p")}, RANDOM, "column 'id': ids must be whole numbers or text, not Float64"),
        ({"id": pl.concat_list("id", "text")}, RANDOM, "column 'id': ids must be whole numbers or text, not List"),
        (
            {"thread": pl.when(pl.int_range(pl.len()) != 6).then("thread")},
            (*CLUSTERS, "--n", "60"),
            "column 'thread', row 7: the cluster is empty",
        ),
        ({"thread": pl.lit("one")}, (*CLUSTERS, "--n", "60"), "there is only one cluster"),
        ({}, (*CLUSTERS, "--n", "1001"), "1,001 labels requested, but there are only 1,000 items"),
    ],
)
def test_items_that_cannot_be_planned_with(program, items: pl.DataFrame, change: dict, options, says: str) -> None:
    items.with_columns(**change).write_parquet("items.parquet")
    refused(program("sample", "plan", "items.parquet", *options, "-o", "plan.json"), "items.parquet", says)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_no_items(program, items: pl.DataFrame, ending: str) -> None:
    getattr(items.clear(), f"write_{ending}")(f"none.{ending}")
    refused(program("sample", "plan", f"none.{ending}", *RANDOM, "-o", "plan.json"), "there are no rows")


def test_items_that_are_said_to_be_where_they_are_not(program, items: pl.DataFrame) -> None:
    planned(program, *RANDOM)
    done = program("sample", "draw", "plan.json", "--items", "none.parquet", "-o", "batch.csv")
    refused(done, "none.parquet: there is no such file")


def test_a_sheet_that_nobody_filled_in_is_written_again(program, items: pl.DataFrame) -> None:
    planned(program, *CLUSTERS, "--n", "60")
    ran(program, "draw", "plan.json", "-o", "batch.csv")
    first = Path("batch.csv").read_bytes()
    assert "the same as before" in ran(program, "draw", "plan.json", "-o", "batch.csv", "--force")
    assert Path("batch.csv").read_bytes() == first


@pytest.mark.parametrize("changed", ["a thread more", "a group more", "fewer of a pool"])
def test_items_that_changed_in_ways_that_show_early(program, items: pl.DataFrame, changed: str) -> None:
    if changed == "a thread more":
        planned(program, *CLUSTERS, "--n", "60")
        items.with_columns(thread=pl.int_range(pl.len())).write_parquet("items.parquet")
    elif changed == "a group more":
        planned(program, *RANDOM, "--by", "language")
        items.with_columns(language=pl.lit("xx")).write_parquet("items.parquet")
    else:
        planned(program, "--n", "all")
        items.head(990).write_parquet("items.parquet")
    says = "the group 'xx' is not in the plan" if changed == "a group more" else "the items have changed"
    refused(program("sample", "draw", "plan.json", "-o", "batch.csv"), "items.parquet", says)


def test_clusters_are_found_in_any_piece(program, items: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    from evenhand.measurement import items as reading

    whole = drawn(program, items, *CLUSTERS, "--n", "20")
    monkeypatch.setattr(reading, "ROWS", 10)
    for file in ("plan.json", "batch.csv"):
        Path(file).unlink()
    assert drawn(program, items, *CLUSTERS, "--n", "20").equals(whole)
