"""evenhand train, score and models: what they print and write, and one line for whatever cannot be done."""

from __future__ import annotations

import json
import pickle
import shutil
from datetime import date
from pathlib import Path

import polars as pl
import pytest
import skops.io
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from classifiers.made import comments, saved
from cli.program import fails
from evenhand.classifiers import model_folder

QUICK = ["--set", "bits=12", "--set", "members=2", "--set", "rounds=6"]
TRAIN = ["--label", "toxic", "--text", "text", "-o", "new", *QUICK]


@pytest.fixture
def here(program):
    comments().write_csv("in.csv")
    return program


@pytest.fixture
def model(here) -> Path:
    saved(Path("tiny"))
    return Path("tiny")


def test_train_score_models(here) -> None:
    done = here("train", "in.csv", *TRAIN, "--called", "rude", "--name", "mine")
    assert done.code == 0, done.err
    version = model_folder.load_model(Path("new")).version
    assert f"trained mine {version}: new" in done.out
    assert str(Path("new/card.md")) in done.out
    done = here("score", "new", "in.csv", "-o", "deep/er/out.parquet", "--text", "text", "--prefix", "m_")
    assert done.code == 0, done.err
    assert done.out == "scored 240 of 240 rows: deep/er/out.parquet\n"
    found = pl.read_parquet("deep/er/out.parquet")
    assert set(found["m_model_version"]) == {version}
    assert found.filter("toxic")["m_p"].mean() > found.filter(~pl.col("toxic"))["m_p"].mean()
    listed = json.loads(here("models", "--json").out)
    assert [(entry["model"], entry["note"]) for entry in listed] == [("default", ""), ("new", "")]
    assert listed[1]["classes"] == "binary: rude"
    assert listed[1]["version"] == version
    shown = here("models", ".").out
    assert "default" in shown
    assert "unigram" in shown


@pytest.mark.verify
def test_a_model_that_is_replaced_is_named(here, model: Path) -> None:
    earlier = model_folder.read_manifest(model)
    today = date.fromtimestamp((model / "model.json").stat().st_mtime)
    done = here("train", "in.csv", "--label", "toxic", "--text", "text", "-o", model, *QUICK)
    assert done.code == 0, done.err
    replaced = f"{earlier['name']} {earlier['version']} ({earlier['kind']}), saved on {today}"
    assert f"{model_folder.load_model(model).version}: tiny, in place of {replaced}\n" in done.out


def test_models_at_fault_are_listed_with_the_fault(here, model: Path) -> None:
    shutil.copytree(model, "broken")
    Path("broken/card.md").write_text("other")
    Path("bad.toml").write_text("kind = 'endpiont'\n")
    Path("pyproject.toml").write_text("[project]\nname = 'x'\n")
    Path("garbage.toml").write_bytes(b"\xff=")
    found = {entry["model"]: entry for entry in json.loads(here("models", "--json").out)}
    assert set(found) == {"default", "tiny", "broken", "bad.toml"}
    assert "card.md was altered" in found["broken"]["note"]
    assert "did you mean 'endpoint'" in found["bad.toml"]["note"]
    fails(here, "models", "nowhere", says=["nowhere", "no such folder"])
    fails(here, "models", "in.csv", says=["in.csv", "no such folder"])


