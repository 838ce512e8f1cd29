"""What annotators answered, from any of the files they may hand back. Nothing is dropped without a word."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.audits.measurement.sheets import ANSWERS, ITEM, check_sheet
from evenhand.errors import InputError
from evenhand.evidence import faults, open_source
from evenhand.evidence.columns import Table

YES, NO = ("yes", "y", "1", "true", "1.0"), ("no", "n", "0", "false", "0.0")
UNCLEAR = ("cannot tell", "cannot_tell", "can't tell", "can’t tell", "cant tell")
MEANS: dict[str, float | None] = {
    **dict.fromkeys(YES, 1.0),
    **dict.fromkeys(NO, 0.0),
    **dict.fromkeys(UNCLEAR, None),
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What one annotator said of one item: 1 violates, 0 does not, None cannot tell; and where that stands."""

    id: str
    value: float | None
    annotator: str
    source: str
    row: int


def read_answers(
    paths: Sequence[Path], known: Collection[str], *, label: str = "label", annotator: str | None = None
) -> list[Answer]:
    """All answers of all files, in order; rows without one are left for others. `known` are ids there may be."""
    found: list[Answer] = []
    for path in paths:
        read = _label_studio if path.suffix.lower() == ".json" else _table
        found += read(path, frozenset(known), label, annotator)
    return found


def check_free(out: Path) -> None:
    """A sheet may be written here: nothing is there, or a sheet that nobody has filled in."""
    check_sheet(out)
    if not out.exists():
        return
    try:
        answers = read_answers([out], ())
    except InputError:
        raise InputError("this is another file already: choose another name for the batch", source=str(out)) from None
    if answers:
        problem = f"this sheet holds {len(answers):,} answers already: choose another name for the batch"
        raise InputError(problem, source=str(out))


def matched(id_: str, known: frozenset[str]) -> str:
    """An id as the plan has it, whatever a sheet made of it."""
    plain = id_.strip()
    for form in (id_, plain, plain.removeprefix("'"), plain.removesuffix(".0")):
        if form in known:
            return form
    return plain.removeprefix("'")


def meaning(said: str, path: Path, column: str, row: int) -> float | None:
    """Of an answer; blanks and case do not matter."""
    word = " ".join(said.split()).lower().removeprefix("'")
    if word not in MEANS:
        problem = f"an answer is {', '.join(ANSWERS[:-1])} or {ANSWERS[-1]} (or 1, 0), not '{said}'"
        raise InputError(problem, source=str(path), column=column, row=row)
    return MEANS[word]


def _table(path: Path, known: frozenset[str], label: str, annotator: str | None) -> list[Answer]:
    """A table with a row an answer; everything is read as the text it is."""
    source = open_source(path)
    columns, wanted = list(source.columns()), ["id", label, *([annotator] if annotator else [])]
    for column in wanted:
        if column not in columns:
            hint = " (--label names the column of answers)" if column == label else ""
            error = faults.unknown_column(column, columns, source.name)
            raise InputError(error.problem + hint, source=source.name)
    table = Table(source.name, source.as_written(wanted))
    ids, said = table.words("id", "ids"), table.words(label, "answers")
    who = table.words(annotator, "annotators") if annotator else pl.Series([""] * len(ids))
    found = []
    for row, (id_, answer, name) in enumerate(zip(ids, said, who, strict=True), start=1):
        if answer is None:
            continue
        if id_ is None or (annotator and name is None):
            missing = "id" if id_ is None else annotator
            raise InputError("there is an answer and this is empty", source=source.name, column=missing, row=row)
        found.append(Answer(matched(id_, known), meaning(answer, path, label, row), name or "", str(path), row))
    return found


def _label_studio(path: Path, known: frozenset[str], label: str, annotator: str | None) -> list[Answer]:
    """An export of Label Studio, JSON or JSON-MIN; every annotation is an answer."""
    found = []
    for row, task in enumerate(_tasks(path), start=1):
        data = task.get("data", task)
        if not isinstance(data, dict) or ITEM not in data:
            problem = f"task {row} has no '{ITEM}': is it an export of the tasks that were drawn?"
            raise InputError(problem, source=str(path))
        try:
            answers = list(_said(task, label))
        except (AttributeError, TypeError, KeyError, IndexError):
            raise InputError(f"task {row} is not as Label Studio writes them", source=str(path)) from None
        for said, who in answers:
            id_ = matched(str(data[ITEM]), known)
            found.append(Answer(id_, meaning(said, path, label, row), who if annotator else "", str(path), row))
    return found


def _said(task: dict[str, Any], label: str) -> Iterator[tuple[str, str]]:
    """Answers of one task with who gave them; annotations that were cancelled or left empty are none."""
    if "annotations" not in task:
        if isinstance(task.get(label), str):
            yield task[label], str(task.get("annotator", ""))
        return
    for annotation in task["annotations"]:
        if annotation.get("was_cancelled"):
            continue
        for result in annotation.get("result", ()):
            if result.get("from_name") == label and result.get("value", {}).get("choices"):
                yield str(result["value"]["choices"][0]), _who(annotation.get("completed_by", ""))


def _who(given: Any) -> str:
    return str(given.get("email") or given.get("id") or "") if isinstance(given, dict) else str(given)


def _tasks(path: Path) -> list[dict[str, Any]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        problem = (
            "there is no such file" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror}"
        )
        raise InputError(problem, source=str(path)) from None
    except (ValueError, RecursionError):
        raise InputError("this is not JSON", source=str(path)) from None
    if not isinstance(content, list) or not all(isinstance(task, dict) for task in content):
        raise InputError("an export of Label Studio is a list of tasks; tables come as CSV, XLSX, …", source=str(path))
    return content
