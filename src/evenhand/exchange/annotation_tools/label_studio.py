"""Label Studio: its JSON export read with annotations, skips, reference answers, lead times and predictions; and tasks.

Only results of type `choices` are read: a classification. The field `item` of a task's data is its id, as in the sheets
of `evenhand sample draw`; without it the id of the task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evenhand.exchange.annotation_tools.items import AnnotatedItem, ItemAnnotation, ItemPrediction

ITEM, TEXT, LABEL = "item", "text", "label"
Fields = Mapping[str, Any]


def read_label_studio(tasks: Sequence[Fields], label: str | None = None) -> Iterator[AnnotatedItem]:
    """From the tasks of an export; `label` names the choices, where a task has several."""
    for task in tasks:
        data = dict(task["data"])
        item, text = str(data.pop(ITEM, task.get("id", ""))), str(data.pop(TEXT, ""))
        annotations = tuple(_annotation(one, label) for one in task.get("annotations") or ())
        predictions = tuple(_prediction(one, label) for one in task.get("predictions") or ())
        yield AnnotatedItem(item, text, annotations, predictions, data)


def _annotation(one: Fields, label: str | None) -> ItemAnnotation:
    skipped = bool(one.get("was_cancelled"))
    lead_time = one.get("lead_time")
    return ItemAnnotation(
        _annotator(one.get("completed_by", "")),
        _labels(one, label),
        skipped,
        bool(one.get("ground_truth")),
        None if lead_time is None else float(lead_time),
        one.get("created_at"),
    )


def _prediction(one: Fields, label: str | None) -> ItemPrediction:
    score = one.get("score")
    return ItemPrediction(
        _labels(one, label), None if score is None else float(score), str(one.get("model_version") or "")
    )


def _labels(one: Fields, label: str | None) -> tuple[str, ...]:
    for result in one.get("result") or ():
        choices = (result.get("value") or {}).get("choices")
        if choices and label in (None, result.get("from_name")):
            return tuple(map(str, choices))
    return ()


def _annotator(who: object) -> str:
    if isinstance(who, Mapping):
        return str(who.get("email") or who.get("id") or "")
    return str(who)


def label_studio_tasks(items: Sequence[AnnotatedItem]) -> list[dict[str, Any]]:
    """The items as tasks to import, with annotations and predictions where there are any."""
    return [
        {
            "data": {ITEM: item.item, TEXT: item.text, **item.data},
            "annotations": [_written_annotation(one) for one in item.annotations],
            "predictions": [_written_prediction(one) for one in item.predictions],
        }
        for item in items
    ]


def _written_annotation(one: ItemAnnotation) -> dict[str, Any]:
    who = int(one.annotator) if one.annotator.isascii() and one.annotator.isdigit() else {"email": one.annotator}
    optional = {"lead_time": one.lead_time, "created_at": one.created_at}
    return {
        "completed_by": who,
        "result": _result(one.labels),
        "was_cancelled": one.skipped,
        "ground_truth": one.gold,
        **{name: value for name, value in optional.items() if value is not None},
    }


def _written_prediction(one: ItemPrediction) -> dict[str, Any]:
    optional = {"score": one.score, "model_version": one.model or None}
    return {"result": _result(one.labels), **{name: value for name, value in optional.items() if value is not None}}


def _result(labels: tuple[str, ...]) -> list[dict[str, Any]]:
    if not labels:
        return []
    return [{"id": "r1", "from_name": LABEL, "to_name": TEXT, "type": "choices", "value": {"choices": list(labels)}}]
