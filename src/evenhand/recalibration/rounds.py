"""The rounds in which calibrators are fitted and measured: validation items, their weights, and test items.

A round is one run of the model, or the same data with validation items redrawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Floats
from evenhand.errors import InputError
from evenhand.evidence import ClassedRows, Evidence, as_classed
from evenhand.tally import Weights


class CalibrationRound(NamedTuple):
    """Validation items with their weights in this round, and the test items."""

    validation: ClassedRows
    weights: Floats | None
    test: ClassedRows


def rounds_as_given(validation: Evidence, test: Evidence, run: str | None) -> list[CalibrationRound]:
    """The data as they are; of several runs of the model each by itself."""
    if run is None:
        pairs = [(_single_model(validation), _single_model(test))]
    else:
        there = dict(_runs(test, run))
        pairs = [(classed, _same_run(there, value, run, test)) for value, classed in _runs(validation, run)]
    for before, after in pairs:
        if before.classes != after.classes:
            names = ", ".join(before.classes)
            raise InputError(f"the classes differ from those of the validation data: {names}", source=test.name)
    return [CalibrationRound(one, None if one.weights is None else one.weights.weight, two) for one, two in pairs]


def rounds_redrawn(pairs: list[CalibrationRound], times: int, seed: int) -> list[CalibrationRound]:
    """Each pair so many times, with validation items redrawn: what another validation sample would have given."""
    children = np.random.SeedSequence(seed).spawn(times)
    return [
        pair._replace(weights=_redrawn_weights(pair.validation, np.random.default_rng(child)))
        for child in children
        for pair in pairs
    ]


def _redrawn_weights(classed: ClassedRows, rng: np.random.Generator) -> Floats:
    return Weights.resampled(classed.weights, len(classed.label), rng).weight


def _single_model(evidence: Evidence) -> ClassedRows:
    if len(evidence.models) > 1:
        raise InputError("calibrators are compared for a single model: give one score column", source=evidence.name)
    return next(as_classed(evidence).classed(evidence.parts[0]))


def _runs(evidence: Evidence, run: str) -> Iterator[tuple[str, ClassedRows]]:
    key = evidence.declaration.slice_keys[run]
    for part in evidence.parts:
        if key in part.slice:
            yield part.slice[key], next(as_classed(evidence).classed(part))


def model_runs(evidence: Evidence, run: str | None) -> list[ClassedRows]:
    """Each run of a model by itself, or all of it where runs are not told apart."""
    return [_single_model(evidence)] if run is None else [classed for _, classed in _runs(evidence, run)]


def _same_run(there: dict[str, ClassedRows], value: str, run: str, test: Evidence) -> ClassedRows:
    if value not in there:
        raise InputError(f"no rows of the run '{value}', which is in the validation data", source=test.name, column=run)
    return there[value]
