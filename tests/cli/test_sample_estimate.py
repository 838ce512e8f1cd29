"""evenhand sample estimate: whole clusters, groups of which little is known, and sheets that come back odd."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from cli.loop import CLUSTERS, RANDOM, answered, drawn, found, made_up, planned, ran, written
from cli.program import refused


@pytest.fixture
def items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pl.DataFrame:
    monkeypatch.chdir(tmp_path)
    table = made_up().head(1000)
    table.write_parquet("items.parquet")
    return table


def test_labels_of_clusters_count_where_the_cluster_is_whole(program, items: pl.DataFrame) -> None:
    sheet = drawn(program, items, *CLUSTERS, "--n", "120", "--by", "language")
    thread = dict(items.select("id", "thread").iter_rows())
    of = pl.Series([thread[id_.strip("'")] for id_ in sheet["id"]])
    last = sheet.with_columns(label=pl.when(pl.int_range(pl.len()) < pl.len() - 1).then("label"))
    kept = sheet.filter(of != of[-1])
    done = ran(program, "estimate", "plan.json", written(last), "--unfinished", "--json")
    share = found(done)["prevalence", ()]["value"]
    assert share == pytest.approx((kept["label"] == "yes").mean())
    in_french = found(done)["prevalence", (("language", "fr"),)]
    assert in_french["value"] is None
    assert in_french["note"] == "a cluster plan cannot be estimated by group"


def test_no_cluster_is_whole(program, items: pl.DataFrame) -> None:
    items = items.with_columns(thread=pl.int_range(pl.len()) // 250)
    items.write_parquet("items.parquet")
    sheet = drawn(program, items, *CLUSTERS, "--n", "500")
    some = sheet.with_columns(label=pl.when(pl.int_range(pl.len()) % 250 > 0).then("label"))
    refused(program("sample", "estimate", "plan.json", written(some), "--unfinished"), "too few labels")


@pytest.mark.parametrize("known", [(), (True,), (False,)], ids=["none", "removed", "visible"])
def test_a_group_of_which_little_is_known(program, items: pl.DataFrame, known: tuple[bool, ...]) -> None:
    """Of items in Esperanto annotators can tell nothing, or only of those that were removed, or that are visible."""
    items = items.with_columns(
        language=pl.when(pl.int_range(pl.len()) % 5 == 0).then(pl.lit("eo")).otherwise("language")
    )
    items.write_parquet("items.parquet")
    planned(program, *RANDOM, "--by", "language", "--decision", "removed", "--n", "200")
    ran(program, "draw", "plan.json", "-o", "batch.csv")
    gone = items.filter((pl.col("language") == "eo") & ~pl.col("removed").is_in(known))["id"].to_list()
    answered(Path("batch.csv"), items, lambda id_, answer: "cannot tell" if id_ in gone else answer)
    if known == (True,):
        assert "eo:" in ran(program, "estimate", "plan.json", "batch.csv", "-o", "report")
    done = ran(program, "estimate", "plan.json", "batch.csv", "--json")
    in_all = {measure: e for (measure, part), e in found(done).items() if part == (("language", "eo"),)}
    unknown = {measure for measure, e in in_all.items() if e["value"] is None}
    assert {"prevalence", "recall"} <= unknown
    assert ("precision" in unknown) == (True not in known)
    assert ("missed" in unknown) == (False not in known)
    assert all(in_all[measure]["note"] for measure in unknown)


def test_what_nobody_could_tell_is_shown_both_ways(program, items: pl.DataFrame) -> None:
    sheet = drawn(program, items, *RANDOM)
    unsure = sheet.with_columns(
        label=pl.when(pl.int_range(pl.len()) < 5).then(pl.lit("cannot tell")).otherwise("label")
    )
    out = ran(program, "estimate", "plan.json", written(unsure))
    assert out.index("if cannot tell means yes:") < out.index("if cannot tell means no:")


def test_an_answer_without_an_id_or_a_name(program, items: pl.DataFrame) -> None:
    sheet = drawn(program, items, *RANDOM)
    nameless = sheet.with_columns(id=pl.when(pl.int_range(pl.len()) != 3).then("id"))
    refused(
        program("sample", "estimate", "plan.json", written(nameless)),
        "column 'id', row 4: empty, although the row has an answer",
    )
    unsigned = sheet.with_columns(who=pl.when(pl.int_range(pl.len()) != 5).then(pl.lit("a")))
    done = program("sample", "estimate", "plan.json", written(unsigned), "--annotator", "who")
    refused(done, "column 'who', row 6: empty, although the row has an answer")


def test_gold_items_of_which_nobody_knows_the_truth(program, items: pl.DataFrame) -> None:
    drawn(program, items, *RANDOM)
    pl.DataFrame({"id": ["g1", "g2"], "truth": ["yes", "cannot tell"]}).write_csv("gold.csv")
    done = program("sample", "estimate", "plan.json", "batch.csv", "--gold", "gold.csv")
    refused(done, "gold.csv: column 'truth', row 2: the truth of a gold item must be yes or no")


def test_exports_of_label_studio(program, items: pl.DataFrame) -> None:
    sheet = drawn(program, items, *RANDOM)
    said = [(id_.strip("'"), label) for id_, label in sheet.select("id", "label").iter_rows()]
    plain = found(ran(program, "estimate", "plan.json", "batch.csv", "--json"))["prevalence", ()]["value"]

    def task(id_: str, label: str) -> dict:
        other = {"from_name": "language", "value": {"choices": ["German"]}}
        return {
            "data": {"item": id_},
            "annotations": [{"result": [other, {"from_name": "label", "value": {"choices": [label]}}]}],
        }

    Path("whole.json").write_text(json.dumps([task(*one) for one in said]))
    brief = [{"item": id_, "label": label} for id_, label in said]
    Path("brief.json").write_text(json.dumps(brief))
    for export in ("whole.json", "brief.json"):
        out = ran(program, "estimate", "plan.json", export, "--json")
        assert found(out)["prevalence", ()]["value"] == pytest.approx(plain)
    Path("brief.json").write_text(json.dumps([{"item": brief[0]["item"]}, *brief[1:]]))
    refused(program("sample", "estimate", "plan.json", "brief.json"), "1 item of batch 1 without a label")
    Path("brief.json").write_text(json.dumps([brief[0], {"label": "yes"}]))
    refused(program("sample", "estimate", "plan.json", "brief.json"), "brief.json: task 2 has no")


def test_a_sequential_plan_goes_on_until_its_promise_is_kept(program, items: pl.DataFrame) -> None:
    drawn(program, items, "--score", "p", "--design", "sequential", "--below", "0.9")
    sheets = ["batch.csv"]
    while "Draw another batch with --next FILE, or stop" in (out := ran(program, "estimate", "plan.json", *sheets)):
        assert "The target precision (--below 0.9) has not yet been reached." in out
        assert len(sheets) < 7
        ran(program, "estimate", "plan.json", *sheets, "--next", f"{len(sheets)}.csv")
        sheets.append(f"{len(sheets)}.csv")
        answered(Path(sheets[-1]), items)
    assert len(sheets) > 1
    assert "The target precision (--below 0.9) has been reached." in out
    assert "All planned labels are in." in out
    assert "all" in ran(program, "estimate", "plan.json", *sheets, "--next", "more.csv")
    assert not Path("more.csv").exists()


@pytest.mark.parametrize("name", ["pool", "stratum", "value", "run"])
def test_groups_by_a_column_whose_name_findings_use_themselves(program, items: pl.DataFrame, name: str) -> None:
    items.rename({"language": name}).write_parquet("items.parquet")
    drawn(program, items, *RANDOM, "--by", name)
    records = found(ran(program, "estimate", "plan.json", "batch.csv", "--evidence", "labelled.csv", "--json"))
    values = {value for _, slice_ in records for key, value in slice_ if key == f"{name}_column"}
    assert values == set(items["language"].unique())
    assert f"{name}_column" in pl.read_csv("labelled.csv").columns
