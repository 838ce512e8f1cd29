"""Made-up data from the command line: whole files, and one line for what cannot be done."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from evenhand.synthetic.community.tables import COLUMNS
from evenhand.synthetic.templates import templates


@pytest.mark.parametrize(
    ("name", "read"), [("t.parquet", pl.read_parquet), ("deep/t.csv", pl.read_csv), ("t.JSONL", pl.read_ndjson)]
)
def test_templates_in_every_format(program, name: str, read) -> None:
    done = program("synthesise", "templates", "-o", name, "--rows", 300, "--seed", 2)
    assert done.code == 0, done.err
    assert "288 sentences about 72 terms" in done.out
    table = read(name)
    assert table.columns == ["id", "text", "label", "template", "term", "second"]
    assert table["text"].to_list() == templates(rows=300, seed=2)["text"].to_list()


def test_own_terms_and_intersections(program) -> None:
    Path("terms.txt").write_text("# mine\ndeaf\npeople of faith: muslim, muslims\n")
    done = program("synthesise", "templates", "--out", "t.parquet", "--terms", "terms.txt", "--intersections")
    assert done.code == 0, done.err
    table = pl.read_parquet("t.parquet")
    assert set(table["term"]) == {"deaf", "muslim"}
    assert set(table["second"].drop_nulls()) == {"muslim"}


def test_a_community(program) -> None:
    done = program("synthesise", "community", "-o", "made/here", "--items", 1500, "--seed", 3)
    assert done.code == 0, done.err
    files = {path.name for path in Path("made/here").iterdir()}
    assert files == {*(f"{name}.parquet" for name in COLUMNS), "truth.json", "README.md", "files.json"}
    assert len(pl.read_parquet("made/here/items.parquet")) == 1500
    truth = json.loads(Path("made/here/truth.json").read_text())
    violates = pl.read_parquet("made/here/truths.parquet")["violates"]
    assert truth["realised"]["prevalence"]["everything"]["all"] == violates.mean()
    assert "`model_a_uncertainty`" in Path("made/here/README.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["templates", "-o", "t.xlsx"], "t.xlsx: the output must end in one of .parquet, .csv, .tsv, .jsonl, .arrow"),
        (["templates", "-o", "folder.csv"], "folder.csv: this is a folder"),
        (["templates", "-o", "t.csv", "--rows", "3"], "3 rows are too few"),
        (["templates", "-o", "new/t.csv", "--rows", "-1"], "-1 rows are too few"),
        (["templates", "-o", "t.csv", "--seed", "-1"], "invalid --seed: -1"),
        (["templates", "-o", "t.csv", "--terms", "none.txt"], "none.txt: there is no such file"),
        (["templates", "-o", "t.csv", "--terms", "twice.txt"], "given twice"),
        (["community", "-o", "made", "--items", "5"], "invalid --items: 5 (must be from 100 to"),
        (["community", "-o", "made", "--seed", "-2"], "invalid --seed: -2"),
        (["community", "-o", "twice.txt"], "twice.txt: the output folder cannot be written"),
    ],
)
def test_what_cannot_be_done_is_one_line(program, arguments: list[str], says: str) -> None:
    Path("folder.csv").mkdir()
    Path("twice.txt").write_text("a: gay\nb: gay\n")
    before = sorted(Path().rglob("*"))
    done = program("synthesise", *arguments)
    assert done.code == 2, done.out
    (line,) = done.err.strip().splitlines()
    assert line.startswith("evenhand: ")
    assert says in line
    assert sorted(Path().rglob("*")) == before, "something was written"
