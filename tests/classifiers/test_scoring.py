"""Scoring a table: what is added and what stays as it was, in every format."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from classifiers.made import BINARY, Told, comments, saved, trained
from evenhand.classifiers.protocol import Targets
from evenhand.classifiers.scoring import ScoringResult, score, score_columns, score_file
from evenhand.errors import InputError

ADDED = ["p", "uncertainty", "model_uncertainty", "model", "model_version"]
READ = {".csv": pl.read_csv, ".parquet": pl.read_parquet, ".jsonl": pl.read_ndjson, ".arrow": pl.read_ipc}
READ[".tsv"] = lambda path: pl.read_csv(path, separator="\t")
SEVERAL = [
    BINARY,
    Targets("multi-class", ("a", "b c", "d|`\n")),
    Targets("multi-label", ("model", "version", "p")),
]


def write(table: pl.DataFrame, path: Path) -> Path:
    kind = "".join(path.suffixes)
    if kind == ".csv.gz":
        path.write_bytes(gzip.compress(table.write_csv().encode()))
    elif kind == ".tsv":
        table.write_csv(path, separator="\t")
    else:
        writers = {".csv": "csv", ".parquet": "parquet", ".jsonl": "ndjson", ".arrow": "ipc", ".xlsx": "excel"}
        getattr(table, f"write_{writers[kind]}")(path)
    return path


@pytest.mark.parametrize("kind", [".csv", ".tsv", ".csv.gz", ".parquet", ".jsonl", ".arrow", ".xlsx"])
@pytest.mark.parametrize("out", READ)
def test_every_format_in_and_out(tmp_path: Path, kind: str, out: str) -> None:
    table = comments(30).select("id", "text", "share")
    done = score_file(write(table, tmp_path / f"in{kind}"), tmp_path / f"out{out}", model=Told())
    assert done == ScoringResult(30, 0, 0)
    found = READ[out](tmp_path / f"out{out}")
    assert found.columns == [*table.columns, *ADDED]
    assert found.select(table.columns).equals(table)
    assert found["p"].to_list() == score(table, model=Told())["p"].to_list()
    assert set(found["model"]) == {"told"}
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"in{kind}", f"out{out}"]


@pytest.mark.parametrize("separator", [",", ";"])
def test_other_fields_of_delimited_text_stay_as_they_are(tmp_path: Path, separator: str) -> None:
    rows = [
        ["007", " 1.50", "one", "", "true"],
        ["1e3", "0.10", 'say "hi", she said', " ", "NA"],
        ["+5", "-0", "two\nlines\r\nthree", "null", "é"],
        ["99999999999999999999", "1,5;6", "漢字 🙂", "''", "#x"],
        ["", "", "=cmd()", "\\N", "2026-01-01"],
    ]
    path = tmp_path / "in.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=separator)
        writer.writerows([["code", "amount", "text", "q", "r"], *rows])
    score_file(path, tmp_path / "out.csv", model=Told(batch=2))
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        header, *found = csv.reader(file, delimiter=separator)
    assert header == ["code", "amount", "text", "q", "r", *ADDED]
    assert [row[:5] for row in found] == rows


def test_a_byte_order_mark_is_not_part_of_a_name(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("text,n\nhello,1\n", encoding="utf-8-sig")
    score_file(tmp_path / "in.csv", tmp_path / "out.csv", model=Told())
    assert pl.read_csv(tmp_path / "out.csv").columns == ["text", "n", *ADDED]


def test_rows_without_a_text_or_an_answer_have_no_score(tmp_path: Path) -> None:
    texts = ["fine", None, "", "  \t\n ", "unknown", "\u00a0", "fine too"]
    table = pl.DataFrame({"page": ["x", *[None] * 6], "text": texts})
    model = Told(batch=3)
    done = score_file(write(table, tmp_path / "in.parquet"), tmp_path / "out.csv", model=model)
    assert done == ScoringResult(7, 0, 5, unanswered=1, first_unanswered=(5,))
    assert model.seen == ["fine", "unknown", "fine too"]
    found = pl.read_csv(tmp_path / "out.csv")
    assert found["p"].is_not_null().to_list() == [True, *[False] * 5, True]
    assert found["uncertainty"].null_count() == found["model_uncertainty"].null_count() == 5
    assert "NaN" not in (tmp_path / "out.csv").read_text()
    assert score(table, model=Told())["p"].null_count() == 5


@pytest.mark.parametrize("model", [Told(), trained()], ids=["told", "linear"])
def test_no_text_at_all(model: Any) -> None:
    for texts in ([None, None], ["", " "]):
        found = score(pl.DataFrame({"text": pl.Series(texts, dtype=pl.String)}), model=model)
        assert found["p"].to_list() == [None, None]
        assert found.columns == ["text", *ADDED]
    assert score(pl.DataFrame({"text": ["a"]}).head(0), model=model).columns == ["text", *ADDED]


def test_a_text_of_a_megabyte_and_other_odd_ones(tmp_path: Path) -> None:
    texts = ["word " * 200_000, "a" * 1_000_000, "\u202e\x00\x1b[2J", "🙂" * 1000, "plain", '"', "'", "=1+1"]
    table = pl.DataFrame({"text": texts})
    alone = [score(pl.DataFrame({"text": [text]}), model=trained())["p"][0] for text in texts]
    score_file(write(table, tmp_path / "in.csv"), tmp_path / "out.parquet", model=trained())
    found = pl.read_parquet(tmp_path / "out.parquet")
    assert found["text"].to_list() == texts
    assert found["p"].to_list() == alone


@pytest.mark.parametrize("out", [".csv", ".parquet"])
def test_text_in_no_known_encoding_names_its_row(tmp_path: Path, out: str) -> None:
    rows = b"".join(b"%d,fine\n" % k for k in range(1, 40))
    (tmp_path / "in.csv").write_bytes(b"id,text\n" + rows + b"40,caf\x81\n41,fine\n")
    with pytest.raises(InputError, match=r"in\.csv: column 'text', row 40: not CP1252 text \(byte 0x81\)"):
        score_file(tmp_path / "in.csv", tmp_path / f"out{out}", model=Told())
    assert not (tmp_path / f"out{out}").exists()


def test_nothing_to_score(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("id,text\n")
    write(comments(5).head(0), tmp_path / "in.parquet")
    for name in ("in.csv", "in.parquet"):
        with pytest.raises(InputError, match=rf"{name}: .*no rows"):
            score_file(tmp_path / name, tmp_path / "new" / "out.csv", model=Told())
    assert {path.name for path in tmp_path.iterdir()} == {"in.csv", "in.parquet"}


@pytest.mark.parametrize("column", ["p", "model_uncertainty", "model", "model_version"])
def test_what_is_there_is_not_overwritten(tmp_path: Path, column: str) -> None:
    table = comments(20).select("text", pl.lit(3).alias(column))
    for go in (lambda: score(table, model=Told()), lambda: score_file(table, tmp_path / "o.csv", model=Told())):
        with pytest.raises(InputError, match=rf"column '{column}'.*`prefix`"):
            go()
    assert not list(tmp_path.iterdir())
    score_file(table, tmp_path / "o.csv", model=Told(), prefix="new_")
    found = pl.read_csv(tmp_path / "o.csv")
    assert found.columns == ["text", column, *(f"new_{name}" for name in ADDED)]
    assert set(found[column]) == {3}


@pytest.mark.parametrize("targets", SEVERAL, ids=lambda targets: targets.kind)
def test_the_new_columns_are_those_foretold(targets: Targets, tmp_path: Path) -> None:
    model = Told(targets=targets)
    found = score(comments(20).select("text"), model=model)
    assert found.columns == ["text", *score_columns(model), "model", "model_version"]
    score_file(comments(20).select("text"), tmp_path / "o.parquet", model=model, prefix="z_")
    assert pl.read_parquet(tmp_path / "o.parquet").columns[1:] == [f"z_{name}" for name in found.columns[1:]]


def text_is(columns: dict[str, list[Any]], told: str | None = None) -> str:
    model = Told()
    score(pl.DataFrame(columns), model=model, text=told)
    return model.seen[0]


def test_which_column_is_the_text() -> None:
    assert text_is({"user": ["x"], "Comment_Text": ["yes"], "n": [1]}) == "yes"
    assert text_is({"n": [1], "bla": ["yes"]}) == "yes"
    assert text_is({"text": ["no"], "other": ["yes"]}, "other") == "yes"
    for columns, told, says in (
        ({"text": ["a"], "body": ["b"]}, None, "more than one column could be the text.*'text', 'body'.*`text`"),
        ({"a": ["a"], "b": ["b"]}, None, "more than one column"),
        ({"n": [1]}, None, "no column holds text"),
        ({"text": ["a"]}, "txt", "no column 'txt'; did you mean 'text'"),
        ({"n": [1]}, "n", "column 'n': texts must be text, not Int64"),
    ):
        with pytest.raises(InputError, match=says):
            text_is(columns, told)


def test_every_kind_of_frame() -> None:
    table = comments(25).select("id", "text")
    expected = score(table, model=Told())
    base = table.to_arrow()
    relation = duckdb.from_arrow(base)
    for frame in (table.lazy(), base, relation, table.to_dict(as_series=False)):
        assert score(frame, model=Told()).equals(expected), type(frame)
    assert pl.from_pandas(score(table.to_pandas(), model=Told())).equals(expected)
    with pytest.raises(InputError, match="a int is not a table"):
        score(3, model=Told())


def test_frames_into_a_file(tmp_path: Path) -> None:
    table = comments(25).select("id", "text")
    for frame in (table, table.lazy(), table.to_pandas(), duckdb.from_arrow(table.to_arrow())):
        assert score_file(frame, tmp_path / "o.parquet", model=Told()) == ScoringResult(25, 0, 0)
        assert pl.read_parquet(tmp_path / "o.parquet").equals(score(table, model=Told()))
        assert [path.name for path in tmp_path.iterdir()] == ["o.parquet"]


def test_a_saved_model_and_the_default(tmp_path: Path) -> None:
    model = saved(tmp_path / "tiny")
    table = comments(40)
    found = score(table, model=tmp_path / "tiny")
    assert set(found["model_version"]) == {model.version}
    assert found.group_by("toxic").agg(pl.col("p").mean()).sort("toxic")["p"].diff()[1] > 0.1
    assert score(table)["model"].unique().to_list() == ["default"]


def test_a_table_that_the_format_cannot_hold_is_refused_before_the_work(tmp_path: Path) -> None:
    model = Told()
    table = pl.DataFrame({"text": ["a"], "tags": [["x", "y"]]})
    with pytest.raises(InputError, match=r"o\.csv: this table cannot be written as \.csv"):
        score_file(table, tmp_path / "new" / "o.csv", model=model)
    assert model.seen == []
    assert not list(tmp_path.iterdir())
    score_file(table, tmp_path / "new" / "o.jsonl", model=model)
    assert pl.read_ndjson(tmp_path / "new" / "o.jsonl")["tags"].to_list() == [["x", "y"]]


def test_the_file_that_is_read_is_not_replaced(tmp_path: Path) -> None:
    path = write(comments(20), tmp_path / "in.csv")
    (tmp_path / "link.csv").symlink_to(path)
    before = path.read_bytes()
    for out in (path, tmp_path / "link.csv", tmp_path / "." / "x" / ".." / "in.csv"):
        (tmp_path / "x").mkdir(exist_ok=True)
        with pytest.raises(InputError, match="would replace the file that is read"):
            score_file(path, out, model=Told(), text="text")
    assert path.read_bytes() == before


def test_numbers_in_text_read_back_to_the_same_bits(tmp_path: Path) -> None:
    table = comments(60).select("text")
    score_file(table, tmp_path / "o.csv", model=trained())
    assert pl.read_csv(tmp_path / "o.csv")["p"].to_list() == score(table, model=trained())["p"].to_list()


def test_what_only_late_lines_hold_is_kept(tmp_path: Path) -> None:
    lines = [{"text": "x", "v": k} for k in range(10_500)] + [{"text": "x", "v": "word", "late": True}]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    model = Told(batch=5000)
    score_file(tmp_path / "in.jsonl", tmp_path / "out.parquet", model=model)
    for found in (pl.read_parquet(tmp_path / "out.parquet"), score(tmp_path / "in.jsonl", model=model)):
        assert found.columns == ["text", "v", "late", *ADDED]
        assert found["v"][-1] == "word"
        assert found["late"].null_count() == 10_500
