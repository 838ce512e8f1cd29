"""Exports of annotation tools: nothing that they hold is lost on the way in, and Label Studio's come back the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.exchange.annotation_tools import (
    AnnotatedItem,
    ItemAnnotation,
    ItemPrediction,
    annotation_table,
    read_tool_files,
    write_tasks,
)
from evenhand.exchange.annotation_tools.items import items_from_table
from evenhand.exchange.annotation_tools.label_studio import label_studio_tasks

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
NAMES = st.text("abcdefgh@.0123456789", min_size=1, max_size=8).filter(lambda n: not (n.isdigit() and n != str(int(n))))
LABELS = st.lists(TEXTS, min_size=1, max_size=3, unique=True).map(tuple)
ANNOTATIONS = st.one_of(
    st.builds(
        *(ItemAnnotation, NAMES, LABELS, st.just(False), st.booleans()),
        *(st.none() | st.floats(0, 1e6), st.none() | st.just("2026-01-31T12:00:00Z")),
    ),
    st.builds(ItemAnnotation, NAMES, st.just(()), st.just(True)),
)
PREDICTIONS = st.builds(ItemPrediction, LABELS, st.none() | st.floats(0, 1), st.sampled_from(["", "model-3"]))
ITEMS = st.lists(
    st.builds(
        *(AnnotatedItem, st.text("abc123-", min_size=1, max_size=8), TEXTS),
        st.lists(ANNOTATIONS, max_size=3).map(tuple),
        st.lists(PREDICTIONS, max_size=2).map(tuple),
        st.dictionaries(st.sampled_from(["language", "thread"]), TEXTS, max_size=2),
    ),
    min_size=1,
    max_size=5,
    unique_by=lambda item: item.item,
)


@settings(max_examples=25, deadline=None)
@given(items=ITEMS)
def test_label_studio_comes_back_the_same(tmp_path_factory: pytest.TempPathFactory, items: list[AnnotatedItem]) -> None:
    path = tmp_path_factory.mktemp("tasks") / "tasks.json"
    write_tasks(items, path)
    assert read_tool_files([path], "label-studio") == items


@settings(max_examples=25, deadline=None)
@given(items=ITEMS)
def test_the_table_comes_back_the_same(items: list[AnnotatedItem]) -> None:
    assert items_from_table(annotation_table(items), "table") == items


def test_tasks_are_what_label_studio_imports() -> None:
    item = AnnotatedItem(
        *("c1", "some text", (ItemAnnotation("ann@example.org", ("yes",), False, True, 4.2),)),
        (ItemPrediction(("no",), 0.3, "v2"),),
        {"language": "en"},
    )
    (task,) = label_studio_tasks([item])
    assert task["data"] == {"item": "c1", "text": "some text", "language": "en"}
    (annotation,) = task["annotations"]
    assert annotation["ground_truth"] is True
    assert annotation["result"][0] == {
        "id": "r1",
        "from_name": "label",
        "to_name": "text",
        "type": "choices",
        "value": {"choices": ["yes"]},
    }
    assert task["predictions"][0]["score"] == 0.3


def test_types_of_the_label_studio_sdk_take_our_tasks() -> None:
    types = pytest.importorskip("label_studio_sdk.types")
    item = AnnotatedItem("c1", "text", (ItemAnnotation("7", ("yes",)),), (ItemPrediction(("no",), 0.3, "v2"),))
    (task,) = label_studio_tasks([item])
    for annotation in task["annotations"]:
        types.Annotation.model_validate(annotation)
    for prediction in task["predictions"]:
        types.Prediction.model_validate({**prediction, "task": 1})


def written(path: Path, records: list[Any]) -> Path:
    path.write_text("\n".join(json.dumps(record) for record in records))
    return path


def test_argilla_is_read_in_both_forms(tmp_path: Path) -> None:
    nested = {
        "id": "r1",
        "fields": {"text": "hello"},
        "metadata": {"language": "en"},
        "suggestions": [{"question_name": "label", "value": "toxic", "score": 0.8, "agent": "model-3"}],
        "responses": [
            {"values": {"label": {"value": "toxic"}}, "status": "submitted", "user_id": "u1"},
            {"values": {}, "status": "discarded", "user_id": "u2"},
            {"values": {"label": {"value": "ok"}}, "status": "draft", "user_id": "u3"},
        ],
    }
    flat = {
        "id": "r1",
        "text": "hello",
        "label.responses": ["toxic", None, "ok"],
        "label.responses.users": ["u1", "u2", "u3"],
        "label.responses.status": ["submitted", "discarded", "draft"],
        "label.suggestion": "toxic",
        "label.suggestion.score": 0.8,
        "label.suggestion.agent": "model-3",
    }
    (one,) = read_tool_files([written(tmp_path / "a.jsonl", [nested])], "argilla")
    (other,) = read_tool_files([written(tmp_path / "b.jsonl", [flat])], "argilla", label="label")
    assert one.annotations == other.annotations
    assert one.annotations == (ItemAnnotation("u1", ("toxic",)), ItemAnnotation("u2", (), True))
    assert one.predictions == other.predictions == (ItemPrediction(("toxic",), 0.8, "model-3"),)
    assert one.data == {"language": "en"}


SDK_RECORD = {  # as `Record.to_dict` of argilla 2.8 gives it
    "id": "c1",
    "fields": {"text": "hello"},
    "metadata": {"language": "en"},
    "vectors": {},
    "status": "pending",
    "suggestions": {"label": {"value": "toxic", "score": 0.8, "agent": "m"}},
    "responses": {"label": [{"value": "toxic", "user_id": "00000000-0000-0000-0000-000000000001"}]},
    "_server_id": None,
}
SDK_ITEM = AnnotatedItem(
    *("c1", "hello", (ItemAnnotation("00000000-0000-0000-0000-000000000001", ("toxic",)),)),
    *((ItemPrediction(("toxic",), 0.8, "m"),), {"language": "en"}),
)


def test_records_of_the_argilla_sdk_are_read(tmp_path: Path) -> None:
    assert read_tool_files([written(tmp_path / "a.jsonl", [SDK_RECORD])], "argilla") == [SDK_ITEM]


def test_the_installed_argilla_writes_what_we_read(tmp_path: Path) -> None:
    argilla = pytest.importorskip("argilla")
    (answer,), (suggestion,) = SDK_RECORD["responses"]["label"], [SDK_RECORD["suggestions"]["label"]]
    record = argilla.Record(
        id="c1",
        fields={"text": "hello"},
        metadata={"language": "en"},
        responses=[argilla.Response("label", "toxic", user_id=UUID(answer["user_id"]))],
        suggestions=[argilla.Suggestion("label", **suggestion)],
    )
    (tmp_path / "a.jsonl").write_text(json.dumps(record.to_dict(), default=str))
    assert read_tool_files([tmp_path / "a.jsonl"], "argilla") == [SDK_ITEM]


def test_doccano_users_are_their_files(tmp_path: Path) -> None:
    record = {"id": 3, "text": "hello", "label": ["toxic", [0, 2, "SPAN"]], "Comments": ["unsure"]}
    paths = [written(tmp_path / f"{user}.jsonl", [record]) for user in ("ann", "ben")]
    (item,) = read_tool_files(paths, "doccano")
    assert item.annotations == (ItemAnnotation("ann", ("toxic",)), ItemAnnotation("ben", ("toxic",)))
    assert (item.item, item.data) == ("3", {"Comments": ["unsure"]})


def test_prodigy_answers_are_joined_by_input(tmp_path: Path) -> None:
    common = {"text": "hello", "_input_hash": 99, "_timestamp": 1_770_000_000}
    records = [
        {**common, "accept": ["toxic"], "answer": "accept", "_annotator_id": "set-ann"},
        {**common, "accept": [], "answer": "ignore", "_annotator_id": "set-ben"},
        {**common, "label": "toxic", "answer": "reject", "_session_id": "set-cem"},
    ]
    (item,) = read_tool_files([written(tmp_path / "p.jsonl", records)], "prodigy")
    assert [(one.annotator, one.labels, one.skipped) for one in item.annotations] == [
        ("set-ann", ("toxic",), False),
        ("set-ben", (), True),
        ("set-cem", ("not toxic",), False),
    ]


def test_a_table_of_answers_is_evidence(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    items = [
        AnnotatedItem(
            str(number),
            f"text {number}",
            tuple(ItemAnnotation(who, (str(rng.choice(["yes", "no"])),)) for who in ("ann", "ben", "cem")),
        )
        for number in range(40)
    ]
    annotation_table(items).write_csv(tmp_path / "labels.csv")
    frame = pl.read_csv(tmp_path / "labels.csv")
    assert frame.height == 120
    assert set(frame["label"]) == {"yes", "no"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("not json", "not JSON or JSON Lines"),
        ("[]", "no records"),
        ("[1, 2]", "no JSON objects"),
        ('[{"annotations": 3}]', "record 1 is not in the format of Label Studio"),
        ('[{"data": {"item": "a", "text": "x"}}, {"data": {"item": "a", "text": "y"}}]', "two texts have the id 'a'"),
        ('[{"data": {"text": "x"}}]', "record 1: no id"),
    ],
    ids=["words", "empty", "numbers", "shape", "twice", "no id"],
)
def test_what_is_no_export_is_refused(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(InputError, match=said):
        read_tool_files([tmp_path / "x.json"], "label-studio")


def test_an_unknown_tool_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="did you mean 'label-studio'"):
        read_tool_files([tmp_path / "x.json"], "label studio")
