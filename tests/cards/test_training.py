"""From a labelled table to a model with its card: what it learns from, what it is examined with, and what fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from classifiers.made import QUICK, comments, contents, saved
from evenhand.cards import train, training
from evenhand.classifiers import methods, model_folder
from evenhand.classifiers.protocol import LabelledTexts
from evenhand.classifiers.texts import TrainingColumns
from evenhand.errors import InputError
from evenhand.evidence import open_source

RECORD = ["audit", "measure", "slice", "value", "low", "high", "level", "method", "n", "note"]


@pytest.mark.parametrize(
    ("label", "kind", "classes"),
    [
        ("toxic", "binary", ["toxic"]),
        ("mood", "multi-class", ["angry", "calm", "glad"]),
        (["toxic", "glad"], "multi-label", ["toxic", "glad"]),
    ],
)
def test_the_whole_way(tmp_path: Path, label: Any, kind: str, classes: list[str]) -> None:
    comments(300).write_csv(tmp_path / "in.csv")
    model = train(tmp_path / "in.csv", tmp_path / "m", label=label, text="text", settings=QUICK)
    assert sorted(contents(tmp_path / "m")) == ["card.json", "card.md", "model.json", "weights.npz"]
    assert model.name == "m"
    assert model_folder.load_model(tmp_path / "m").version == model.version
    card = json.loads((tmp_path / "m" / "card.json").read_text())
    assert card["version"] == model.version
    assert card["targets"] == {"kind": kind, "classes": classes}
    assert card["data"]["source"] == "in.csv"
    assert card["data"]["rows"] + card["data"]["unseen_rows"] == 300
    assert set(card["findings"]["quality"]) == set(classes)
    found = [*card["findings"].get("templates", []), *card["findings"].get("mentions", [])]
    assert bool(found) == (kind == "binary")
    for record in [*found, *(record for each in card["findings"]["quality"].values() for record in each)]:
        assert list(record)[: len(RECORD)] == RECORD
        assert set(record) - set(RECORD) <= {"flags"}
        assert (record["value"] is None) == (record["low"] is None) == (record["high"] is None)
        assert record["value"] is not None or record["note"]
        assert record["value"] is None or record["low"] <= record["value"] <= record["high"]


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> dict[str, LabelledTexts]:
    """What was learnt from and what was examined with."""
    seen: dict[str, LabelledTexts] = {}
    learn, examine = methods.train_classifier, training.examine

    def learning(data: LabelledTexts, **options: Any) -> Any:
        seen["learnt"] = data
        return learn(data, **options)

    def examining(model: Any, unseen: LabelledTexts, progress: Any) -> Any:
        seen["unseen"] = unseen
        return examine(model, unseen, progress)

    monkeypatch.setattr(methods, "train_classifier", learning)
    monkeypatch.setattr(training, "examine", examining)
    return seen


def check(parts: dict[str, LabelledTexts], learnt: pl.DataFrame, unseen: pl.DataFrame) -> None:
    assert list(parts["learnt"].texts) == learnt["text"].to_list()
    assert list(parts["unseen"].texts) == unseen["text"].to_list()
    assert parts["learnt"].truth[:, 0].tolist() == learnt["toxic"].to_list()


def test_the_examination_says_how_far_it_is(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    train(
        *(comments(400), tmp_path / "m"),
        label="toxic",
        text="text",
        settings=QUICK,
        progress=lambda *one: told.append(one),
    )
    parts = {what: (done, of) for what, done, of in told if what.startswith("evaluating: ")}
    assert next(iter(parts)) == "evaluating: held-out rows"
    done, of = parts["evaluating: synthetic sentences"]
    assert done == of > 100


def test_a_tenth_is_held_out(tmp_path: Path, parts: dict[str, LabelledTexts]) -> None:
    train(comments(400), tmp_path / "m", label="toxic", text="text", settings=QUICK)
    learnt, unseen = parts["learnt"].texts, parts["unseen"].texts
    assert not set(learnt) & set(unseen)
    assert sorted([*learnt, *unseen]) == sorted(comments(400)["text"])
    assert 20 < len(unseen) < 60


def test_unseen_rows_by_a_condition_are_not_trained_on(tmp_path: Path, parts: dict[str, LabelledTexts]) -> None:
    table = comments()
    options: dict[str, Any] = {"label": "toxic", "text": "text", "settings": QUICK, "test_where": "split = 'test'"}
    train(table, tmp_path / "m", **options)
    check(parts, table.filter(pl.col("split") != "test"), table.filter(split="test"))
    train(table, tmp_path / "m", where="id > 50", **options)
    check(parts, table.filter((pl.col("split") != "test") & (pl.col("id") > 50)), table.filter(split="test"))


def test_unseen_rows_in_a_file(tmp_path: Path, parts: dict[str, LabelledTexts]) -> None:
    other = comments(90, seed=5)
    other.write_parquet(tmp_path / "test.parquet")
    options: dict[str, Any] = {"label": "toxic", "text": "text", "settings": QUICK, "test": tmp_path / "test.parquet"}
    train(comments(), tmp_path / "m", **options)
    check(parts, comments(), other)
    train(comments(), tmp_path / "m", where="split = 'train'", test_where="id < 60", **options)
    check(parts, comments().filter(split="train"), other.head(60))


def test_a_rare_class_is_learnt() -> None:
    for rare in range(25):
        mood = pl.when(pl.col("id") == rare).then(pl.lit("rare")).otherwise("mood")
        source = open_source(comments(60).with_columns(mood=mood))
        learnt, unseen = training._split(source, TrainingColumns(label=("mood",), text="text"), None, None)
        assert learnt.truth[:, 3].sum() == 1
        assert len(unseen.texts) > 0
    few = open_source(comments(20).with_columns(mood=pl.format("m{}", "id")))
    with pytest.raises(InputError, match="20 rows are too few for 20 classes"):
        training._split(few, TrainingColumns(label=("mood",), text="text"), None, None)


def test_balancing_adds_to_what_is_learnt_only(tmp_path: Path, parts: dict[str, LabelledTexts]) -> None:
    train(comments(), tmp_path / "m", label="toxic", text="text", settings=QUICK, balance=100)
    assert len(parts["learnt"].texts) + len(parts["unseen"].texts) == 340
    assert parts["learnt"].truth[-100:].sum() == 50
    card = json.loads((tmp_path / "m" / "card.json").read_text())
    assert card["data"]["rows"] == 240 - len(parts["unseen"].texts)
    assert card["data"]["balancing_sentences"] == 100


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"where": "id < 15"}, "15 rows with a text are too few"),
    ({"where": "id < 5", "test_where": "id > 50"}, "rows are too few to train on"),
    ({"label": "mood", "balance": 10}, "`balance` must be 0 or more, and needs a label with two classes"),
    ({"balance": -1}, "`balance` must be 0 or more"),
    ({"method": "lienar"}, "no method 'lienar'; did you mean 'linear'"),
    ({"settings": {"bist": 12}}, "no setting 'bist'; did you mean 'bits'"),
    ({"settings": {"bits": 99}}, "bits is 99"),
    ({"settings": {"strength": float("nan")}}, "strength must be above 0"),
    ({"settings": {"anchor": float("inf")}}, "none of them infinite"),
    ({"settings": {"neutral": [""]}}, "neutral takes words, not ''"),
    ({"settings": {"neutral": ["fine", "..."]}}, "neutral takes words, not '...'"),
    ({"test": "none.csv"}, "none.csv: there is no such file"),
    ({"test": comments().drop("toxic")}, "no column 'toxic'"),
    ({"test_where": "id > 900"}, "no row meets the condition"),
    ({"test_where": "true"}, "no row meets the condition"),
    ({"test_where": "toxic"}, "every item is benign"),
    ({"label": "mood", "test": comments().filter(pl.col("mood") != "glad")}, "two words|other labels"),
]


@pytest.mark.parametrize(("options", "says"), FAULTS)
def test_faults_leave_what_was_there(tmp_path: Path, options: dict[str, Any], says: str) -> None:
    saved(tmp_path / "m")
    before = contents(tmp_path)
    for out in ("m", "new/m"):
        with pytest.raises(InputError, match=says):
            train(comments(), tmp_path / out, **{"label": "toxic", "text": "text", "settings": QUICK, **options})
    assert contents(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == ["m"]
    model_folder.load_model(tmp_path / "m")


def test_a_fault_while_examining_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved(tmp_path / "m")
    before = contents(tmp_path)

    def broken(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "examine", broken)
    with pytest.raises(KeyboardInterrupt):
        train(comments(), tmp_path / "m", label="toxic", text="text", settings={**QUICK, "seed": 3})
    assert contents(tmp_path) == before


def test_a_model_is_replaced(tmp_path: Path) -> None:
    first = train(comments(), tmp_path / "m", label="toxic", text="text", settings=QUICK)
    second = train(comments(), tmp_path / "m", label="mood", text="text", settings=QUICK, name="moods")
    assert model_folder.load_model(tmp_path / "m").version == second.version != first.version
    assert model_folder.load_model(tmp_path / "m").name == "moods"


@pytest.mark.parametrize("kind", ["link", "file"])
def test_checkpoints_go_nowhere_else(tmp_path: Path, kind: str) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "training-0.safetensors").write_text("theirs")
    place = saved(tmp_path / "m") and tmp_path / "m" / training.CHECKPOINT_FOLDER
    place.symlink_to(tmp_path / "theirs") if kind == "link" else place.write_text("theirs")
    before = contents(tmp_path)
    with pytest.raises(InputError, match="not a folder: training checkpoints are stored here"):
        train(comments(60), tmp_path / "m", label="toxic", text="text", settings=QUICK)
    assert contents(tmp_path) == before


def test_of_checkpoints_only_ours_are_removed(tmp_path: Path) -> None:
    kept = tmp_path / "m" / training.CHECKPOINT_FOLDER
    kept.mkdir(parents=True)
    for name in ("training-0.safetensors", "thesis.docx"):
        (kept / name).write_text("x")
    train(comments(60), tmp_path / "m", label="toxic", text="text", settings=QUICK)
    assert [path.name for path in kept.iterdir()] == ["thesis.docx"]


def test_unseen_rows_have_the_labels_that_were_learnt(tmp_path: Path) -> None:
    frame = comments(200)
    frame.write_csv(tmp_path / "in.csv")
    frame.with_columns(pl.col("mood").replace("calm", "sad")).write_csv(tmp_path / "test.csv")
    with pytest.raises(InputError, match="have different labels"):
        train(
            tmp_path / "in.csv", tmp_path / "m", label="mood", text="text", test=tmp_path / "test.csv", settings=QUICK
        )
