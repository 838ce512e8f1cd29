"""The panel, second labels and annotators: sheets drawn by the plan, the adjudicated verdict beside the reviewers'."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cli.loop import RANDOM, answered, drawn, found, made_up, planned, ran, truth

POOLS = ("--score", "p", "--decision", "removed", "--design", "random", "--n", "300", "--seed", "4")


@pytest.fixture
def items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pl.DataFrame:
    monkeypatch.chdir(tmp_path)
    table = made_up()
    table.drop("truth").write_parquet("items.parquet")
    return table


def labelled_by_two(program, items: pl.DataFrame) -> None:
    """A batch with the answers of two people: one misses a third of violations, half of the sheets are split or not."""
    drawn(program, items, *POOLS)
    sheet = pl.read_csv("batch.csv", infer_schema=False)
    rng = np.random.default_rng(2)
    careless = [
        "no" if answer == "yes" and rng.random() < 0.4 else "cannot tell" if rng.random() < 0.02 else answer
        for answer in sheet["label"]
    ]
    both = [sheet.with_columns(who=pl.lit("ana")), sheet.with_columns(label=pl.Series(careless), who=pl.lit("ben"))]
    pl.concat(both).write_csv("labels.csv")


def test_the_panel_gets_all_split_votes_and_a_random_part_of_the_rest(program, items: pl.DataFrame) -> None:
    labelled_by_two(program, items)
    out = ran(program, "panel", "plan.json", "labels.csv", "--annotator", "who", "--n", "120", "-o", "panel.csv")
    assert "panel.csv: 120 items for the panel in random order, without the reviewers' labels." in out
    sheet = pl.read_csv("panel.csv", infer_schema=False)
    assert sheet.columns == ["id", "text", "context", "link", "label"]
    assert sheet["label"].is_null().all()
    votes = pl.read_csv("labels.csv", infer_schema=False).group_by("id").agg(pl.col("label").n_unique())
    split = {id_.removeprefix("'") for id_ in votes.filter(pl.col("label") == 2)["id"]}
    ids = {id_.removeprefix("'") for id_ in sheet["id"]}
    unclear = pl.read_csv("labels.csv", infer_schema=False).filter(pl.col("label") == "cannot tell")["id"]
    assert split - {id_.removeprefix("'") for id_ in unclear} <= ids
    first = Path("panel.csv").read_bytes()
    again = ("panel", "plan.json", "labels.csv", "--annotator", "who", "--n", "120", "-o", "panel.csv", "--force")
    ran(program, *again)
    assert Path("panel.csv").read_bytes() == first
    ran(program, "panel", "plan.json", "labels.csv", "--annotator", "who", "--n", "160", "-o", "larger.csv")
    assert ids < {id_.removeprefix("'") for id_ in pl.read_csv("larger.csv", infer_schema=False)["id"]}
    done = program("sample", "panel", "plan.json", "labels.csv", "--annotator", "who", "--n", "9", "-o", "few.csv")
    assert done.code == 2
    assert "split votes" in done.err
    assert "to all 300 labelled items" in done.err


def test_the_adjudicated_verdict_stands_beside_the_reviewers(program, items: pl.DataFrame) -> None:
    """With everything before the panel the adjudicated numbers are those of labels without errors."""
    labelled_by_two(program, items)
    ran(program, "panel", "plan.json", "labels.csv", "--annotator", "who", "--n", "300", "-o", "panel.csv")
    answered(Path("panel.csv"), items)
    told = ("estimate", "plan.json", "labels.csv", "--annotator", "who", "--panel", "panel.csv")
    ours = found(ran(program, *told, "--json"))
    right = found(ran(program, "estimate", "plan.json", "batch.csv", "--json"))
    for measure in ("prevalence", "recall", "precision", "missed"):
        by_panel, direct = ours[measure, (("target", "adjudicated"),)], right[measure, ()]
        assert by_panel["value"] == pytest.approx(direct["value"], rel=1e-9)
        assert ours[measure, ()]["value"] != pytest.approx(direct["value"], rel=1e-3) or measure == "precision"
        assert by_panel["low"] <= direct["value"] <= by_panel["high"]
    text = ran(program, *told, "-o", "report")
    assert "By the adjudicated verdict: About" in text
    assert "Verdicts: the reviewers', and beside it the adjudicated one" in text
    page = Path("report/report.html").read_text(encoding="utf-8")
    assert "All items, by the reviewers' verdict" in page.replace("&#39;", "'")
    assert "the same, by the adjudicated verdict" in page
    assert "Verdict: the reviewers', taken as correct." in ran(program, "estimate", "plan.json", "batch.csv")


def test_verdicts_count_up_to_the_first_that_is_missing(program, items: pl.DataFrame) -> None:
    """Whoever leaves out items must not choose which ones count."""
    labelled_by_two(program, items)
    ran(program, "panel", "plan.json", "labels.csv", "--annotator", "who", "--n", "200", "-o", "panel.csv")
    answered(Path("panel.csv"), items)
    sheet = pl.read_csv("panel.csv", infer_schema=False)
    sheet.filter(pl.int_range(pl.len()) % 40 != 7).write_csv("some.csv")
    said = ran(program, "estimate", "plan.json", "labels.csv", "--annotator", "who", "--panel", "some.csv")
    assert "Verdicts of the panel behind an item that has none: " in said
    stranger = sheet.head(1).with_columns(id=pl.lit("nobody"))
    pl.concat([sheet, stranger]).write_csv("strange.csv")
    done = program("sample", "estimate", "plan.json", "labels.csv", "--annotator", "who", "--panel", "strange.csv")
    assert done.code == 2
    assert "not drawn by this plan (nobody)" in done.err


def test_annotators_their_agreement_and_errors(program, items: pl.DataFrame) -> None:
    labelled_by_two(program, items)
    told = ("annotators", "plan.json", "labels.csv", "--annotator", "who")
    agreement = json.loads(ran(program, *told, "--json"))["agreement"]
    pairs = pl.read_csv("labels.csv", infer_schema=False).filter(pl.col("label") != "cannot tell")
    both = pairs.group_by("id").agg(pl.len(), pl.col("label").n_unique().alias("kinds")).filter(pl.col("len") == 2)
    assert (agreement["items"], agreement["alike"]) == (len(both), int((both["kinds"] == 1).sum()))
    assert agreement["gwet_ac1"]["low"] < agreement["gwet_ac1"]["value"] < agreement["gwet_ac1"]["high"]
    ran(program, "panel", "plan.json", "labels.csv", "--annotator", "who", "--n", "300", "-o", "panel.csv")
    answered(Path("panel.csv"), items)
    errors = json.loads(ran(program, *told, "--panel", "panel.csv", "--json"))["annotators"]
    known, table = truth(items), pl.read_csv("labels.csv", infer_schema=False)
    for one in errors:
        own = table.filter((pl.col("who") == one["annotator"]) & (pl.col("label") != "cannot tell"))
        of_violating = [label for id_, label in own.select("id", "label").iter_rows() if known[id_.removeprefix("'")]]
        assert one["missed"]["value"] == pytest.approx(of_violating.count("no") / len(of_violating))
        assert one["missed"]["low"] <= one["missed"]["value"] <= one["missed"]["high"]
    text = ran(program, *told, "--panel", "panel.csv")
    assert "ben: missed 3" in text or "ben: missed 4" in text
    assert "no report has numbers about single people" in text


def test_second_labels_of_a_random_part(program, items: pl.DataFrame) -> None:
    drawn(program, items, *RANDOM)
    assert "20 items to label a second time" in ran(program, "second", "plan.json", "--n", "20", "-o", "second.csv")
    ids = answered(Path("second.csv"), items, lambda id_, answer: "yes" if id_.endswith("3") else answer)
    assert set(ids) <= set(pl.read_csv("batch.csv", infer_schema=False)["id"])
    out = ran(program, "annotators", "plan.json", "batch.csv", "--second", "second.csv")
    assert "of 20 items that two or more people labelled have one answer only (" in out
    assert program("sample", "second", "plan.json", "--n", "99999", "-o", "more.csv").code == 2


def test_what_a_panel_cannot_judge(program, items: pl.DataFrame) -> None:
    planned(program, "--design", "clusters", "--cluster", "thread", "--n", "60")
    ran(program, "draw", "plan.json", "-o", "batch.csv")
    answered(Path("batch.csv"), items)
    done = program("sample", "panel", "plan.json", "batch.csv", "-o", "panel.csv")
    assert done.code == 2
    assert "a plan of the clusters design has no panel" in done.err
    done = program("sample", "annotators", "plan.json", "batch.csv", "--panel", "batch.csv", "--gold", "batch.csv")
    assert done.code == 2
    assert "give either --panel or --gold" in done.err
