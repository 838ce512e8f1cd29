"""A calibrator fitted to evidence, and applied to a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.calibrators import Calibrator, fit
from evenhand.errors import InputError
from evenhand.evidence import Declaration, Evidence, open_predictions, open_source
from evenhand.evidence.output import check_file, write_table

SUFFIX = "_calibrated"


def fit_calibrator(evidence: Evidence, method: str, **options: Any) -> Calibrator:
    """Fitted to one model's probabilities of everything there is; knows which columns they stood in."""
    if len(evidence.models) > 1:
        raise InputError("a calibrator is fitted to one model: give one score column", source=evidence.name)
    (classed,) = evidence.classed(evidence.parts[0])
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


def apply_file(calibrator: Calibrator, data: Any, out: Path, *, roles: Declaration | None = None) -> list[str]:
    """Write the same rows and columns with calibrated probabilities beside; the names of the new columns.

    `roles` without columns leave those that it was fitted on, written in another way.
    """
    source = open_source(data)
    declaration = roles or _roles(calibrator)
    if not (declaration.probabilities or declaration.score):
        declaration = replace(_roles(calibrator), scale=declaration.scale, normalise=declaration.normalise)
    columns = declaration.probabilities or declaration.score
    names = [f"{column}{SUFFIX}" for column in columns]
    known = source.columns()
    taken = next((name for name in names if name in known), None)
    if taken:
        problem = "this column is there already: has the file been calibrated before?"
        raise InputError(problem, source=source.name, column=taken)
    if declaration.probabilities:
        calibrator.require(declaration.class_names)
    elif len(calibrator.classes) != 2:
        problem = f"the calibrator is for {len(calibrator.classes)} classes: name a column for each, not one score"
        raise InputError(problem, source=source.name)
    check_file(out)
    found = calibrator.apply(open_predictions(source, declaration))
    if declaration.score:
        found = found[:, 1:]
    added = pl.DataFrame({name: found[:, number] for number, name in enumerate(names)})
    verbatim = source.file.verbatim() if source.file else source.frame
    write_table(pl.concat([verbatim, added.lazy()], how="horizontal"), out)
    return names


def _roles(calibrator: Calibrator) -> Declaration:
    """The columns that it was fitted on."""
    if len(calibrator.columns) == 1:
        return Declaration(score=calibrator.columns, scale=(calibrator.scale,))
    return Declaration(probabilities=calibrator.columns, classes=calibrator.classes, scale=(calibrator.scale,))
