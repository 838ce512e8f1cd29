"""Tools that export a record a line: Argilla, doccano and Prodigy, each read as annotated items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evenhand.exchange.annotation_tools.items import AnnotatedItem, ItemAnnotation, ItemPrediction

Fields = Mapping[str, Any]
ANSWERED, DISCARDED, DRAFT = "submitted", "discarded", "draft"
RESPONSES = ".responses"


def read_argilla(records: Sequence[Fields], label: str | None = None) -> Iterator[AnnotatedItem]:
    """Records as the SDK writes them, as its server has them, or flattened; `label` names the question of several.

    Drafts are no answers; discarded responses are skips.
    """
    for number, record in enumerate(records, start=1):
        fields = record.get("fields")
        if isinstance(fields, Mapping):
            yield _nested(record, fields, number, label)
        else:
            yield _flattened(record, number, label)


def _nested(record: Fields, fields: Fields, number: int, label: str | None) -> AnnotatedItem:
    annotations = tuple(
        ItemAnnotation(str(one.get("user_id", "")), _listed(value), one.get("status") == DISCARDED)
        for one, value in _responses(record.get("responses") or (), label)
        if one.get("status") != DRAFT
    )
    suggestions = record.get("suggestions") or ()
    if isinstance(suggestions, Mapping):  # by question
        suggestions = [{**one, "question_name": name} for name, one in suggestions.items()]
    predictions = tuple(
        ItemPrediction(_listed(one.get("value")), _score(one.get("score")), str(one.get("agent") or ""))
        for one in suggestions
        if label in (None, one.get("question_name"))
    )
    text = next((str(fields[name]) for name in ("text", *fields) if name in fields), "")
    item = str(record.get("id") or record.get("external_id") or number)
    return AnnotatedItem(item, text, annotations, predictions, dict(record.get("metadata") or {}))


def _responses(responses: Any, label: str | None) -> Iterator[tuple[Fields, Any]]:
    """Each with its value: by question as the SDK writes them, or by user as the server has them."""
    if isinstance(responses, Mapping):
        yield from ((one, one.get("value")) for one in responses.get(_question(responses, label)) or ())
        return
    for one in responses:
        values = one.get("values") or {}
        yield one, (values.get(_question(values, label)) or {}).get("value")


def _question(values: Fields, label: str | None) -> str | None:
    return label if label is not None else next(iter(values), None)


def _flattened(record: Fields, number: int, label: str | None) -> AnnotatedItem:
    names = [name.removesuffix(RESPONSES) for name in record if name.endswith(RESPONSES)]
    question = label if label is not None else next(iter(names), "")
    values = record.get(f"{question}{RESPONSES}") or []
    users = record.get(f"{question}{RESPONSES}.users") or [""] * len(values)
    states = record.get(f"{question}{RESPONSES}.status") or [ANSWERED] * len(values)
    annotations = tuple(
        ItemAnnotation(str(user), _listed(value), state == DISCARDED)
        for value, user, state in zip(values, users, states, strict=True)
        if state != DRAFT
    )
    suggestion = f"{question}.suggestion"
    predictions: tuple[ItemPrediction, ...] = ()
    if record.get(suggestion) is not None:
        score, agent = _score(record.get(f"{suggestion}.score")), str(record.get(f"{suggestion}.agent") or "")
        predictions = (ItemPrediction(_listed(record[suggestion]), score, agent),)
    item = str(record.get("id") or number)
    return AnnotatedItem(item, str(record.get("text") or ""), annotations, predictions)


def read_doccano(records: Sequence[Fields], label: str | None = None) -> Iterator[AnnotatedItem]:
    """Records of text classification; labels of spans are left out. The tool does not say who labelled."""
    for number, record in enumerate(records, start=1):
        value = record.get(label or "label", record.get("labels"))
        labels = tuple(str(one) for one in _listed_raw(value) if not isinstance(one, (list, tuple)))
        who = str(record.get("annotator") or record.get("user") or "")
        annotations = (ItemAnnotation(who, labels),) if labels else ()
        data = {name: record[name] for name in ("meta", "Comments") if record.get(name)}
        item = str(record.get("id") or number)
        yield AnnotatedItem(item, str(record.get("text") or record.get("data") or ""), annotations, (), data)


def read_prodigy(records: Sequence[Fields], _: str | None = None) -> Iterator[AnnotatedItem]:
    """A record for each answer, joined by the hash of the input; `ignore` is a skip, `reject` says no to the label."""
    items: dict[str, list[tuple[str, ItemAnnotation, dict[str, Any]]]] = {}
    for number, record in enumerate(records, start=1):
        item = str(record.get("id") or record.get("_input_hash") or number)
        who = str(record.get("_annotator_id") or record.get("_session_id") or "")
        moment = record.get("_timestamp")
        answer = ItemAnnotation(
            *(who, _prodigy_labels(record), record.get("answer") == "ignore", False, None),
            None if moment is None else str(moment),
        )
        data = {key: value for key, value in record.items() if key == "meta" and value}
        items.setdefault(item, []).append((str(record.get("text") or ""), answer, data))
    for item, answers in items.items():
        yield AnnotatedItem(item, answers[0][0], tuple(answer for _, answer, _ in answers), (), answers[0][2])


def _prodigy_labels(record: Fields) -> tuple[str, ...]:
    if record.get("answer") == "ignore":
        return ()
    if "accept" in record:  # choices
        return tuple(map(str, record["accept"])) if record.get("answer") == "accept" else ()
    if "label" in record:  # one label, accepted or not
        named = str(record["label"])
        return (named if record.get("answer") == "accept" else f"not {named}",)
    return (str(record.get("answer", "")),)


def _listed(value: object) -> tuple[str, ...]:
    return tuple(map(str, _listed_raw(value)))


def _listed_raw(value: object) -> Sequence[Any]:
    return () if value is None else value if isinstance(value, (list, tuple)) else (value,)


def _score(value: Any) -> float | None:
    if isinstance(value, (list, tuple)):
        value = max(value, default=None)
    return None if value is None else float(value)
