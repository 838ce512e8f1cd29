"""Scoring a table of any length, batch by batch; an interrupted run is resumed where it stopped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Unpack, overload

import numpy as np
import polars as pl

from evenhand.arrays import AnyFloats
from evenhand.classifiers.models import open_model
from evenhand.classifiers.partial_results import PartialResults, partial_results_beside
from evenhand.classifiers.permissions import PermissionArguments
from evenhand.classifiers.protocol import Classifier, TextError
from evenhand.classifiers.texts import text_column
from evenhand.errors import InputError
from evenhand.evidence import Source, TableSource, open_source
from evenhand.evidence.condition import ROW, rows_where
from evenhand.evidence.formats import check_output_file, write_table
from evenhand.inputs import protected_inputs
from evenhand.pandas_frames import is_pandas_frame, with_columns
from evenhand.progress import Progress, silent

if TYPE_CHECKING:
    import pandas as pd

DELIMITED = (".csv", ".tsv")
UNANSWERED_LIMIT = 20  # texts without an answer at the start from which on the run stops
ROWS_NAMED = 5  # rows without an answer that a result names


@dataclass(frozen=True)
class ScoringResult:
    """How many rows there are, how many of them an earlier run had scored, and how many have no score.

    `unanswered` of those without a score have a text: the model gave no answer, or none that could be read.
    `first_unanswered` are the first of them, counted from 1.
    """

    rows: int
    resumed: int
    unscored: int
    unanswered: int = 0
    first_unanswered: tuple[int, ...] = ()


@overload
def score(
    data: pd.DataFrame,
    *,
    model: str | Path | Classifier = "default",
    text: str | None = None,
    device: str | None = None,
    **permissions: Unpack[PermissionArguments],
) -> pd.DataFrame: ...


@overload
def score(
    data: TableSource,
    *,
    model: str | Path | Classifier = "default",
    text: str | None = None,
    device: str | None = None,
    **permissions: Unpack[PermissionArguments],
) -> pl.DataFrame: ...


def score(
    data: TableSource,
    *,
    model: str | Path | Classifier = "default",
    text: str | None = None,
    device: str | None = None,
    **permissions: Unpack[PermissionArguments],
) -> pl.DataFrame | pd.DataFrame:
    """Score a file or a data frame in memory: its own columns, and those that the model adds.

    A pandas frame comes back as pandas with its index, anything else as Polars. A model is opened as by `open_model`,
    which says what `download`, `trust`, `send_to` and `secrets` allow.

    >>> import polars as pl
    >>> score(pl.DataFrame({"text": ["Thank you.", ""]})).columns
    ['text', 'p', 'uncertainty', 'model_uncertainty', 'model', 'model_version']
    """
    source, classifier = open_source(data), open_model(model, device=device, **permissions)
    column = text_column(source, text)
    _check_names(source, classifier, "")
    wanted = [column] if is_pandas_frame(data) else None  # of pandas nothing else is converted
    parts: list[pl.DataFrame] = []
    for part in source.batches(classifier.batch, columns=wanted):
        with rows_in_errors(source, part[column], sum(map(len, parts))):
            parts.append(with_scores(part, column, classifier))
    if not parts:
        empty = source.collect(lambda lazy: lazy.select(wanted) if wanted else lazy)
        parts = [with_scores(empty, column, classifier)]
    scored = pl.concat(parts)
    return with_columns(data, scored.drop(column)) if is_pandas_frame(data) else scored


@protected_inputs()
def score_file(
    data: TableSource,
    out: str | Path,
    *,
    model: str | Path | Classifier = "default",
    text: str | None = None,
    prefix: str = "",
    query: str | None = None,
    where: str | None = None,
    device: str | None = None,
    progress: Progress | None = None,
    **permissions: Unpack[PermissionArguments],
) -> ScoringResult:
    """Score into a new file, in pieces: memory does not grow with the table. `where` keeps the rows that meet it.

    If it is interrupted, run it again with the same model, data and options: it continues after the last piece.
    A model is opened as by `open_model`, which says what `download`, `trust`, `send_to` and `secrets` allow.

    >>> result = eh.score_file({"text": ["Thank you.", "See you."]}, "scored.csv")
    >>> result.rows, result.unscored
    (2, 0)
    """
    source, out, progress = open_source(data, query=query), Path(out), progress or silent
    column, classifier = text_column(source, text), open_model(model, device=device, **permissions)
    _check_names(source, classifier, prefix)
    check_output_file(out, source.columns())
    verbatim = out.suffix.lower() in DELIMITED  # types that are read and written again can change what stood there
    job = {
        "source": source.file and source.fingerprint(),
        "model": [classifier.name, classifier.version, classifier.batch],
        "columns": [column, prefix, verbatim, str(source.layout), where],
    }
    selected = None if where is None else rows_where(source, where)
    with partial_results_beside(out, job if source.file else None) as pieces:  # only a file can be known again
        resumed, total = pieces.rows, _row_count(source) if selected is None else int(selected.sum())
        progress("scoring", resumed, total)
        for batch in source.batches(classifier.batch, skip=resumed, verbatim=verbatim, kept=selected):
            with rows_in_errors(source, batch[column], pieces.rows):
                scored = with_scores(batch, column, classifier, prefix)
            if not pieces.rows:
                _check_answers(scored, column, prefix + score_columns(classifier)[0], source)
            pieces.add(scored)
            progress("scoring", pieces.rows, total)
        if not pieces.rows:
            raise InputError("there are no rows", source=source.name)
        result = _count_scored(pieces, resumed, column, prefix + score_columns(classifier)[0])
        progress("writing", 0, 0)
        write_table(pieces.scan(), out, source.layout)
    return result


def _count_scored(pieces: PartialResults, resumed: int, column: str, score: str) -> ScoringResult:
    unscored = pieces.scan().with_row_index(ROW, offset=1).filter(pl.col(score).is_null()).select(ROW, column).collect()
    unanswered = unscored[ROW].filter(_has_text(unscored[column]))
    first = tuple(unanswered.head(ROWS_NAMED).to_list())
    return ScoringResult(pieces.rows, resumed, len(unscored), len(unanswered), first)


@contextmanager
def rows_in_errors(source: Source, texts: pl.Series, before: int) -> Iterator[None]:
    """Within it an error about one text names the row of the table; `before` is how many rows came earlier."""
    try:
        yield
    except TextError as error:
        row = before + int(_has_text(texts).arg_true()[error.text]) + 1
        raise error.in_row(source.name, row) from None


def _has_text(texts: pl.Series) -> pl.Series:
    words = texts.cast(pl.String)
    return (words.is_not_null() & (words.str.strip_chars() != "")).fill_null(False)


def with_scores(frame: pl.DataFrame, column: str, model: Classifier, prefix: str = "") -> pl.DataFrame:
    """The rows with the scores of the model; empty where there is no text or the model gave no answer."""
    filled = _has_text(frame[column])
    scores = model.score(frame[column].cast(pl.String).filter(filled).to_list()).columns()
    added = {name: _in_all_rows(values, filled) for name, values in scores.items()}
    named = {"model": pl.lit(model.name), "model_version": pl.lit(model.version)}
    return frame.with_columns(**{prefix + name: values for name, values in (added | named).items()})


def _check_answers(scored: pl.DataFrame, column: str, answer: str, source: Source) -> None:
    """A server that refuses every text is asked wrongly: stop at the start, not after a million texts."""
    texts = int(_has_text(scored[column]).sum())
    if texts >= UNANSWERED_LIMIT and scored[answer].null_count() == len(scored):
        problem = f"the model gave no score for any of the first {texts:,} texts: check its key and its description"
        raise InputError(problem, source=source.name)


def _in_all_rows(values: AnyFloats, filled: pl.Series) -> pl.Series:
    whole = np.full(len(filled), np.nan)
    whole[filled.to_numpy()] = values
    return pl.Series(whole).fill_nan(None)


def _check_names(source: Source, model: Classifier, prefix: str) -> None:
    """What is there already is never overwritten."""
    there = set(source.columns())
    for name in (*score_columns(model), "model", "model_version"):
        if prefix + name in there:
            problem = "this column exists already: choose other names with `prefix`, such as `prefix` new_"
            raise InputError(problem, source=source.name, column=prefix + name)


def score_columns(model: Classifier) -> list[str]:
    """The columns that a model adds."""
    suffixes = [""] if model.targets.kind == "binary" else [f"_{name}" for name in model.targets.classes]
    spreads = [""] if model.targets.exclusive else suffixes
    return [f"p{s}" for s in suffixes] + [f"{u}{s}" for u in ("uncertainty", "model_uncertainty") for s in spreads]


def _row_count(source: Source) -> int:
    """How many rows there are, where that is quickly known."""
    if source.file and source.file.format.name != "Parquet":
        return 0
    return int(source.collect(lambda lazy: lazy.select(pl.len())).item())
