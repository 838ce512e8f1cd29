"""Calibrated scores from one file in one step: fitted on part of its rows, measured on the others, written beside.

What a calibrator is for decides which ones come into question. A queue needs the order of the scores and as many
different values: only calibrators that rise everywhere. Thresholds need fine steps, so no histogram. A report may use
any of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy.special import logit

from evenhand.arrays import Bools, Floats
from evenhand.calibrators import FLOOR, METHODS, Calibrator, fit
from evenhand.errors import InputError, nearest
from evenhand.evidence import (
    ClassedRows,
    Declaration,
    Source,
    TableSource,
    as_classed,
    open_evidence,
    open_predictions,
    open_source,
)
from evenhand.evidence.added_columns import check_absent, with_columns_beside
from evenhand.evidence.formats import check_output_file, write_table
from evenhand.inputs import protected_inputs
from evenhand.measures.calibration import LEAST_PROBABILITY
from evenhand.recalibration.fitting import CALIBRATED_SUFFIX, fit_calibrator
from evenhand.recalibration.recommendation import UNCALIBRATED, ItemLosses, full_title

PARTS = 5
FEWEST_ROWS = 20  # to fit on, and to measure on
RISING = ("ts", "wts", "platt", "beta")


class CalibrationPurpose(StrEnum):
    """What calibrated scores are for."""

    QUEUE = "queue"
    THRESHOLDS = "thresholds"
    REPORTING = "reporting"


METHODS_FOR = {
    CalibrationPurpose.QUEUE: RISING,
    CalibrationPurpose.THRESHOLDS: (*RISING, "isotonic"),
    CalibrationPurpose.REPORTING: (*RISING, "isotonic", "histogram"),
}
WORDS_FOR = {
    CalibrationPurpose.QUEUE: "For a queue, which needs the order of the scores",
    CalibrationPurpose.THRESHOLDS: "For thresholds, which need fine steps",
    CalibrationPurpose.REPORTING: "For reporting",
}


@dataclass(frozen=True, slots=True)
class CalibratedScores:
    """What was taken and why, the new column, and the calibrator for other items."""

    sentence: str
    column: str
    method: str
    losses: dict[str, float]
    calibrator: Calibrator | None
    notes: tuple[str, ...]


@protected_inputs()
def calibrate_one_file(
    data: TableSource,
    out: Path,
    roles: dict[str, Any],
    *,
    query: str | None = None,
    split: str | None = None,
    purpose: str = CalibrationPurpose.QUEUE,
    method: str | None = None,
    seed: int = 0,
) -> CalibratedScores:
    """Write the rows with a calibrated column in the scale of the score.

    `split` is the rows to fit on: column=value, or a share drawn at random. Without it every row is calibrated by a
    calibrator that was fitted on other rows (cross-fitting), so that the new column may be audited.
    """
    wanted = _purpose(purpose)
    declaration = Declaration.of(roles)
    if len(declaration.score) != 1:
        raise InputError("set `score` to one score column")
    source = open_source(data, query=query).naming(declaration.columns)
    column = f"{declaration.score[0]}{CALIBRATED_SUFFIX}"
    check_absent(source, [column], "has the file been calibrated before?")
    check_output_file(out)
    evidence = open_evidence(data, declaration, query=query)
    (classed,) = as_classed(evidence).classed(evidence.parts[0])
    rows = open_predictions(source, declaration).rows
    fitted_on = _fitting_rows(source, split, len(classed.label), rows, seed)
    names = (UNCALIBRATED, *((method,) if method else METHODS_FOR[wanted]))
    calibrated = {name: _calibrated(classed, name, fitted_on, seed) for name in names}
    measured = np.ones(len(classed.label), dtype=np.bool_) if fitted_on is None else ~fitted_on
    losses = _losses(classed, calibrated, measured)
    chosen = method or losses.simplest()[0]
    _check_method(chosen)
    scale = declaration.scale_of(0).name
    added = pl.DataFrame({column: _on_scale(calibrated[chosen][:, 1], scale)})
    write_table(with_columns_beside(source, declaration, rows, added), out, source.layout)
    means = {name: losses.mean(losses.by_calibrator[name]) for name in names}
    return CalibratedScores(
        _sentence(wanted, chosen, means, calibrated[chosen][:, 1]),
        f"{column} ({scale}, as {declaration.score[0]}; {_split_words(split, fitted_on)})",
        chosen,
        means,
        None if chosen == UNCALIBRATED else fit_calibrator(evidence, chosen),
        evidence.notes,
    )


def _purpose(purpose: str) -> CalibrationPurpose:
    if purpose not in tuple(CalibrationPurpose):
        raise InputError(f"invalid `purpose`: '{purpose}' (choose from: {', '.join(CalibrationPurpose)})")
    return CalibrationPurpose(purpose)


def _check_method(method: str) -> None:
    if method != UNCALIBRATED and method not in METHODS:
        raise InputError(f"there is no calibration method '{method}'; {nearest(method, METHODS)}")


def _fitting_rows(source: Source, split: str | None, number: int, rows: pl.Series | None, seed: int) -> Bools | None:
    """Which rows to fit on; None for cross-fitting."""
    if split is None:
        inside = None
    elif "=" in split:
        column, _, value = split.partition("=")
        written = source.naming([column]).as_written([column])[column].cast(pl.String)
        written = written if rows is None else written[rows.to_list()]
        inside = (written == value).fill_null(False).to_numpy()
    else:
        inside = np.random.default_rng(seed).random(number) < _share(split)
    least = number if inside is None else min(int(inside.sum()), int((~inside).sum()))
    if least < FEWEST_ROWS:
        raise InputError(_too_few_rows(split, least), source=source.name)
    return inside


def _too_few_rows(split: str | None, least: int) -> str:
    if split is None:
        return f"there are {least:,} rows: at least {FEWEST_ROWS} are needed"
    return f"`split` {split}: {least:,} rows on one side; at least {FEWEST_ROWS} are needed to fit and to measure"


def _share(split: str) -> float:
    try:
        share = float(split.removesuffix("%")) / (100.0 if split.endswith("%") else 1.0)
    except ValueError:
        share = -1.0
    if not 0.0 < share < 1.0:
        raise InputError(f"invalid `split`: '{split}' (must be column=value, or a share such as 0.5)")
    return share


def _calibrated(classed: ClassedRows, name: str, fitted_on: Bools | None, seed: int) -> Floats:
    """The probabilities of all rows; by cross-fitting, of each part by the others."""
    if name == UNCALIBRATED:
        return classed.probabilities
    _check_method(name)
    if fitted_on is not None:
        return _fit(classed, name, fitted_on).apply(classed.probabilities)
    parts = np.random.default_rng(seed).permutation(np.arange(len(classed.label)) % PARTS)
    calibrated = np.empty_like(classed.probabilities)
    for part in range(PARTS):
        calibrated[parts == part] = _fit(classed, name, parts != part).apply(classed.probabilities[parts == part])
    return calibrated


def _fit(classed: ClassedRows, name: str, rows: Bools) -> Calibrator:
    weights = None if classed.weights is None else classed.weights.weight[rows]
    return fit(classed.probabilities[rows], classed.label[rows], weights, method=name, classes=classed.classes)


def _losses(classed: ClassedRows, calibrated: dict[str, Floats], measured: Bools) -> ItemLosses:
    label = classed.label[measured]
    weights = np.ones(len(label)) if classed.weights is None else classed.weights.weight[measured]
    of_label = {name: p[measured][np.arange(len(label)), label] for name, p in calibrated.items()}
    return ItemLosses({name: -np.log(np.maximum(p, LEAST_PROBABILITY)) for name, p in of_label.items()}, weights)


def _on_scale(p: Floats, scale: str) -> Floats:
    """A probability in the unit of the scores."""
    if scale == "percent":
        return 100.0 * p
    written: Floats = logit(np.clip(p, FLOOR, 1.0 - FLOOR)) if scale == "logit" else p
    return written


def _sentence(purpose: CalibrationPurpose, chosen: str, means: dict[str, float], p: Floats) -> str:
    before = means[UNCALIBRATED]
    if chosen == UNCALIBRATED:
        reason = f"no calibrator improves the log loss of {before:.4f} beyond chance"
        return f"{WORDS_FOR[purpose]}: keep the scores as they are; {reason}."
    loss = f"with a log loss of {means[chosen]:.4f} on rows it was not fitted on ({before:.4f} before)"
    values = f"{len(np.unique(p)):,} different values"
    return f"{WORDS_FOR[purpose]}: {full_title(chosen)} ({chosen}), {loss} and {values}."


def _split_words(split: str | None, fitted_on: Bools | None) -> str:
    if fitted_on is None:
        return "every row calibrated by other rows"
    return f"fitted on {int(fitted_on.sum()):,} rows, split {split}"
