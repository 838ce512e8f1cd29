"""From a table to texts with labels: what each kind of label means, and where a fault is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from classifiers.made import comments
from evenhand.classifiers.protocol import LabelledTexts, Targets
from evenhand.classifiers.texts import TrainingColumns, read_labelled_texts
from evenhand.errors import InputError
from evenhand.evidence import open_source

ANGRY = comments()["toxic"].to_numpy()


def read(data: Any, *label: str, **options: Any) -> LabelledTexts:
    return read_labelled_texts(open_source(data), TrainingColumns(label=label, text="text", **options))


@pytest.mark.parametrize(
    "values",
    [ANGRY, ANGRY.astype(int), ANGRY.astype(float), ANGRY.astype(str), np.where(ANGRY, " 1 ", "0"), ANGRY * 0.5],
    ids=["true and false", "0 and 1", "numbers", "words", "numbers as words", "shares"],
)
@pytest.mark.parametrize("kind", ["frame", "csv"])
def test_yes_or_no(values: Any, kind: str, tmp_path: Path) -> None:
    table = comments().with_columns(y=pl.Series(values))
    if kind == "csv":
        table.write_csv(tmp_path / "in.csv")
    found = read(table if kind == "frame" else tmp_path / "in.csv", "y")
    assert found.targets == Targets("binary", ("y",))
    assert found.truth.dtype == np.float32
    assert np.array_equal(found.truth[:, 0], ANGRY)
    assert list(found.texts) == table["text"].to_list()


def test_shares_and_the_threshold() -> None:
    assert read(comments(), "share").truth.sum() == ANGRY.sum()
    with pytest.raises(InputError, match="every item is violating"):
        read(comments(), "share", label_threshold=0.05)
    with pytest.raises(InputError, match=r"label_threshold.*nan|label_threshold"):
        read(comments(), "share", label_threshold=float("nan"))


def test_words_of_which_one_is_violating() -> None:
    found = read(comments(), "mood", positive=("angry",))
    assert found.targets == Targets("binary", ("angry",))
    assert np.array_equal(found.truth[:, 0], ANGRY)
    both = read(comments(), "mood", positive=("angry", "glad"), called="not calm")
    assert both.targets == Targets("binary", ("not calm",))
    assert np.array_equal(both.truth[:, 0], comments()["mood"] != "calm")
    codes = comments().with_columns(y=pl.col("mood").replace_strict({"angry": 2, "calm": 0, "glad": 1}))
    assert read(codes, "y", positive=("2",)).targets == Targets("binary", ("2",))


def test_one_of_several_words() -> None:
    found = read(comments(), "mood")
    assert found.targets == Targets("multi-class", ("angry", "calm", "glad"))
    assert np.array_equal(found.truth.sum(axis=1), np.ones(240))
    assert np.array_equal(found.truth[:, 2], comments()["mood"] == "glad")
    spaced = comments().with_columns(pl.format(" {}\t", "mood").alias("mood").cast(pl.Categorical))
    assert read(spaced, "mood").targets == found.targets


def test_several_labels() -> None:
    found = read(comments(), "toxic", "glad")
    assert found.targets == Targets("multi-label", ("toxic", "glad"))
    assert np.array_equal(found.truth, comments().select("toxic", "glad").to_numpy())


def test_called_and_where() -> None:
    found = read(comments(), "toxic", called="rude", where="split = 'test'")
    assert found.targets == Targets("binary", ("rude",))
    assert len(found.texts) == comments().filter(split="test").height
    rest = read(comments(), "toxic", without="split = 'test'")
    assert sorted([*found.texts, *rest.texts]) == sorted(comments()["text"])
    unknown = comments().with_columns(split=pl.when(pl.col("split") == "test").then(pl.lit("test")))
    assert list(read(unknown, "toxic", without="split = 'test'").texts) == list(rest.texts)


def test_rows_without_a_text_are_left_out() -> None:
    table = comments().with_columns(text=pl.when(pl.col("id") % 3 > 0).then("text").otherwise(pl.lit(" \n")))
    table = table.with_columns(text=pl.when(pl.col("id") != 4).then("text"))
    found = read(table, "toxic")
    kept = [k for k in range(240) if k % 3 > 0 and k != 4]
    assert list(found.texts) == comments()["text"].gather(kept).to_list()
    assert np.array_equal(found.truth[:, 0], ANGRY[kept])
    with pytest.raises(InputError, match="column 'text': no row has a text"):
        read(comments().with_columns(text=pl.lit("")), "toxic")


@pytest.mark.parametrize(
    ("label", "options", "says"),
    [
        (("toxc",), {}, "no column 'toxc'; did you mean 'toxic'"),
        (("toxic", "gald"), {}, "no column 'gald'; did you mean 'glad'"),
        (("text",), {}, "'text' cannot be both the text and the label"),
        ((), {}, "`label`"),
        (("toxic", "toxic"), {}, "named twice"),
        (("toxic", "glad"), {"positive": ("x",)}, "`positive` goes with one label"),
        (("toxic", "glad"), {"called": "x"}, "`called` goes with one label"),
        (("mood",), {"called": "x"}, "column 'mood'.*`called` goes with one class"),
        (("mood",), {"positive": ("angy",)}, "column 'mood': no item has the label 'angy'; did you mean 'angry'"),
        (("toxic", "mood"), {}, "column 'mood': the labels are words .*'angry', 'calm', 'glad'"),
        (("split",), {}, r"column 'split': the labels are two words.*`positive` \('test' or 'train'\)"),
        (("id",), {}, "column 'id', row 3: the label 2 is neither"),
        (("toxic",), {"where": "id > 500"}, "no row meets the condition"),
        (("toxic",), {"where": "toxic"}, "every item is violating"),
        (("toxic",), {"where": "di > 5"}, "no column 'di'"),
        (("toxic",), {"without": "true"}, "no row meets the condition"),
        (("mood",), {"where": "mood = 'glad'"}, "column 'mood': every item is 'glad'"),
    ],
)
def test_faults(label: tuple[str, ...], options: dict[str, Any], says: str, tmp_path: Path) -> None:
    comments().write_parquet(tmp_path / "in.parquet")
    with pytest.raises(InputError, match=says) as caught:
        read(tmp_path / "in.parquet", *label, **options)
    assert "in.parquet: " in str(caught.value) or says.startswith(("`", "named"))


@pytest.mark.parametrize("column", ["toxic", "mood", "share"])
def test_an_empty_label_names_its_row(column: str, tmp_path: Path) -> None:
    table = comments().with_columns(pl.when(pl.col("id") != 41).then(column).alias(column))
    table.write_csv(tmp_path / "in.csv")
    with pytest.raises(InputError, match=rf"in\.csv: column '{column}', row 42: the label is empty"):
        read(tmp_path / "in.csv", column)
    with pytest.raises(InputError, match=rf"column '{column}', row 42"):
        read(tmp_path / "in.csv", column, where="id > 20")


def test_too_many_classes() -> None:
    with pytest.raises(InputError, match="column 'mood': 240 different labels: at most 100 classes are possible"):
        read(comments().with_columns(mood=pl.format("m{}", "id")), "mood")
