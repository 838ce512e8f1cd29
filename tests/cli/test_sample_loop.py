"""evenhand sample plan, draw, estimate: the whole loop by every design, and every format of sheet."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cli.loop import ITEMS, answered, found, made_up, truth
from evenhand.sampling.frame import SamplingFrame
from evenhand.sampling.score_driven import ScoreDrivenSettings, draw_batch

DESIGNS = {
    "default": ("--score", "p", "--n", "450"),
    "by language": ("--score", "p", "--by", "language", "--n", "450"),
    "two pools": ("--score", "p", "--decision", "removed", "--by", "language", "--n", "600"),
    "two pools at random": ("--design", "random", "--decision", "removed", "--n", "600"),
    "random": ("--design", "random", "--n", "500", "--by", "language"),
    "quantile": ("--score", "p", "--design", "stratified", "--n", "400"),
    "equal width by language": (
        *("--score", "p", "--design", "stratified", "--strata", "equal-width", "--count", "3"),
        *("--by", "language", "--allocation", "equal", "--n", "400", "--seed", "1"),
    ),
    "languages alone": ("--design", "stratified", "--strata", "none", "--by", "language", "--n", "400"),
    "pilot": ("--score", "p", "--design", "stratified", "--pilot", "20", "--n", "400"),
    "clusters": ("--design", "clusters", "--cluster", "thread", "--n", "500"),
    "sequential": ("--score", "p", "--design", "sequential", "--n", "400"),
    "promise": ("--score", "p", "--within", "0.3"),
    "census": ("--n", "all"),
}


@pytest.fixture
def items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pl.DataFrame:
    monkeypatch.chdir(tmp_path)
    table = made_up()
    table.write_parquet("items.parquet")
    return table


def loop(program, items: pl.DataFrame, *options: str) -> tuple[list[str], str]:
    """Plan, then draw and label until all is drawn: the sheets, and the last estimate."""
    done = program("sample", "plan", "items.parquet", *options, "--population", "visible", "-o", "plan.json")
    assert done.code == 0, done.err
    done = program("sample", "draw", "plan.json", "-o", "batch1.csv")
    assert done.code == 0, done.err
    sheets = ["batch1.csv"]
    while True:
        answered(Path(sheets[-1]), items)
        following = f"batch{len(sheets) + 1}.csv"
        done = program("sample", "estimate", "plan.json", *sheets, "--next", following, "--json")
        assert done.code == 0, done.err
        if not Path(following).exists():
            assert "All planned labels have been drawn" in done.err
            return sheets, done.out
        sheets.append(following)


@pytest.mark.parametrize("name", DESIGNS)
def test_the_whole_loop(program, items: pl.DataFrame, name: str) -> None:
    sheets, out = loop(program, items, *DESIGNS[name])
    estimates = found(out)
    share = estimates["prevalence", ()]
    assert share["low"] <= items["truth"].mean() <= share["high"], share
    ids = [id_ for sheet in sheets for id_ in pl.read_csv(sheet, infer_schema=False)["id"]]
    assert len(ids) == len(set(ids)) == estimates["count", ()]["value"]
    if "--by" in DESIGNS[name]:
        for language in ("de", "en", "fr"):
            own = estimates["prevalence", (("language", language),)]
            inside = items.filter(pl.col("language") == language)["truth"].mean()
            assert own["low"] <= inside <= own["high"], (language, inside, own)
    if "--decision" in DESIGNS[name]:
        violating = items.filter("truth")
        recall, missed = estimates["recall", ()], estimates["missed", ()]
        assert recall["low"] <= violating["removed"].mean() <= recall["high"]
        assert missed["low"] <= len(violating.filter(~pl.col("removed"))) <= missed["high"]
        assert {"precision", "f1", "accuracy"} <= {measure for measure, _ in estimates}
    else:
        assert estimates["missed", ()]["value"] == pytest.approx(share["value"] * ITEMS)
    words = program("sample", "estimate", "plan.json", *sheets)
    assert words.code == 0
    assert "All planned labels are in." in words.out


def test_batches_are_those_of_the_design_on_arrays(program, items: pl.DataFrame) -> None:
    """The same seed draws the same items, whether streamed from a file or at hand."""
    program("sample", "plan", "items.parquet", "--score", "p", "--n", "450", "--seed", "5", "-o", "plan.json")
    program("sample", "draw", "plan.json", "-o", "batch.csv")
    frame = SamplingFrame.of(items["p"].to_numpy())
    batch = draw_batch(frame, [], 100, np.random.default_rng([5, 0, 0]), ScoreDrivenSettings())
    drawn = [id_.removeprefix("'") for id_ in pl.read_csv("batch.csv", infer_schema=False)["id"]]
    assert drawn == items["id"].gather(batch.draw.rows).to_list()
    items.select("id", "p", "text").write_csv("items.csv")
    program("sample", "plan", "items.csv", "--score", "p", "--n", "450", "--seed", "5", "-o", "second.json")
    program("sample", "draw", "second.json", "-o", "second.csv")
    assert pl.read_csv("second.csv", infer_schema=False)["id"].to_list() == [f"'{id_}" for id_ in drawn]


def test_pieces_of_the_file_do_not_matter(program, items: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    options = ("--score", "p", "--decision", "removed", "--by", "language", "--n", "450")
    for rows, name in ((250_000, "whole"), (97, "pieces")):
        monkeypatch.setattr("evenhand.measurement.items.ROWS", rows)
        assert program("sample", "plan", "items.parquet", *options, "-o", f"{name}.json").code == 0
        assert program("sample", "draw", f"{name}.json", "-o", f"{name}.csv").code == 0
    assert Path("whole.json").read_bytes() == Path("pieces.json").read_bytes()
    assert Path("whole.csv").read_bytes() == Path("pieces.csv").read_bytes()


def test_annotators_see_no_score_no_stratum_and_no_order(program, items: pl.DataFrame) -> None:
    program("sample", "plan", "items.parquet", "--score", "p", "--decision", "removed", "--n", "400", "-o", "plan.json")
    done = program("sample", "draw", "plan.json", "-o", "batch.csv")
    assert "yes, no or cannot tell" in done.out
    table = pl.read_csv("batch.csv", infer_schema=False)
    assert table.columns == ["id", "text", "context", "link", "label"]
    assert table["label"].null_count() == len(table)
    assert all(text.startswith(("'=item", "item, ")) for text in table["text"])
    assert all(id_.startswith("'0") for id_ in table["id"])
    rows = pl.DataFrame({"id": table["id"].str.strip_prefix("'")}).join(items, on="id", maintain_order="left")
    place = np.arange(len(rows))
    for column in ("p", "removed", "thread"):
        assert abs(np.corrcoef(place, rows[column].cast(pl.Float64).to_numpy())[0, 1]) < 0.25
    assert rows["id"].to_list() != sorted(rows["id"].to_list())


def test_drawing_again_writes_the_same_batch(program, items: pl.DataFrame) -> None:
    program("sample", "plan", "items.parquet", "--score", "p", "--n", "450", "-o", "plan.json")
    program("sample", "draw", "plan.json", "-o", "batch.csv")
    before = Path("plan.json").read_bytes()
    done = program("sample", "draw", "plan.json", "-o", "again.csv")
    assert "the same as before" in done.out
    assert Path("again.csv").read_bytes() == Path("batch.csv").read_bytes()
    assert Path("plan.json").read_bytes() == before
    answered(Path("batch.csv"), items)
    for name in ("second.csv", "twice.csv"):
        done = program("sample", "estimate", "plan.json", "batch.csv", "--next", name)
    assert "Batch 2 has been drawn and has no labels yet" in done.out
    assert Path("second.csv").read_bytes() == Path("twice.csv").read_bytes()
    done = program("sample", "draw", "plan.json", "--batch", "1", "-o", "first.csv")
    assert Path("first.csv").read_bytes() == Path("again.csv").read_bytes()


def test_a_workbook_and_back(program, items: pl.DataFrame) -> None:
    pytest.importorskip("xlsxwriter")
    import xlsxwriter

    program("sample", "plan", "items.parquet", "--score", "p", "--n", "100", "-o", "plan.json")
    done = program("sample", "draw", "plan.json", "-o", "batch.xlsx")
    assert done.code == 0, done.err
    table = pl.read_excel("batch.xlsx", engine="calamine", infer_schema_length=None)
    assert table.columns == ["id", "text", "context", "link", "label"]
    assert table["id"].dtype == pl.String
    assert all(len(id_) == 8 for id_ in table["id"])
    assert not table["text"].str.starts_with("=").any()
    known = truth(items)
    with xlsxwriter.Workbook("filled.xlsx") as book:
        page = book.add_worksheet()
        page.write_row(0, 0, ["id", "label"])
        for row, id_ in enumerate(table["id"], start=1):
            page.write_string(row, 0, id_)
            page.write_string(row, 1, " Yes" if known[id_] else "NO")
    done = program("sample", "estimate", "plan.json", "filled.xlsx", "--json")
    assert done.code == 0, done.err
    assert found(done.out)["count", ()]["value"] == 100


def exported(tasks: list[dict], known: dict[str, bool], *, people: int = 1) -> list[dict]:
    """As Label Studio writes it."""
    for number, task in enumerate(tasks):
        answer = "yes" if known[task["data"]["item"]] else "no"
        result = [{"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": [answer]}}]
        task |= {"id": 1000 + number, "annotations": [{"completed_by": who, "result": result} for who in range(people)]}
        task["annotations"].append({"completed_by": 99, "result": [], "was_cancelled": True})
    return tasks


def test_label_studio_and_back(program, items: pl.DataFrame) -> None:
    program("sample", "plan", "items.parquet", "--score", "p", "--n", "100", "-o", "plan.json")
    done = program("sample", "draw", "plan.json", "-o", "tasks.json")
    assert "Label Studio" in done.out
    assert all(f'value="{answer}"' in Path("tasks.config.xml").read_text() for answer in ("yes", "no", "cannot tell"))
    tasks = json.loads(Path("tasks.json").read_text())
    assert set(tasks[0]["data"]) == {"item", "text", "context", "link"}
    full = exported(tasks, truth(items), people=3)
    Path("export.json").write_text(json.dumps(full))
    short = [
        {**task["data"], "id": task["id"], "label": "yes" if truth(items)[task["data"]["item"]] else "no"}
        for task in full
    ]
    Path("min.json").write_text(json.dumps(short))
    first = program("sample", "estimate", "plan.json", "export.json", "--annotator", "completed_by", "--json")
    assert first.code == 0, first.err
    second = program("sample", "estimate", "plan.json", "min.json", "--json")
    assert found(first.out) == found(second.out)


@pytest.mark.parametrize("ending", [".tsv", ".parquet", ".jsonl"])
def test_labels_in_other_formats(program, items: pl.DataFrame, ending: str) -> None:
    program("sample", "plan", "items.parquet", "--score", "p", "--n", "100", "-o", "plan.json")
    program("sample", "draw", "plan.json", "-o", "batch.csv")
    answered(Path("batch.csv"), items)
    table = pl.read_csv("batch.csv", infer_schema=False).select("id", y=(pl.col("label") == "yes").cast(pl.Int64))
    write = {
        ".tsv": lambda: table.write_csv("labels.tsv", separator="\t"),
        ".parquet": lambda: table.write_parquet("labels.parquet"),
        ".jsonl": lambda: table.write_ndjson("labels.jsonl"),
    }
    write[ending]()
    first = program("sample", "estimate", "plan.json", "batch.csv", "--json")
    second = program("sample", "estimate", "plan.json", f"labels{ending}", "--label", "y", "--json")
    assert second.code == 0, second.err
    assert found(first.out) == found(second.out)


def test_the_estimate_refers_to_the_plan(program, items: pl.DataFrame) -> None:
    _, out = loop(program, items, *DESIGNS["default"], "--ground-truth", "illegal content", "--codebook", "rules 3")
    (finding,) = json.loads(out)["findings"]
    assert finding["audit"] == "accuracy"
    assert finding["provenance"]["plan"] == json.loads(Path("plan.json").read_text())["seal"]
    assert finding["provenance"]["measurement"]["codebook"] == "rules 3"
    estimates = found(out)
    plain = estimates["prevalence", ()]
    for estimator in ("horvitz_thompson", "hajek"):
        assert estimates["prevalence", (("estimator", estimator),)]["value"] == pytest.approx(plain["value"], rel=1e-6)
    other = estimates["prevalence", (("estimator", "difference"),)]
    assert abs(other["value"] - plain["value"]) < plain["high"] - plain["low"]


@pytest.mark.parametrize("options", [("--score", "p"), ("--score", "p", "--design", "stratified")])
@pytest.mark.parametrize("removals", [0, 1])
def test_a_part_without_labels_of_its_own_has_no_numbers(
    program, items: pl.DataFrame, options: tuple[str, ...], removals: int
) -> None:
    """Strata that lack labels are joined; labels of other languages say nothing about one that has none."""
    removed = items.filter("removed")["id"].head(removals).to_list()
    rare = removed + items.filter(~pl.col("removed"))["id"].head(40).to_list()
    language = pl.when(pl.col("id").is_in(rare)).then(pl.lit("ga")).otherwise(pl.col("language"))
    items.with_columns(language=language).write_parquet("items.parquet")
    roles = ("--decision", "removed", "--by", "language", "--n", "240")
    assert program("sample", "plan", "items.parquet", *options, *roles, "-o", "plan.json").code == 0
    assert program("sample", "draw", "plan.json", "-o", "batch1.csv").code == 0
    answered(Path("batch1.csv"), items, lambda id_, answer: "cannot tell" if id_ in removed else answer)
    done = program("sample", "estimate", "plan.json", "batch1.csv", "--json")
    assert done.code == 0, done.err
    estimates = found(done.out)
    part = (("language", "ga"),)
    for measure in ("precision", "recall", "f1", "accuracy", "prevalence"):
        estimate = estimates[measure, part]
        assert estimate["value"] is estimate["low"] is estimate["high"] is None, estimate
        assert estimate["note"] == "no removed item was labelled"
    own = estimates["prevalence", (*part, ("pool", "removed"))]
    assert (own["value"], own["note"], own["n"]) == (None, "no labels in this part", 0)
    assert estimates["population", (*part, ("pool", "removed"))]["value"] == removals
    assert estimates["population", part]["value"] == 40 + removals
    assert estimates["prevalence", (*part, ("pool", "visible"))]["value"] is not None
    assert estimates["precision", (("language", "fr"),)]["value"] is not None
    words = program("sample", "estimate", "plan.json", "batch1.csv")
    assert words.code == 0
    assert "no removed item was labelled" in words.out


def test_a_language_nobody_labelled(program, items: pl.DataFrame) -> None:
    rare = items["id"].head(3).to_list()
    language = pl.when(pl.col("id").is_in(rare)).then(pl.lit("ga")).otherwise(pl.col("language"))
    items.with_columns(language=language).write_parquet("items.parquet")
    plan = ("--score", "p", "--by", "language", "--n", "100", "--population", "visible")
    assert program("sample", "plan", "items.parquet", *plan, "-o", "plan.json").code == 0
    assert program("sample", "draw", "plan.json", "-o", "batch1.csv").code == 0
    answered(Path("batch1.csv"), items, lambda id_, answer: "cannot tell" if id_ in rare else answer)
    done = program("sample", "estimate", "plan.json", "batch1.csv", "--smallest-group", "1", "--json")
    assert done.code == 0, done.err
    share = found(done.out)["prevalence", (("language", "ga"),)]
    assert (share["value"], share["n"], share["note"]) == (None, 0, "no labels in this part")
    hidden = program("sample", "estimate", "plan.json", "batch1.csv", "--json").out
    assert ("prevalence", (("language", "ga"),)) not in found(hidden)


def test_a_table_by_stratum(program, items: pl.DataFrame) -> None:
    _, out = loop(program, items, *DESIGNS["quantile"])
    strata = [dict(slice_)["stratum"] for measure, slice_ in found(out) if "stratum" in dict(slice_)]
    assert len(strata) == 8
    assert all(name.startswith("score ") for name in strata)


def audit(program, table: pl.DataFrame) -> dict:
    roles = ["--label", "label", "--inclusion", "inclusion"]
    roles += [part for name in ("decision", "stratum") if name in table.columns for part in (f"--{name}", name)]
    done = program("audit", "labelled.parquet", "--audits", "accuracy", *roles, "--json")
    assert done.code == 0, done.err
    return found(done.out)


def test_labelled_items_carry_their_weights_and_the_audit_gives_the_same(program, items: pl.DataFrame) -> None:
    for name in ("default", "two pools", "pilot", "clusters", "random"):
        for old in (*Path().glob("*.csv"), *Path().glob("*.json")):
            old.unlink()
        sheets, out = loop(program, items, *DESIGNS[name])
        assert (
            program("sample", "estimate", "plan.json", *sheets, "--evidence", "labelled.parquet", "--force").code == 0
        )
        table = pl.read_parquet("labelled.parquet")
        assert {"id", "label", "inclusion"} <= set(table.columns)
        share = float((table["weight"] * table["label"]).sum() / table["weight"].sum())
        assert share == pytest.approx(found(out)["prevalence", ()]["value"], rel=1e-6)
        assert (table["inclusion"] * table["weight"]).filter(table["weight"] >= 1.0).to_numpy() == pytest.approx(1.0)
        audited = audit(program, table)
        for measure in ("prevalence", "recall", "precision", "f1", "accuracy", "missed"):
            ours = found(out).get((measure, ()))
            if ours and ours["value"] is not None and (measure, ()) in audited:
                assert audited[measure, ()]["value"] == pytest.approx(ours["value"], rel=1e-9), (name, measure)
        assert table.join(items, on="id").select((pl.col("label") == pl.col("truth").cast(pl.Float64)).all()).item()
