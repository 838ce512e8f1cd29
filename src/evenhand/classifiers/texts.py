"""Texts from a table: which column holds them and, for training, the labels that go with them.

The text column is declared or found by its name, never by its values. Labels are one column of true and false, one
column of class names, or several columns of true and false.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from evenhand.arrays import Bools
from evenhand.classifiers.protocol import LabelledTexts, Targets
from evenhand.errors import InputError
from evenhand.evidence import Declaration, Source, checks, columns
from evenhand.evidence.columns import SourceTable
from evenhand.evidence.condition import sql_condition

TEXT_COLUMN_NAMES = (
    "text",
    "comment_text",
    "comment",
    "body",
    "content",
    "message",
    "post",
    "tweet",
    "sentence",
    "phrase",
)


def text_column(source: Source, declared: str | None) -> str:
    """The column to read; `InputError` where it is not there or more than one could be meant."""
    schema = source.columns()
    source.check_texts(schema)
    if declared is not None:
        source = source.naming([declared])
        declared = source.other_names.get(declared, declared)
        if schema[declared] not in (pl.String, pl.Categorical, pl.Enum, pl.Null):
            raise InputError(f"texts must be text, not {schema[declared]}", source=source.name, column=declared)
        return declared
    words = [column for column, kind in schema.items() if kind == pl.String]
    named = [column for column in words if column.lower() in TEXT_COLUMN_NAMES]
    candidates = named or words
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        listed = ", ".join(f"'{column}'" for column in candidates[:6])
        problem = f"more than one column could be the text ({listed}): say which with `text`"
    else:
        problem = "no column holds text: say which with `text`"
    raise InputError(problem, source=source.name)


ROW = "\0row"


@dataclass(frozen=True, kw_only=True)
class TrainingColumns:
    """What is to be learnt: one label (yes or no, or one of several words), or several labels of yes or no."""

    label: tuple[str, ...]
    text: str | None = None
    positive: tuple[str, ...] = ()
    label_threshold: float = 0.5
    where: str | None = None
    also: str | None = None  # another condition that rows must meet
    without: str | None = None  # rows that are left out, in SQL as well
    called: str | None = None  # what the one class is called, where the name of the column says little

    def __post_init__(self) -> None:
        if not self.label:
            raise InputError("name the label column: set `label`")
        if len(set(self.label)) < len(self.label):
            raise InputError(f"a label column is named twice: {', '.join(self.label)}")
        if len(self.label) > 1 and self.positive:
            raise InputError("several labels are each true or false: `positive` goes with one label")
        if len(self.label) > 1 and self.called:
            raise InputError("several labels are called as their columns: `called` goes with one label")


def read_labelled_texts(source: Source, question: TrainingColumns) -> LabelledTexts:
    """Read and check; rows without a text teach nothing and are left out."""
    text = text_column(source, question.text)
    source = source.naming(question.label)
    if text in question.label:
        raise InputError(f"'{text}' cannot be both the text and the label", source=source.name)
    table = _read_rows(source, [text, *question.label], question)
    texts = table.frame[text].cast(pl.String)
    filled = texts.is_not_null() & (texts.str.strip_chars() != "")
    if not filled.any():
        raise InputError("no row has a text", source=source.name, column=text)
    truth, targets = _truth(table, question)
    return LabelledTexts(texts.filter(filled).to_list(), truth[filled.to_numpy()].astype(np.float32), targets)


def _read_rows(source: Source, wanted: list[str], question: TrainingColumns) -> SourceTable:
    conditions = [sql_condition(where, source) for where in (question.where, question.also) if where is not None]
    conditions += [~sql_condition(question.without, source).fill_null(False)] if question.without is not None else []
    frame = source.collect(lambda lazy: lazy.with_row_index(ROW).filter(*conditions).select(ROW, *wanted))
    if not len(frame):
        raise InputError("no row meets the conditions" if conditions else "there are no rows", source=source.name)
    return SourceTable(source.name, frame, frame[ROW], source.decimal)


def _truth(table: SourceTable, question: TrainingColumns) -> tuple[Bools, Targets]:
    if len(question.label) == 1 and _is_words(table, question):
        if question.called:
            table.fail("several words are called as they are: `called` goes with one class", question.label[0])
        return _one_of(table, question.label[0])
    label_columns = [_yes_or_no(table, column, question) for column in question.label]
    several = len(question.label) > 1
    one = (question.called,) if question.called else (question.positive[:1] or question.label)
    names = question.label if several else one
    return np.column_stack(label_columns), Targets("multi-label" if several else "binary", tuple(names))


def _yes_or_no(table: SourceTable, column: str, question: TrainingColumns) -> Bools:
    declared = Declaration(label=column, positive=question.positive, label_threshold=question.label_threshold)
    return checks.read_labels(table, declared)[0]


def _is_words(table: SourceTable, question: TrainingColumns) -> bool:
    """Text that is not numbers or true and false, and `positive` names none of the words."""
    values = table.frame[question.label[0]]
    if question.positive or values.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return False
    return not all(
        columns.is_number(value, table.decimal) for value in values.drop_nulls().cast(pl.String).unique().to_list()
    )


def _one_of(table: SourceTable, column: str) -> tuple[Bools, Targets]:
    values = table.words(column, "labels")
    table.complete(column, values, "the label")
    classes: Sequence[str] = values.unique().sort().to_list()
    if len(classes) == 2:
        listed = " or ".join(f"'{name}'" for name in classes)
        table.fail(f"the labels are two words: say which is violating with `positive` ({listed})", column)
    if len(classes) < 2:
        table.fail(f"every item is '{classes[0]}': training needs at least two classes", column)
    if len(classes) > 100:
        table.fail(f"{len(classes)} different labels: at most 100 classes are possible", column)
    truth = np.column_stack([(values == name).to_numpy() for name in classes])
    return truth, Targets("multi-class", tuple(classes))