def test_rows_without_a_score_are_counted(here, model: Path) -> None:
    comments(9).with_columns(text=pl.when(pl.col("id") < 7).then("text")).write_csv("gaps.csv")
    done = here("score", model, "gaps.csv", "-o", "out.csv", "--text", "text")
    assert done.out.startswith("2 rows have no score: the text is empty\n")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--method", "lienar"], ["no method 'lienar'", "did you mean 'linear'"]),
        (["--set", "bits"], ["--set takes name=value, not 'bits'"]),
        (["--set", "=3"], ["--set takes name=value"]),
        (["--set", "bist=3"], ["no setting 'bist'", "did you mean 'bits'"]),
        (["--set", "bits=many"], ["bits must be a whole number, not a text"]),
        (["--set", "bits=12.5"], ["bits must be a whole number, not a number"]),
        (["--set", "bits=true"], ["bits must be a whole number, not true or false"]),
        (["--set", "bits="], ["bits must be a whole number"]),
        (["--set", "bits=40"], ["bits is 40"]),
        (["--set", "members=0"], ["members is 0"]),
        (["--set", "characters=3"], ["characters must be a list"]),
        (["--set", "characters=[3, 99]"], ["characters", "1 to 8"]),
        (["--set", "strength=nan"], ["strength"]),
        (["--set", "pairs=inf"], ["pairs"]),
        (["--set", "seed=-1"], ["seed"]),
        (["--set", 'neutral=["?"]'], ["neutral takes words, not '?'"]),
        (["--label", "toxc"], ["in.csv", "no column 'toxc'", "'toxic'"]),
        (["--label", " , "], ["--label"]),
        (["--label", "toxic,nothing"], ["no column 'nothing'"]),
        (["--label", "split"], ["column 'split'", "--positive"]),
        (["--label", "mood", "--balance", "10"], ["--balance must be 0 or more"]),
        (["--balance", "-4"], ["--balance must be 0 or more"]),
        (["--text", "txt"], ["no column 'txt'", "'text'"]),
        (["--text", "id"], ["column 'id'", "texts must be text"]),
        (["--positive", "bad"], ["'bad'"]),
        (["--label-threshold", "7"], ["no label is 7 or more", "--label-threshold"]),
        (["--where", "id >"], ["--where"]),
        (["--where", "id < 3"], ["in.csv"]),
        (["--test", "none.csv"], ["none.csv", "no such file"]),
        (["--test-where", "nosuch = 1"], ["no column 'nosuch'"]),
        (["-o", "in.csv"], ["in.csv", "would replace the file that is read"]),
        (["-o", "in.csv/x"], ["in.csv", "cannot be written"]),
        (["-o", "."], ["files that are not part of a model"]),
    ],
)
def test_what_cannot_be_trained(here, options: list[str], says: list[str]) -> None:
    fails(here, "train", "in.csv", *TRAIN, *options, says=says)


