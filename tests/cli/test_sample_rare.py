"""evenhand sample: items without ids, whole clusters, promises of sequential plans, and sheets that come back odd."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from cli.loop import answered, found, made_up

CLUSTERS = ("--design", "clusters", "--cluster", "thread")
RANDOM = ("--design", "random", "--n", "60")


@pytest.fixture
def items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pl.DataFrame:
    monkeypatch.chdir(tmp_path)
    table = made_up().head(1000)
    table.write_parquet("items.parquet")
    return table


def refused(done, *says: str) -> None:
    assert done.code == 2, done
    assert len(done.err.strip().splitlines()) == 1
    for part in says:
        assert part in done.err, done.err


def ran(program, *arguments: str) -> str:
    done = program("sample", *arguments)
    assert done.code == 0, done.err
    return done.out


def planned(program, *options: str) -> str:
    return ran(program, "plan", "items.parquet", *options, "-o", "plan.json")


def drawn(program, items: pl.DataFrame, *options: str) -> pl.DataFrame:
    """The first batch of a plan, filled in."""
    planned(program, *options)
    ran(program, "draw", "plan.json", "-o", "batch.csv")
    answered(Path("batch.csv"), items)
    return pl.read_csv("batch.csv", infer_schema=False)


def written(table: pl.DataFrame) -> str:
    table.write_csv("changed.csv")
    return "changed.csv"


def test_without_ids_the_number_of_the_row_is_one(program, items: pl.DataFrame) -> None:
    numbered = items.rename({"id": "name"})
    numbered.write_parquet("items.parquet")
    assert "the number of the row is the id" in planned(program, *RANDOM)
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
        ({"id": pl.col("p")}, RANDOM, "column 'id': ids are whole numbers or text, not Float64"),
        ({"id": pl.concat_list("id", "text")}, RANDOM, "column 'id': ids are whole numbers or text, not List"),
        ({"pool": pl.col("language")}, (*RANDOM, "--by", "pool"), "column 'pool': this name means something else"),
        (
            {"thread": pl.when(pl.int_range(pl.len()) != 6).then("thread")},
            (*CLUSTERS, "--n", "60"),
            "column 'thread', row 7: the cluster is empty",
        ),
        ({"thread": pl.lit("one")}, (*CLUSTERS, "--n", "60"), "there is one cluster only"),
        ({}, (*CLUSTERS, "--n", "1001"), "1,001 labels are more than the 1,000 items"),
    ],
)
def test_items_that_cannot_be_planned_with(program, items: pl.DataFrame, change: dict, options, says: str) -> None:
    items.with_columns(**change).write_parquet("items.parquet")
    refused(program("sample", "plan", "items.parquet", *options, "-o", "plan.json"), "items.parquet", says)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_no_items(program, items: pl.DataFrame, ending: str) -> None:
    getattr(items.clear(), f"write_{ending}")(f"none.{ending}")
    refused(program("sample", "plan", f"none.{ending}", *RANDOM, "-o", "plan.json"), "the file holds no rows")


def test_items_that_are_said_to_be_where_they_are_not(program, items: pl.DataFrame) -> None:
    planned(program, *RANDOM)
    done = program("sample", "draw", "plan.json", "--items", "none.parquet", "-o", "batch.csv")
    refused(done, "none.parquet: there is no such file")


def test_more_ids_than_can_be_compared(program, items: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    from evenhand.audits.measurement import ids

    monkeypatch.setattr(ids.Ids.__init__, "__kwdefaults__", {"most": 300})
    assert "Too many ids to compare all: one in 4 was looked at" in planned(program, *RANDOM)


def test_a_sheet_that_nobody_filled_in_is_written_again(program, items: pl.DataFrame) -> None:
    planned(program, *CLUSTERS, "--n", "60")
    ran(program, "draw", "plan.json", "-o", "batch.csv")
    first = Path("batch.csv").read_bytes()
    assert "as drawn before" in ran(program, "draw", "plan.json", "-o", "batch.csv")
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
    from evenhand.audits.measurement import items as reading

    whole = drawn(program, items, *CLUSTERS, "--n", "20")
    monkeypatch.setattr(reading, "ROWS", 10)
    for file in ("plan.json", "batch.csv"):
        Path(file).unlink()
    assert drawn(program, items, *CLUSTERS, "--n", "20").equals(whole)


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
    assert in_french["note"] == "a plan by clusters is not estimated by groups"


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


def test_a_sequential_plan_goes_on_until_its_promise_is_kept(program, items: pl.DataFrame) -> None:
    drawn(program, items, "--score", "p", "--design", "sequential", "--below", "0.9")
    sheets = ["batch.csv"]
    while "Draw on with --next FILE, or stop" in (out := ran(program, "estimate", "plan.json", *sheets)):
        assert "The promise (--below 0.9) is not kept yet." in out
        assert len(sheets) < 7
        ran(program, "estimate", "plan.json", *sheets, "--next", f"{len(sheets)}.csv")
        sheets.append(f"{len(sheets)}.csv")
        answered(Path(sheets[-1]), items)
    assert len(sheets) > 1
    assert "The promise (--below 0.9) is kept." in out
    assert "All labels that were planned are in." in out
    assert "all" in ran(program, "estimate", "plan.json", *sheets, "--next", "more.csv")
    assert not Path("more.csv").exists()


def test_an_answer_without_an_id_or_a_name(program, items: pl.DataFrame) -> None:
    sheet = drawn(program, items, *RANDOM)
    nameless = sheet.with_columns(id=pl.when(pl.int_range(pl.len()) != 3).then("id"))
    refused(program("sample", "estimate", "plan.json", written(nameless)), "column 'id', row 4: there is an answer")
    unsigned = sheet.with_columns(who=pl.when(pl.int_range(pl.len()) != 5).then(pl.lit("a")))
    done = program("sample", "estimate", "plan.json", written(unsigned), "--annotator", "who")
    refused(done, "column 'who', row 6: there is an answer and this is empty")


def test_gold_items_of_which_nobody_knows_the_truth(program, items: pl.DataFrame) -> None:
    drawn(program, items, *RANDOM)
    pl.DataFrame({"id": ["g1", "g2"], "truth": ["yes", "cannot tell"]}).write_csv("gold.csv")
    done = program("sample", "estimate", "plan.json", "batch.csv", "--gold", "gold.csv")
    refused(done, "gold.csv: column 'truth', row 2: the truth of a gold item is yes or no")


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
