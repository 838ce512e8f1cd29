"""An item with what people and models said of it, the same for every tool; and the table with a row for each answer.

The table is what `evenhand audit --audits perspective` reads: item, annotator, label. Skipped answers have no label. A
row without an annotator is the prediction of a model. Several labels of one answer are written as a JSON list.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from evenhand.documents import parse_json
from evenhand.errors import InputError

TABLE_COLUMNS: dict[str, type[pl.DataType]] = {
    "item": pl.String,
    "text": pl.String,
    "annotator": pl.String,
    "label": pl.String,
    "skipped": pl.Boolean,
    "gold": pl.Boolean,
    "lead_time": pl.Float64,
    "created_at": pl.String,
    "score": pl.Float64,
    "model": pl.String,
    "data": pl.String,
}


@dataclass(frozen=True, slots=True)
class ItemAnnotation:
    """What one person said: labels, or nothing where it was skipped; `gold` is a reference answer."""

    annotator: str
    labels: tuple[str, ...]
    skipped: bool = False
    gold: bool = False
    lead_time: float | None = None  # seconds
    created_at: str | None = None


@dataclass(frozen=True, slots=True)
class ItemPrediction:
    """What a model said."""

    labels: tuple[str, ...]
    score: float | None = None
    model: str = ""


@dataclass(frozen=True, slots=True)
class AnnotatedItem:
    """One item: its id and text, all else that the tool holds of it, and the answers."""

    item: str
    text: str
    annotations: tuple[ItemAnnotation, ...] = ()
    predictions: tuple[ItemPrediction, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)


def annotation_table(items: Sequence[AnnotatedItem]) -> pl.DataFrame:
    """A row for each answer and prediction; an item without any has one row, so that none is lost."""
    return pl.DataFrame([row for item in items for row in _rows(item)], schema=TABLE_COLUMNS, orient="row")


def _rows(item: AnnotatedItem) -> Iterator[dict[str, Any]]:
    data = json.dumps(item.data, ensure_ascii=False, sort_keys=True) if item.data else None
    common = {"item": item.item, "text": item.text, "data": data}
    for one in item.annotations:
        yield {
            **_empty(common),
            **{name: getattr(one, name) for name in ("annotator", "skipped", "gold", "lead_time", "created_at")},
            "label": _joined(one.labels),
        }
    for prediction in item.predictions:
        own = {"label": _joined(prediction.labels), "score": prediction.score, "model": prediction.model}
        yield {**_empty(common), **own}
    if not item.annotations and not item.predictions:
        yield _empty(common)


def _empty(common: Mapping[str, Any]) -> dict[str, Any]:
    return {**dict.fromkeys(TABLE_COLUMNS), **common}


def _joined(labels: tuple[str, ...]) -> str | None:
    if not labels:
        return None
    return labels[0] if len(labels) == 1 and not labels[0].startswith("[") else json.dumps(labels, ensure_ascii=False)


def items_from_table(frame: pl.DataFrame, source: str) -> list[AnnotatedItem]:
    """The items of such a table; columns that are not there are empty."""
    for column in ("item", "text"):
        if column not in frame.columns:
            raise InputError("missing: a table of annotations needs this column", source=source, column=column)
    missing = [name for name in TABLE_COLUMNS if name not in frame.columns]
    whole = frame.with_columns(pl.lit(None, dtype=TABLE_COLUMNS[name]).alias(name) for name in missing)
    try:
        whole = whole.select(pl.col(name).cast(kind) for name, kind in TABLE_COLUMNS.items())
    except pl.exceptions.PolarsError:
        raise InputError("a column of the table is not of its kind", source=source) from None
    grouped: dict[str, list[dict[str, Any]]] = {}
    for number, row in enumerate(whole.iter_rows(named=True), start=1):
        if row["item"] is None:
            raise InputError("empty: every row needs an item", source=source, column="item", row=number)
        grouped.setdefault(row["item"], []).append({**row, "row": number})
    return [_item(rows, source) for rows in grouped.values()]


def _item(rows: Sequence[Mapping[str, Any]], source: str) -> AnnotatedItem:
    first = rows[0]
    annotations = tuple(
        ItemAnnotation(
            *(row["annotator"], _split(row, source), bool(row["skipped"]), bool(row["gold"])),
            *(row["lead_time"], row["created_at"]),
        )
        for row in rows
        if row["annotator"] is not None
    )
    predictions = tuple(
        ItemPrediction(_split(row, source), row["score"], row["model"] or "")
        for row in rows
        if row["annotator"] is None and (row["label"] is not None or row["score"] is not None)
    )
    data = _parsed(first["data"], source, first["row"]) if first["data"] else {}
    return AnnotatedItem(first["item"], first["text"] or "", annotations, predictions, data)


def _split(row: Mapping[str, Any], source: str) -> tuple[str, ...]:
    label = row["label"]
    if label is None:
        return ()
    if not label.startswith("["):
        return (label,)
    labels = _parsed(label, source, row["row"])
    return tuple(map(str, labels)) if isinstance(labels, list) else (label,)


def _parsed(text: str, source: str, row: int) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        raise InputError("not JSON", source=source, column="data", row=row) from None
