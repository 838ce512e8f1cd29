"""Where the scores of the new model are: in a column of the log, or made here by scoring its texts with a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from evenhand.arrays import Floats
from evenhand.classifiers.models import open_model
from evenhand.classifiers.permissions import PermissionArguments
from evenhand.classifiers.protocol import Classifier
from evenhand.classifiers.texts import text_column
from evenhand.errors import InputError
from evenhand.evidence import Source
from evenhand.evidence.condition import ROW, sql_condition
from evenhand.migration.responses import USUAL_ATTRIBUTE
from evenhand.progress import Progress


@dataclass(frozen=True, kw_only=True)
class NewScores:
    """Where the scores of the new model are: in a column, or with a model that is asked for them."""

    column: str | None = None
    model: str | Path | Classifier | None = None
    device: str | None = None
    download: bool = False
    trust: str | Sequence[str] = ()
    send_to: str | None = None
    secrets: str | Sequence[str] = ()

    def __post_init__(self) -> None:
        if (self.column is None) == (self.model is None):
            raise InputError("give the new scores: `new_score` names a column, or `model` scores the texts")


class ScoredSource(NamedTuple):
    """A source with a column of new scores, empty where there is none; its text column, and which model scored it."""

    source: Source
    text: str
    column: str
    about: dict[str, Any]


def score_texts(
    source: Source, new: NewScores, *, text: str | None, where: str | None, attribute: str | None, progress: Progress
) -> ScoredSource:
    """Score the texts of the rows that meet a condition in SQL."""
    assert new.model is not None
    allowed: PermissionArguments = {
        "download": new.download,
        "trust": new.trust,
        "send_to": new.send_to,
        "secrets": new.secrets,
    }
    model = open_model(new.model, device=new.device, **allowed)
    column, place = text_column(source, text), _class_of(model, attribute)
    conditions = [sql_condition(where, source)] if where else []
    words = pl.col(column).cast(pl.String)
    read = source.collect(lambda lazy: lazy.with_row_index(ROW).filter(*conditions).select(ROW, words))
    filled = read.filter(pl.col(column).str.strip_chars() != "")
    scores = np.full(int(source.collect(lambda lazy: lazy.select(pl.len())).item()), np.nan)
    scores[filled[ROW].to_numpy()] = _asked(model, filled[column].to_list(), place, progress)
    named = f"{model.name} {model.version}"
    while named in source.columns():
        named += "_"
    added = pl.DataFrame({named: pl.Series(scores).fill_nan(None)})
    extended = source.extended(lambda frame: pl.concat([frame, added.lazy()], how="horizontal"))
    return ScoredSource(extended, column, named, {"model": model.name, "version": model.version})


def _asked(model: Classifier, texts: list[str], place: int, progress: Progress) -> Floats:
    """The probability of one class for each text."""
    scores = np.empty(len(texts))
    for start in range(0, len(texts), model.batch):
        some = texts[start : start + model.batch]
        scores[start : start + len(some)] = model.score(some).probabilities[:, place]
        progress("scoring", start + len(some), len(texts))
    return scores


def _class_of(model: Classifier, attribute: str | None) -> int:
    """Which of the model's classes corresponds to the attribute."""
    classes = [name.lower() for name in model.targets.classes]
    if len(classes) == 1:
        return 0
    wanted = (attribute or USUAL_ATTRIBUTE).lower()
    if wanted not in classes:
        listed = ", ".join(model.targets.classes)
        problem = f"the model has several classes ({listed}): choose one with `attribute`, or give `new_score`"
        raise InputError(problem, source=model.name)
    return classes.index(wanted)
