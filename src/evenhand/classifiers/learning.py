"""From a table to texts with labels that a model can learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from evenhand.classifiers.protocol import Labelled, Targets
from evenhand.classifiers.texts import text_column
from evenhand.errors import InputError
from evenhand.evidence import Declaration, Source, columns, faults
from evenhand.evidence.columns import Table
from evenhand.evidence.condition import condition

ROW = "\0row"
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is to be learnt: one label (yes or no, or one of several words), or several labels of yes or no."""

    label: tuple[str, ...]
    text: str | None = None
    positive: tuple[str, ...] = ()
    label_threshold: float = 0.5
    where: str | None = None
    without: str | None = None  # rows that are left out, in SQL as well
    called: str | None = None  # what the one class is called, where the name of the column says little

    def __post_init__(self) -> None:
        if not self.label:
            raise InputError("say which column is the label: --label")
        if len(set(self.label)) < len(self.label):
            raise InputError(f"a label column is named twice: {', '.join(self.label)}")
        if len(self.label) > 1 and self.positive:
            raise InputError("several labels are each true or false: --positive goes with one label")
        if len(self.label) > 1 and self.called:
            raise InputError("several labels are called as their columns: --called goes with one label")


def read_labelled(source: Source, question: Question) -> Labelled:
    """Read and check; rows without a text teach nothing and are left out."""
    text = text_column(source, question.text)
    known = list(source.columns())
    for column in question.label:
        if column not in known:
            raise faults.unknown_column(column, known, source.name)
    if text in question.label:
        raise InputError(f"'{text}' cannot be both the text and the label", source=source.name)
    table = _read(source, [text, *question.label], question)
    texts = table.frame[text].cast(pl.String)
    filled = texts.is_not_null() & (texts.str.strip_chars() != "")
    if not filled.any():
        raise InputError("no row has a text", source=source.name, column=text)
    truth, targets = _truth(table, question)
    return Labelled(texts.filter(filled).to_list(), truth[filled.to_numpy()].astype(np.float32), targets)


def _read(source: Source, wanted: list[str], question: Question) -> Table:
    kept = [condition(question.where, source)] if question.where else []
    kept += [~condition(question.without, source).fill_null(False)] if question.without else []
    frame = source.collect(lambda lazy: lazy.with_row_index(ROW).filter(*kept).select(ROW, *wanted))
    if not len(frame):
        raise InputError("no row is left" if kept else "the file holds no rows", source=source.name)
    return Table(source.name, frame, frame[ROW])


def _truth(table: Table, question: Question) -> tuple[Mask, Targets]:
    if len(question.label) == 1 and _is_words(table, question):
        if question.called:
            table.fail("several words are called as they are: --called goes with one class", question.label[0])
        return _one_of(table, question.label[0])
    found = [_yes_or_no(table, column, question) for column in question.label]
    several = len(question.label) > 1
    one = (question.called,) if question.called else (question.positive[:1] or question.label)
    names = question.label if several else one
    return np.column_stack(found), Targets("multi-label" if several else "binary", tuple(names))


def _yes_or_no(table: Table, column: str, question: Question) -> Mask:
    declared = Declaration(label=column, positive=question.positive, label_threshold=question.label_threshold)
    return columns.label(table, declared)[0]


def _is_words(table: Table, question: Question) -> bool:
    """Text that is not numbers or true and false, and nobody said which word is violating."""
    values = table.frame[question.label[0]]
    if question.positive or values.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return False
    return not all(columns.is_number(value) for value in values.drop_nulls().cast(pl.String).unique().to_list())


def _one_of(table: Table, column: str) -> tuple[Mask, Targets]:
    values = table.words(column, "labels")
    table.complete(column, values, "the label")
    classes: Sequence[str] = values.unique().sort().to_list()
    if len(classes) == 2:
        listed = " or ".join(f"'{name}'" for name in classes)
        table.fail(f"the labels are two words: say which is violating with --positive ({listed})", column)
    if len(classes) < 2:
        table.fail(f"every item is '{classes[0]}': there is nothing to tell apart", column)
    if len(classes) > 100:
        table.fail(f"{len(classes)} different labels: more than 100 classes cannot be told apart", column)
    truth = np.column_stack([(values == name).to_numpy() for name in classes])
    return truth, Targets("multi-class", tuple(classes))