def broken_files() -> None:
    Path("empty.csv").touch()
    Path("header.csv").write_text("text,toxic\n")
    Path("unknown.csv").write_bytes(b"text,toxic\n" + b"a,1\n" * 20_000 + b"caf\xe9,1\n")
    Path("cut.parquet").write_bytes(b"PAR1 and no more")
    Path("bad.jsonl").write_text('{"text": "a", "toxic": 1}\n{"text":\n')
    Path("odd.sav").write_text("x")
    Path("wide.csv").write_text("text,toxic\na,1\nb,0,5,6\n")
    Path("folder.csv").mkdir()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("none.csv", ["no such file"]),
        ("empty.csv", ["the file is empty"]),
        ("header.csv", ["no rows"]),
        ("unknown.csv", ["column 'text', row 20001", "not UTF-8"]),
        ("cut.parquet", ["not a readable Parquet file"]),
        ("bad.jsonl", ["row 2", "not valid JSON"]),
        ("odd.sav", ["format of this file is unknown"]),
        ("wide.csv", ["row 2", "4 fields"]),
        ("folder.csv", ["a folder with no file in it"]),
        ("sqlite:///none.db", ["--query"]),
    ],
)
def test_files_that_cannot_be_read(here, model: Path, name: str, says: list[str]) -> None:
    broken_files()
    fails(here, "train", name, *TRAIN, says=[name, *says])
    fails(here, "score", model, name, "-o", "deep/out.csv", "--text", "text", says=[name, *says])


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("defualt", ["no such model", "did you mean 'default'"]),
        ("nowhere/model", ["no such model, file or folder"]),
        ("model.pkl", ["model.pkl", "not a model file", "evenhand train"]),
        ("in.csv", ["in.csv", "not a model file"]),
        ("random", ["random", "model.json is missing"]),
        ("broken", ["broken", "weights.npz was altered"]),
        ("half", ["half", "card.md is missing"]),
        ("none.toml", ["none.toml", "no such file"]),
        ("bad.toml", ["bad.toml", "kind of model"]),
        ("folder.toml", ["folder.toml", "a folder"]),
        ("foreign", ["foreign", "this is a transformers directory", "TOML"]),
    ],
)
def test_models_that_are_none(here, model: Path, name: str, says: list[str]) -> None:
    Path("model.pkl").write_bytes(pickle.dumps({"a": 1}))
    Path("random").mkdir()
    Path("random/thesis.docx").write_text("x")
    for copy in ("broken", "half"):
        shutil.copytree(model, copy)
    Path("broken/weights.npz").write_bytes(b"PK")
    Path("half/card.md").unlink()
    Path("bad.toml").write_text("url = 'x'\n")
    Path("folder.toml").mkdir()
    Path("foreign").mkdir()
    Path("foreign/config.json").write_text("{}")
    fails(here, "score", name, "in.csv", "-o", "out.csv", "--text", "text", says=says)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["-o", "in.csv"], ["in.csv", "would replace the file that is read"]),
        (["-o", "./deep/../in.csv"], ["would replace the file that is read"]),
        (["-o", "out.xlsx"], ["out.xlsx", "must end in one of .parquet"]),
        (["-o", "out"], ["must end in one of"]),
        (["-o", "out.csv.gz"], ["must end in one of"]),
        (["-o", "folder.csv"], ["folder.csv", "a folder"]),
        (["-o", "in.csv/out.csv"], ["cannot be written"]),
        (["-o", "/proc/none/out.csv"], ["/proc/none/out.csv", "cannot be written"]),
        (["-o", f"{'x' * 250}.csv"], ["written", "File name too long"]),
        (["-o", "new/out.csv", "--text", "txt"], ["in.csv", "no column 'txt'", "'text'"]),
        (["-o", "new/out.csv", "--text", "share"], ["column 'share'", "texts must be text"]),
        (["-o", "out.csv", "--prefix", "col_"], ["column 'col_p'", "exists already", "--prefix"]),
    ],
)
def test_what_cannot_be_scored(here, model: Path, options: list[str], says: list[str]) -> None:
    comments().with_columns(col_p=0.5).write_csv("in.csv")
    Path("folder.csv").mkdir()
    Path("deep").mkdir()
    text = [] if "--text" in options else ["--text", "text"]
    fails(here, "score", model, "in.csv", *options, *text, says=says)


def test_more_than_one_text(here, model: Path) -> None:
    comments().rename({"text": "words"}).write_csv("in.csv")
    fails(here, "score", model, "in.csv", "-o", "out.csv", says=["in.csv", "more than one column", "--text"])
    fails(here, "train", "in.csv", "--label", "toxic", "-o", "m", says=["in.csv", "more than one column", "--text"])


def test_a_type_is_trusted_at_the_command_only(here) -> None:
    skops.io.dump(pipeline(), "own.skops")
    Path("own.toml").write_text('kind = "skops"\npath = "own.skops"\n')
    score = ["in.csv", "-o", "out.csv", "--text", "text"]
    for model in ("own.toml", "own.skops"):
        line = fails(here, "score", model, *score, says=["own.skops", "types that are not trusted", "read their code"])
        assert line.endswith(f"allow them with --trust {__name__}.Same")
        fails(here, "score", model, *score, "--trust", "os.system", says=["types that are not trusted"])
    done = here("score", "own.toml", *score, "--trust", "os.system", "--trust", f"{__name__}.Same")
    assert done.code == 0, done.err
    fails(here, "score", "default", "in.csv", "-o", "new.csv", "--trust", "x.Y", says=["--trust goes with skops files"])


class Same(TransformerMixin, BaseEstimator):
    def fit(self, texts, truth=None):
        return self

    def transform(self, texts):
        return texts


def pipeline():
    steps = (Same(), CountVectorizer(), DummyClassifier(strategy="prior"))
    return make_pipeline(*steps).fit(comments()["text"].to_list(), comments()["toxic"].to_list())
