"""The tools whose files are read, one row each, and how a file is opened within limits."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evenhand.documents import parse_json
from evenhand.errors import InputError, nearest
from evenhand.exchange.annotation_tools.items import AnnotatedItem
from evenhand.exchange.annotation_tools.json_lines_tools import read_argilla, read_doccano, read_prodigy
from evenhand.exchange.annotation_tools.label_studio import label_studio_tasks, read_label_studio
from evenhand.files import text_of, unreadable, write_text

ToolReader = Callable[[Sequence[Any], "str | None"], Iterator[AnnotatedItem]]
TOOLS: dict[str, tuple[str, ToolReader]] = {  # the name of each tool, and its reader
    "label-studio": ("Label Studio", read_label_studio),
    "argilla": ("Argilla", read_argilla),
    "doccano": ("doccano", read_doccano),
    "prodigy": ("Prodigy", read_prodigy),
}


def read_tool_files(paths: Sequence[Path], tool: str, *, label: str | None = None) -> list[AnnotatedItem]:
    """All items of some exports; answers to one item in several files, or records, are put together.

    doccano writes a file for each user: who is not named in a record has the name of the file.
    """
    if tool not in TOOLS:
        raise InputError(f"invalid `tool`: '{tool}'; {nearest(tool, TOOLS)}")
    items: dict[str, AnnotatedItem] = {}
    for path in paths:
        for number, item in enumerate(_read_file(path, tool, label), start=1):
            known = items.get(item.item)
            if not item.item or (known is not None and known.text != item.text):
                problem = f"record {number}: " + ("two texts have the id '{}'" if item.item else "no id").format(
                    item.item
                )
                raise InputError(problem, source=str(path))
            named = _named(item, path.stem)
            items[item.item] = named if known is None else _joined(known, named)
    return list(items.values())


def _named(item: AnnotatedItem, user: str) -> AnnotatedItem:
    """With the name of a user for answers that have none."""
    return replace(item, annotations=tuple(replace(one, annotator=one.annotator or user) for one in item.annotations))


def _joined(first: AnnotatedItem, more: AnnotatedItem) -> AnnotatedItem:
    annotations, predictions = first.annotations + more.annotations, first.predictions + more.predictions
    return replace(first, annotations=annotations, predictions=predictions)


def _read_file(path: Path, tool: str, label: str | None) -> list[AnnotatedItem]:
    title, read = TOOLS[tool]
    records = _records(path)
    items: list[AnnotatedItem] = []
    try:
        for item in read(records, label):
            items.append(item)
    except (AttributeError, TypeError, KeyError, IndexError, ValueError):
        problem = f"record {len(items) + 1} is not in the format of {title}"
        raise InputError(problem, source=str(path)) from None
    return items


def _records(path: Path) -> list[Any]:
    """Every record is an object."""
    text = text_of(path, lambda error: unreadable(error, "this is not JSON"), encoding="utf-8-sig")
    try:
        if text.lstrip().startswith("["):
            records = parse_json(text)
        else:
            records = [parse_json(line) for line in text.splitlines() if line.strip()]
    except InputError as error:
        raise error.within(str(path)) from None
    except ValueError:
        raise InputError("not JSON or JSON Lines", source=str(path)) from None
    if not records or not all(isinstance(record, dict) for record in records):
        raise InputError("no records are in this file, or some are no JSON objects", source=str(path))
    return list(records)


def write_tasks(items: Sequence[AnnotatedItem], out: Path) -> None:
    """Tasks for Label Studio, as JSON."""
    write_text(out, json.dumps(label_studio_tasks(items), ensure_ascii=False, indent=1, allow_nan=False) + "\n")
