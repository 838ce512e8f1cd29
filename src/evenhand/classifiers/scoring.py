"""Scoring a table of any length: piece by piece, and where a run was broken off, from there on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from evenhand.classifiers.opening import open_model
from evenhand.classifiers.pieces import pieces_beside
from evenhand.classifiers.protocol import Classifier, Floats
from evenhand.classifiers.texts import text_column
from evenhand.errors import InputError
from evenhand.evidence import Source, open_source
from evenhand.evidence.output import check_file, write_table
from evenhand.progress import Progress, silent

DELIMITED = (".csv", ".tsv")
SILENT = 20  # texts in a row without an answer, at the start, that are no accident


@dataclass(frozen=True)
class Scored:
    """How many rows there are, how many of them an earlier run had scored, and how many have no score."""

    rows: int
    resumed: int
    unscored: int


def score(
    data: Any,
    *,
    model: str | Path | Classifier = "default",
    text: str | None = None,
    device: str | None = None,
    download: bool = False,
) -> pl.DataFrame:
    """Score a file or a data frame in memory: its own columns, and those that the model adds."""
    source, classifier = open_source(data), open_model(model, device=device, download=download)
    column = text_column(source, text)
    _check_names(source, classifier, "")
    parts = [with_scores(part, column, classifier) for part in source.batches(classifier.batch)]
    return pl.concat(parts) if parts else with_scores(source.collect(lambda lazy: lazy), column, classifier)


def score_file(
    data: Any,
    out: str | Path,
    *,
    model: str | Path | Classifier = "default",
    text: str | None = None,
    prefix: str = "",
    query: str | None = None,
    device: str | None = None,
    download: bool = False,
    progress: Progress | None = None,
) -> Scored:
    """Score into a new file, in pieces: memory does not grow with the table.

    Run again after it was broken off, with the same model, data and options, it goes on after the last finished piece.
    """
    source, out, progress = open_source(data, query=query), Path(out), progress or silent
    column, classifier = text_column(source, text), open_model(model, device=device, download=download)
    _check_names(source, classifier, prefix)
    if source.file and out.exists() and out.samefile(source.file.path):
        raise InputError("the output would replace the file that is read: choose another name", source=str(out))
    check_file(out, source.columns())
    verbatim = out.suffix.lower() in DELIMITED  # types that are read and written again can change what stood there
    job = {
        "source": source.file and source.fingerprint(),
        "model": [classifier.name, classifier.version, classifier.batch],
        "columns": [column, prefix, verbatim],
    }
    with pieces_beside(out, job if source.file else None) as pieces:  # only a file can be known again
        resumed, total = pieces.rows, _length(source)
        progress("scoring", resumed, total)
        for batch in source.batches(classifier.batch, skip=resumed, verbatim=verbatim):
            scored = with_scores(batch, column, classifier, prefix)
            if not pieces.rows:
                _check_answers(scored, column, prefix + names(classifier)[0], source)
            pieces.add(scored)
            progress("scoring", pieces.rows, total)
        if not pieces.rows:
            raise InputError("the file holds no rows", source=source.name)
        rows = pieces.rows
        unscored = pieces.scan().select(pl.col(prefix + names(classifier)[0]).null_count()).collect().item()
        progress("writing", 0, 0)
        write_table(pieces.scan(), out)
    return Scored(rows, resumed, unscored)


def with_scores(frame: pl.DataFrame, column: str, model: Classifier, prefix: str = "") -> pl.DataFrame:
    """The rows with what the model says of each; nothing where there is no text or the model gave no answer."""
    texts = frame[column].cast(pl.String)
    filled = (texts.is_not_null() & (texts.str.strip_chars() != "")).fill_null(False)
    found = model.score(texts.filter(filled).to_list()).columns()
    added = {name: _filled(values, filled) for name, values in found.items()}
    named = {"model": pl.lit(model.name), "model_version": pl.lit(model.version)}
    return frame.with_columns(**{prefix + name: values for name, values in (added | named).items()})


def _check_answers(scored: pl.DataFrame, column: str, answer: str, source: Source) -> None:
    """A service that refuses every text is asked wrongly: better said at the start than after a million texts."""
    asked = int((scored[column].cast(pl.String).str.strip_chars() != "").sum())
    if asked >= SILENT and scored[answer].null_count() == len(scored):
        problem = f"the model gave no answer to any of the first {asked:,} texts: are its key and description right?"
        raise InputError(problem, source=source.name)


def _filled(values: Floats, filled: pl.Series) -> pl.Series:
    whole = np.full(len(filled), np.nan)
    whole[filled.to_numpy()] = values
    return pl.Series(whole).fill_nan(None)


def _check_names(source: Source, model: Classifier, prefix: str) -> None:
    """What is there already is never overwritten."""
    there = set(source.columns())
    for name in (*names(model), "model", "model_version"):
        if prefix + name in there:
            problem = "this column is there already: choose other names with --prefix, such as --prefix new_"
            raise InputError(problem, source=source.name, column=prefix + name)


def names(model: Classifier) -> list[str]:
    """The columns that a model adds."""
    suffixes = [""] if model.targets.kind == "binary" else [f"_{name}" for name in model.targets.classes]
    spreads = [""] if model.targets.exclusive else suffixes
    return [f"p{s}" for s in suffixes] + [f"{u}{s}" for u in ("uncertainty", "model_uncertainty") for s in spreads]


def _length(source: Source) -> int:
    """How many rows there are, where that is quickly known."""
    if source.file and source.file.format.name != "Parquet":
        return 0
    return int(source.collect(lambda lazy: lazy.select(pl.len())).item())
