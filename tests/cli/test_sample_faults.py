"""evenhand sample plan, draw, estimate: whatever is wrong is one line that says where, and nothing is dropped."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from cli.loop import answered, found, made_up, truth

PLAN = ("--score", "p", "--n", "120")


@pytest.fixture
def items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pl.DataFrame:
    monkeypatch.chdir(tmp_path)
    table = made_up()
    table.write_parquet("items.parquet")
    return table


@pytest.fixture
def drawn(program, items: pl.DataFrame) -> pl.DataFrame:
    """A plan at random, its only batch filled in."""
    assert program("sample", "plan", "items.parquet", "--design", "random", "--n", "200", "-o", "plan.json").code == 0
    assert program("sample", "draw", "plan.json", "-o", "batch.csv").code == 0
    answered(Path("batch.csv"), items)
    return pl.read_csv("batch.csv", infer_schema=False)


def refused(done, *says: str) -> None:
    assert done.code == 2, done
    assert len(done.err.strip().splitlines()) == 1
    for part in says:
        assert part in done.err, done.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--score", "p", "--prevalence", "0", "--within", "0.2"), "prevalence must be above 0"),
        (("--score", "p", "--prevalence", "1", "--within", "0.2"), "prevalence must be between 0 and 1"),
        (
            ("--score", "p", "--n", "5000"),
            "5,000 labels requested, but there are only 4,000 items: label all of them, a census",
        ),
        (("--score", "p", "--within", "0.001"), "a census (--n all)"),
        (("--design", "random", "--prevalence", "0.001", "--within", "0.1"), "a census (--n all)"),
        (("--score", "p", "--n", "many"), "invalid --n: 'many' (must be a whole number or 'all')"),
        (("--score", "p", "--n", "100", "--within", "0.2"), "not both"),
        (("--score", "p", "--within", "0.2", "--cv", "0.1"), "exactly one target precision"),
        (("--score", "p", "--n", "100", "--level", "2"), "the level must be between 0 and 1"),
        (("--score", "p", "--n", "100", "--seed", "-1"), "the seed"),
        (("--n", "100"), "give --score, or choose --design random"),
        (("--design", "randm", "--n", "100"), "did you mean 'random'?"),
        (("--design", "random", "--within", "0.2"), "needs the expected --prevalence"),
        (("--score", "q", "--n", "100"), "there is no column 'q'"),
        (("--score", "text", "--n", "100"), "column 'text', row 1: scores must be numbers"),
        (
            ("--score", "p", "--decision", "language", "--n", "100"),
            "name those that remove an item with --removes",
        ),
        (("--score", "p", "--decision", "language", "--removes", "xx", "--n", "100"), "no decision is 'xx'"),
        (("--score", "p", "--decision", "removed", "--n", "60"), "at least 100 are needed"),
        (("--score", "p", "--decision", "removed", "--below", "0.1"), "--below applies to a prevalence"),
        (("--score", "p", "--design", "sequential", "--decision", "removed", "--n", "60"), "needs --design"),
        (("--score", "p", "--design", "sequential", "--by", "language", "--n", "60"), "leave out --by"),
        (("--design", "clusters", "--n", "60"), "--design clusters and --cluster"),
        (("--design", "clusters", "--cluster", "thread", "--within", "0.2"), "give --n instead of a target precision"),
        (("--score", "p", "--n", "60", "--count", "4"), "apply only to --design stratified"),
        (("--score", "p", "--design", "stratified", "--n", "10"), "at least 16 are needed"),
        (("--score", "p", "--design", "stratified", "--pilot", "50", "--n", "300"), "at least 400 are needed"),
        (
            ("--score", "p", "--design", "stratified", "--pilot", "20", "--decision", "removed", "--n", "300"),
            "at least 315 are needed",
        ),
        (
            ("--score", "p", "--design", "stratified", "--strata", "thirds", "--n", "90"),
            "(choose from: quantile, equal-width, none)",
        ),
        (("--score", "p", "--by", "id", "--n", "90"), "more than 500 groups"),
        (("--score", "p", "--scale", "rank", "--n", "90"), "(choose from: probability, percent, logit)"),
    ],
)
def test_plans_that_cannot_be_made(program, items: pl.DataFrame, options: tuple[str, ...], says: str) -> None:
    refused(program("sample", "plan", "items.parquet", *options, "-o", "plan.json"), says)
    assert not Path("plan.json").exists()


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ("p", None, "column 'p', row 8: the score is empty"),
        ("p", "nan", "column 'p', row 8: the score is NaN"),
        ("p", 1.2, "column 'p', row 8: the score 1.2 is outside 0 to 1"),
        ("p", 7.0, "set --scale to percent or logit"),
        ("p", -0.1, "column 'p', row 8: the score -0.1 is outside 0 to 1"),
        ("id", None, "column 'id', row 8: the id is empty"),
        ("id", "00000003", "column 'id', row 8: the id '00000003' occurs twice"),
        ("removed", None, "column 'removed', row 8: the decision is empty"),
    ],
)
def test_items_that_are_at_fault(program, items: pl.DataFrame, ending: str, column: str, value, says: str) -> None:
    values = items[column].to_list()
    values[7] = float("nan") if value == "nan" else value
    bad = items.with_columns(pl.Series(column, values, dtype=items[column].dtype))
    bad.write_csv("bad.csv", null_value="") if ending == ".csv" else bad.write_parquet("bad.parquet")
    done = program("sample", "plan", f"bad{ending}", *PLAN, "--decision", "removed", "-o", "plan.json")
    refused(done, f"bad{ending}", says)
    assert "--where" not in done.err
    assert "rank" not in done.err


def test_an_edited_plan(program, items: pl.DataFrame, drawn: pl.DataFrame) -> None:
    text = Path("plan.json").read_text()
    Path("plan.json").write_text(text.replace('"seed": 0', '"seed": 1'))
    for command in (("draw", "plan.json", "-o", "other.csv"), ("estimate", "plan.json", "batch.csv")):
        refused(program("sample", *command), "plan.json: the plan was altered after it was written")
    Path("plan.json").write_text(text.replace('"place": [', '"place": [1, '))
    refused(program("sample", "estimate", "plan.json", "batch.csv"), "batch 1 of the plan was altered")
    refused(program("sample", "draw", "items.parquet", "-o", "other.csv"), "so not a plan")


def test_items_that_changed_since_planning(program, items: pl.DataFrame) -> None:
    assert program("sample", "plan", "items.parquet", *PLAN, "-o", "plan.json").code == 0
    before = Path("plan.json").read_bytes()
    items.reverse().write_parquet("items.parquet")
    refused(program("sample", "draw", "plan.json", "-o", "batch.csv"), "items.parquet: the items have changed")
    items.with_columns(p=1.0 - pl.col("p")).write_parquet("items.parquet")
    refused(program("sample", "draw", "plan.json", "-o", "batch.csv"), "items.parquet: the items have changed")
    items.write_parquet("elsewhere.parquet")
    Path("items.parquet").unlink()
    refused(program("sample", "draw", "plan.json", "-o", "batch.csv"), "give its path with --items")
    assert Path("plan.json").read_bytes() == before
    assert not Path("batch.csv").exists()
    done = program("sample", "draw", "plan.json", "--items", "elsewhere.parquet", "-o", "batch.csv")
    assert done.code == 0, done.err


def test_nothing_of_value_is_written_over(program, items: pl.DataFrame, drawn: pl.DataFrame) -> None:
    refused(
        program("sample", "draw", "plan.json", "-o", "batch.csv", "--force"),
        "batch.csv: this sheet already has answers (200)",
    )
    refused(program("sample", "draw", "plan.json", "-o", "plan.json"), "would replace the file that is read")
    refused(
        program("sample", "plan", "items.parquet", *PLAN, "-o", "plan.json", "--force"),
        "batches have been drawn with this plan",
    )
    refused(
        program("sample", "plan", "items.parquet", *PLAN, "-o", "items.parquet"), "would replace the file that is read"
    )
    Path("other.json").write_text("mine")
    for line in (("plan", "items.parquet", *PLAN), ("draw", "plan.json")):
        refused(program("sample", *line, "-o", "other.json"), "this file exists: choose another name with --out")
        refused(program("sample", *line, "-o", "other.json", "--force"), "another file with this name exists")
    refused(program("sample", "draw", "plan.json", "-o", "batch.txt"), ".csv, .xlsx, .json")
    refused(program("sample", "draw", "plan.json", "-o", "none/batch.csv"), "folder")
    refused(program("sample", "draw", "plan.json", "--batch", "3", "-o", "x.csv"), "batch 3 does not exist")


def written(table: pl.DataFrame) -> str:
    table.write_csv("changed.csv")
    return "changed.csv"


def test_labels_of_items_that_were_not_drawn(program, items: pl.DataFrame, drawn: pl.DataFrame) -> None:
    strange = written(drawn.with_columns(id=pl.when(pl.int_range(pl.len()) == 4).then(pl.lit("x1")).otherwise("id")))
    refused(program("sample", "estimate", "plan.json", strange), "column 'id', row 5: 1 item not drawn", "x1")


def test_conflicting_missing_and_wrong_labels(program, items: pl.DataFrame, drawn: pl.DataFrame) -> None:
    ids, label = drawn["id"].to_list(), drawn["label"].to_list()
    other = "no" if label[0] == "yes" else "yes"
    twice = pl.concat([drawn, drawn.head(1).with_columns(label=pl.lit(other))])
    refused(
        program("sample", "estimate", "plan.json", written(twice)), "1 item with conflicting answers", ids[0].strip("'")
    )
    same = pl.concat([drawn, drawn.head(1)])
    assert program("sample", "estimate", "plan.json", written(same)).code == 0
    missing = drawn.with_columns(label=pl.when(pl.int_range(pl.len()) < 3).then(None).otherwise("label"))
    refused(
        program("sample", "estimate", "plan.json", written(missing)),
        "3 items of batch 1 without a label",
        ids[0].strip("'"),
        "--unfinished",
    )
    done = program("sample", "estimate", "plan.json", "changed.csv", "--unfinished")
    assert done.code == 0
    assert "Drawn items without a label: 3." in done.out
    wrong = drawn.with_columns(label=pl.when(pl.int_range(pl.len()) == 2).then(pl.lit("maybe")).otherwise("label"))
    refused(
        program("sample", "estimate", "plan.json", written(wrong)), "column 'label', row 3", "invalid answer: 'maybe'"
    )
    nothing = drawn.with_columns(label=pl.lit(None, dtype=pl.String))
    refused(program("sample", "estimate", "plan.json", written(nothing)), "none of the 200 items of batch 1")
    refused(program("sample", "estimate", "plan.json", written(drawn.drop("label"))), "no column 'label'", "--label")
    refused(program("sample", "estimate", "plan.json", "batch.csv", "--several", "mean"), "--several needs --annotator")
    refused(program("sample", "estimate", "plan.json", "none.csv"), "there is no such file")


def test_nothing_was_drawn_yet(program, items: pl.DataFrame) -> None:
    program("sample", "plan", "items.parquet", *PLAN, "-o", "plan.json")
    written(pl.DataFrame({"id": ["1"], "label": ["yes"]}))
    refused(program("sample", "estimate", "plan.json", "changed.csv"), "no batch has been drawn yet")


def test_a_stratum_without_labels(program, items: pl.DataFrame) -> None:
    program(
        "sample", "plan", "items.parquet", "--score", "p", "--design", "stratified", "--n", "100", "-o", "plan.json"
    )
    program("sample", "draw", "plan.json", "-o", "batch.csv")
    answered(Path("batch.csv"), items)
    (part,) = json.loads(Path("plan.json").read_text())["batches"][0]["parts"]
    of = dict(zip(part["items"]["id"], part["items"]["stratum"], strict=True))
    table = pl.read_csv("batch.csv", infer_schema=False)
    gone = table.filter(pl.Series([of[id_.strip("'")] != 2 for id_ in table["id"]]))
    done = program("sample", "estimate", "plan.json", written(gone), "--unfinished", "--json")
    assert done.code == 0, done.err
    estimates = found(done.out)
    assert estimates["count", ()]["value"] == len(gone)
    unsure = table.with_columns(
        label=pl.when(table["id"].is_in(gone["id"])).then("label").otherwise(pl.lit("cannot tell"))
    )
    same = found(program("sample", "estimate", "plan.json", written(unsure), "--json").out)
    assert same["prevalence", ()]["value"] == pytest.approx(estimates["prevalence", ()]["value"])
    written(gone)
    refused(program("sample", "estimate", "plan.json", "changed.csv"), "without a label")


def test_cannot_tell_is_an_answer(program, items: pl.DataFrame) -> None:
    program(
        "sample", "plan", "items.parquet", "--score", "p", "--n", "120", "--population", "visible", "-o", "plan.json"
    )
    program("sample", "draw", "plan.json", "-o", "batch.csv")
    lost: list[str] = []

    def unsure(id_: str, answer: str) -> str:
        if len(lost) < 7:
            lost.append(id_)
            return "Cannot  tell"
        return answer

    answered(Path("batch.csv"), items, unsure)
    done = program("sample", "estimate", "plan.json", "batch.csv", "--json")
    estimates = found(done.out)
    most, least = (
        estimates["prevalence", (("as_if", f"cannot tell means {word}"),)]["value"] for word in ("yes", "no")
    )
    assert least <= estimates["prevalence", ()]["value"] <= most
    assert estimates["count", ()]["value"] == 113
    (finding,) = json.loads(done.out)["findings"]
    assert any(lost[0] in caveat and "7 items" in caveat for caveat in finding["caveats"])


def test_several_annotators(program, items: pl.DataFrame, drawn: pl.DataFrame) -> None:
    known, rows = truth(items), []
    for number, id_ in enumerate(drawn["id"].str.strip_prefix("'")):
        right = "yes" if known[id_] else "no"
        wrong = "no" if known[id_] else "yes"
        said = {0: (right, wrong), 1: (right, right, wrong)}.get(number, (right, right))
        rows += [{"id": id_, "who": f"a{who}", "label": one} for who, one in enumerate(said)]
    pl.DataFrame(rows).write_csv("many.csv")
    refused(program("sample", "estimate", "plan.json", "many.csv"), "2 items with conflicting answers", "--annotator")
    done = program("sample", "estimate", "plan.json", "many.csv", "--annotator", "who", "--json")
    estimates = found(done.out)
    assert estimates["count", ()]["value"] == 199  # one vote is split
    share = sum(known[id_] for id_ in drawn["id"].str.strip_prefix("'")[1:]) / 199
    assert estimates["prevalence", ()]["value"] == pytest.approx(share)
    mean = found(
        program("sample", "estimate", "plan.json", "many.csv", "--annotator", "who", "--several", "mean", "--json").out
    )
    shares = [
        sum(r["label"] == "yes" for r in rows if r["id"] == i) / sum(r["id"] == i for r in rows)
        for i in drawn["id"].str.strip_prefix("'")
    ]
    assert mean["prevalence", ()]["value"] == pytest.approx(sum(shares) / 200)
    refused(
        program("sample", "estimate", "plan.json", "many.csv", "--annotator", "who", "--several", "vote"),
        "(choose from: majority, mean)",
    )


def test_errors_on_gold_items_are_put_right(program, items: pl.DataFrame, drawn: pl.DataFrame) -> None:
    gold = [{"id": f"gold{n}", "truth": "yes" if n < 50 else "no"} for n in range(100)]
    pl.DataFrame(gold).write_csv("gold.csv")
    said = [{"id": f"gold{n}", "label": "yes" if 10 <= n < 55 else "no"} for n in range(100)]  # 40 of 50, 45 of 50
    written(pl.concat([drawn.select("id", "label"), pl.DataFrame(said)]))
    refused(program("sample", "estimate", "plan.json", "changed.csv"), "100 items not drawn")
    plain = found(program("sample", "estimate", "plan.json", "batch.csv", "--json").out)["prevalence", ()]["value"]
    done = program("sample", "estimate", "plan.json", "changed.csv", "--gold", "gold.csv", "--json")
    assert done.code == 0, done.err
    estimates = found(done.out)
    assert estimates["prevalence", ()]["value"] == pytest.approx(max(0.0, (plain + 0.9 - 1.0) / (0.8 + 0.9 - 1.0)))
    assert estimates["prevalence", (("estimator", "uncorrected"),)]["value"] == pytest.approx(plain)
    refused(
        program("sample", "estimate", "plan.json", "batch.csv", "--gold", "gold.csv"), "at least two of each needed"
    )


def test_a_vote_is_corrected_by_the_errors_of_votes_and_not_of_voters(program, drawn: pl.DataFrame) -> None:
    gold = [{"id": f"gold{n}", "truth": "yes" if n < 50 else "no"} for n in range(100)]
    pl.DataFrame(gold).write_csv("gold.csv")
    wrong = {"a": range(10), "b": range(10, 20), "c": range(20, 30)}  # each errs on ten, no vote ever does
    said = [
        {"id": g["id"], "label": g["truth"] if n not in wrong[who] else "no", "who": who}
        for who in "abc"
        for n, g in enumerate(gold)
    ]
    rows = [{"id": row["id"], "label": row["label"], "who": who} for who in "abc" for row in drawn.to_dicts()]
    written(pl.DataFrame([*rows, *said]))
    plain = found(program("sample", "estimate", "plan.json", "batch.csv", "--json").out)["prevalence", ()]["value"]
    told = ("sample", "estimate", "plan.json", "changed.csv", "--annotator", "who", "--gold", "gold.csv", "--json")
    votes, voters = found(program(*told).out), found(program(*told, "--several", "mean").out)
    assert votes["prevalence", ()]["value"] == pytest.approx(plain)
    assert voters["prevalence", ()]["value"] == pytest.approx(plain / 0.8)


def test_sheets_of_a_sequential_plan_end_where_labels_end(program, items: pl.DataFrame) -> None:
    program(
        "sample", "plan", "items.parquet", "--score", "p", "--design", "sequential", "--n", "200", "-o", "plan.json"
    )
    program("sample", "draw", "plan.json", "-o", "batch.csv")
    answered(Path("batch.csv"), items)
    table = pl.read_csv("batch.csv", infer_schema=False)
    half = written(table.head(12))
    refused(program("sample", "estimate", "plan.json", half), "without a label")
    done = program("sample", "estimate", "plan.json", half, "--unfinished", "--json")
    assert done.code == 0, done.err
    assert found(done.out)["prevalence", ()]["method"] == "betting"
    assert found(done.out)["count", ()]["value"] <= 12
    refused(
        program("sample", "estimate", "plan.json", half, "--unfinished", "--next", "b2.csv"),
        "label all of its items first",
    )
    refused(program("sample", "estimate", "plan.json", "batch.csv", "--evidence", "x.parquet"), "no weights")
