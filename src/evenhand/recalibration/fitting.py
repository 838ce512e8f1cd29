"""A calibrator fitted to evidence, and applied to a file of scores or probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from evenhand.calibrators import Calibrator, fit
from evenhand.errors import InputError
from evenhand.evidence import Declaration, Evidence, TableSource, as_classed, open_predictions, open_source
from evenhand.evidence.added_columns import check_absent, with_columns_beside
from evenhand.evidence.formats import check_output_file, write_table
from evenhand.inputs import protected_inputs

CALIBRATED_SUFFIX = "_calibrated"


def fit_calibrator(evidence: Evidence, method: str, **options: Any) -> Calibrator:
    """Fitted to one model's probabilities of everything there is; knows which columns they stood in."""
    if len(evidence.models) > 1:
        raise InputError("a calibrator is fitted to a single model: give one score column", source=evidence.name)
    (classed,) = as_classed(evidence).classed(evidence.parts[0])
    weights = None if classed.weights is None else classed.weights.weight
    declaration = evidence.declaration
    try:
        return fit(
            classed.probabilities,
            classed.label,
            weights,
            method=method,
            classes=classed.classes,
            data=evidence.provenance()["evidence"],
            columns=declaration.probabilities or declaration.score,
            scale=declaration.scale_of(0).name,
            **options,
        )
    except InputError as error:
        raise error.within(evidence.name) from None


class CalibratedFile(NamedTuple):
    """The columns that were written beside the others, and what to look at twice."""

    columns: list[str]
    notes: list[str]


@protected_inputs()
def apply_file(
    calibrator: Calibrator, data: TableSource, out: Path, *, roles: Mapping[str, Any] | None = None
) -> CalibratedFile:
    """Write the same rows and columns with calibrated probabilities beside.

    Whatever `roles` leave open, the columns or how they are written, is as it was in what the calibrator was fitted on.
    """
    declaration = _declaration(calibrator, roles or {})
    source = open_source(data)
    columns = declaration.probabilities or declaration.score
    names = [f"{column}{CALIBRATED_SUFFIX}" for column in columns]
    check_absent(source, names, "has the file been calibrated before?")
    if declaration.probabilities:
        calibrator.require(declaration.class_names)
    elif len(calibrator.classes) != 2:
        problem = f"the calibrator is for {len(calibrator.classes)} classes: name a column for each, not a single score"
        raise InputError(problem, source=source.name)
    check_output_file(out)
    predictions = open_predictions(source, declaration)
    calibrated = calibrator.apply(predictions.probabilities)[:, 1 if declaration.score else 0 :]
    added = pl.DataFrame({name: calibrated[:, number] for number, name in enumerate(names)})
    write_table(with_columns_beside(source, declaration, predictions.rows, added), out, source.layout)
    notes = [*predictions.notes, *_other_columns(calibrator, columns), *_other_scale(declaration)]
    return CalibratedFile(names, notes)


def _other_scale(declaration: Declaration) -> list[str]:
    scale = declaration.scale_of(0).name
    if not declaration.score or scale == "probability":
        return []
    return [f"calibrated columns are probabilities from 0 to 1, while {declaration.score[0]} is on the scale '{scale}'"]


def _other_columns(calibrator: Calibrator, columns: Sequence[str]) -> list[str]:
    if tuple(columns) == calibrator.columns or not calibrator.columns:
        return []
    return [f"fitted on {', '.join(calibrator.columns)}: check that this is the same model and class"]


def _declaration(calibrator: Calibrator, roles: Mapping[str, Any]) -> Declaration:
    declared = Declaration.of({**roles, "scale": roles.get("scale") or calibrator.scale})
    if declared.probabilities or declared.score:
        return declared
    written = {name: getattr(declared, name) for name in ("scale", "normalise", "skip_unscored", "where")}
    return replace(_fitted_declaration(calibrator), **written)


def _fitted_declaration(calibrator: Calibrator) -> Declaration:
    """The columns that it was fitted on."""
    if len(calibrator.columns) == 1:
        return Declaration(score=calibrator.columns, scale=(calibrator.scale,))
    return Declaration(probabilities=calibrator.columns, classes=calibrator.classes, scale=(calibrator.scale,))
