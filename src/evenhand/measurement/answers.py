"""What annotators answered, read from the files they hand back: tables or exports of Label Studio.

An answer that cannot be read is refused with its file, column and row; nothing is dropped silently.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.documents import parse_json
from evenhand.errors import InputError
from evenhand.evidence import open_source
from evenhand.evidence.columns import SourceTable, yes_or_no
from evenhand.files import text_of, unreadable
from evenhand.inputs import unrecorded
from evenhand.measurement.sheets import ANSWERS, ITEM_FIELD, check_sheet

UNCLEAR_WORDS = ("cannot tell", "cannot_tell", "can't tell", "can’t tell", "cant tell")
GOLD_LABEL = "truth"  # the column of the answers to gold items


@dataclass(frozen=True, slots=True)
class Answer:
    """What one annotator said of one item: 1 violates, 0 does not, None cannot tell; and where that stands."""

    id: str
    value: float | None
    annotator: str
    source: str
    row: int


def read_answers(
    paths: Sequence[Path],
    known: Collection[str],
    *,
    label: str = "label",
    annotator: str | None = None,
    positive: Sequence[str] = (),
) -> list[Answer]:
    """All answers of all files, in order; rows without one are left for others. `known` are ids there may be.

    Where answers are other words than yes and no, `positive` are those that mean violating; one other word means not.
    """
    answers: list[Answer] = []
    words = AnswerWords(frozenset(map(_plain_word, positive)))
    for path in paths:
        read = _label_studio if path.suffix.lower() == ".json" else _table
        answers += read(path, frozenset(known), label, annotator, words)
    return answers


class AnswerWords:
    """What answers mean: yes, no and cannot tell; or declared words for yes, and one word for no."""

    def __init__(self, positive: frozenset[str] = frozenset()) -> None:
        self.positive, self.negative = positive, ""

    def value(self, text: str, path: Path, column: str, row: int) -> float | None:
        """Of an answer; blanks and case do not matter."""
        word = _plain_word(text)
        if word in UNCLEAR_WORDS:
            return None
        if word in self.positive:
            return 1.0
        if (value := yes_or_no(word)) is not None:
            return float(value)
        if self.positive and self.negative in ("", word):
            self.negative = word
            return 0.0
        raise InputError(f"invalid answer: '{text}' ({self._allowed()})", source=str(path), column=column, row=row)

    def _allowed(self) -> str:
        words = (*sorted(self.positive), *([self.negative] if self.negative else []), *ANSWERS[:-1])
        also = "" if self.positive else "; 1 and 0 also work"
        return f"must be {', '.join(words)} or {ANSWERS[-1]}{also}"


def _plain_word(text: str) -> str:
    return " ".join(str(text).split()).lower().removeprefix("'")


def answers_by_item(answers: Sequence[Answer]) -> dict[str, float | None]:
    """One answer for each item; two that differ are refused."""
    by_item: dict[str, float | None] = {}
    for answer in answers:
        if by_item.setdefault(answer.id, answer.value) != answer.value:
            problem = f"the item '{answer.id}' has two different answers: keep one of them"
            raise InputError(problem, source=answer.source, row=answer.row)
    return by_item


def check_sheet_path(out: Path) -> None:
    """Check that a sheet may be written here: there is no file, or a sheet without answers."""
    check_sheet(out)
    if not out.exists():
        return
    try:
        with unrecorded():
            answers = read_answers([out], ())
    except InputError:
        raise InputError(
            "another file with this name exists: choose another name for the batch", source=str(out)
        ) from None
    if answers:
        problem = f"this sheet already has answers ({len(answers):,}): choose another name for the batch"
        raise InputError(problem, source=str(out))


def match_id(id_: str, known: frozenset[str]) -> str:
    """An id as the plan has it, whatever a sheet made of it."""
    plain = id_.strip()
    for form in (id_, plain, plain.removeprefix("'"), plain.removesuffix(".0")):
        if form in known:
            return form
    return plain.removeprefix("'")


def answer_value(text: str, path: Path, column: str, row: int) -> float | None:
    """Of an answer in usual words."""
    return AnswerWords().value(text, path, column, row)


def _column_hint(column: str, label: str) -> str:
    if label == GOLD_LABEL:
        return f" (gold items need the columns id and {GOLD_LABEL})"
    return " (`label` names the column with the answers)" if column == label else ""


def _table(path: Path, known: frozenset[str], label: str, annotator: str | None, words: AnswerWords) -> list[Answer]:
    """A table with a row an answer; everything is read as the text it is."""
    source = open_source(path)
    wanted = ["id", label, *([annotator] if annotator else [])]
    for column in wanted:
        try:
            source = source.naming([column])
        except InputError as error:
            raise error.rephrased(error.problem + _column_hint(column, label)) from None
    table = SourceTable(source.name, source.as_written(wanted))
    ids, given_answers = table.words("id", "ids"), table.words(label, "answers")
    who = table.words(annotator, "annotators") if annotator else pl.Series([""] * len(ids))
    answers = []
    for row, (id_, answer, name) in enumerate(zip(ids, given_answers, who, strict=True), start=1):
        if answer is None:
            continue
        if id_ is None or (annotator and name is None):
            missing = "id" if id_ is None else annotator
            raise InputError("empty, although the row has an answer", source=source.name, column=missing, row=row)
        answers.append(Answer(match_id(id_, known), words.value(answer, path, label, row), name or "", str(path), row))
    return answers


def _label_studio(
    path: Path, known: frozenset[str], label: str, annotator: str | None, words: AnswerWords
) -> list[Answer]:
    """An export of Label Studio, JSON or JSON-MIN; every annotation is an answer."""
    collected = []
    for row, task in enumerate(_tasks(path), start=1):
        data = task.get("data", task)
        if not isinstance(data, dict) or ITEM_FIELD not in data:
            problem = f"task {row} has no '{ITEM_FIELD}': export the tasks that `evenhand sample draw` wrote"
            raise InputError(problem, source=str(path))
        try:
            answers = list(_said(task, label))
        except (AttributeError, TypeError, KeyError, IndexError):
            raise InputError(f"task {row} is not in the format of a Label Studio export", source=str(path)) from None
        for text, who in answers:
            id_ = match_id(str(data[ITEM_FIELD]), known)
            collected.append(Answer(id_, words.value(text, path, label, row), who if annotator else "", str(path), row))
    return collected


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


def _who(annotator: object) -> str:
    return str(annotator.get("email") or annotator.get("id") or "") if isinstance(annotator, dict) else str(annotator)


def _tasks(path: Path) -> list[dict[str, Any]]:
    text = text_of(path, lambda error: unreadable(error, "this is not JSON"), encoding="utf-8-sig")
    try:
        content = parse_json(text)
    except InputError as error:
        raise error.within(str(path)) from None
    except ValueError:
        raise InputError("this is not JSON", source=str(path)) from None
    if not isinstance(content, list) or not all(isinstance(task, dict) for task in content):
        raise InputError(
            "not a Label Studio export, which is a list of tasks; give other labels as CSV, XLSX, …", source=str(path)
        )
    return content
