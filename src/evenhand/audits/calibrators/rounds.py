"""What every calibrator is fitted on and measured with, several times over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evenhand.errors import InputError
from evenhand.evidence import Classed, Evidence
from evenhand.tally import FloatArray, Weights


class Round(NamedTuple):
    """Validation items, what each stands for this time, and the test items."""

    validation: Classed
    weights: FloatArray | None
    test: Classed


def whole(validation: Evidence, test: Evidence, run: str | None) -> list[Round]:
    """The data as they are; of several runs of the model each by itself."""
    if run is None:
        pairs = [(_one(validation), _one(test))]
    else:
        there = dict(_runs(test, run))
        pairs = [(classed, _same_run(there, value, run, test)) for value, classed in _runs(validation, run)]
    for before, after in pairs:
        if before.classes != after.classes:
            names = ", ".join(before.classes)
            raise InputError(f"the validation data has other classes than these: {names}", source=test.name)
    return [Round(one, None if one.weights is None else one.weights.weight, two) for one, two in pairs]


def redrawn(pairs: list[Round], times: int, seed: int) -> list[Round]:
    """Each pair so many times, with validation items redrawn: what another validation sample would have given."""
    children = np.random.SeedSequence(seed).spawn(times)
    return [
        pair._replace(weights=_drawn(pair.validation, np.random.default_rng(child)))
        for child in children
        for pair in pairs
    ]


def _drawn(classed: Classed, rng: np.random.Generator) -> FloatArray:
    return Weights.resampled(classed.weights, len(classed.label), rng).weight


def _one(evidence: Evidence) -> Classed:
    if len(evidence.models) > 1:
        raise InputError("calibrators are compared for one model: give one score column", source=evidence.name)
    return next(evidence.classed(evidence.parts[0]))


def _runs(evidence: Evidence, run: str) -> Iterator[tuple[str, Classed]]:
    for part in evidence.parts:
        if run in part.slice:
            yield part.slice[run], next(evidence.classed(part))


def runs(evidence: Evidence, run: str | None) -> list[Classed]:
    """Each run of a model by itself, or all of it where runs are not told apart."""
    return [_one(evidence)] if run is None else [classed for _, classed in _runs(evidence, run)]


def _same_run(there: dict[str, Classed], value: str, run: str, test: Evidence) -> Classed:
    if value not in there:
        raise InputError(f"no row is of the run '{value}', which the validation data has", source=test.name, column=run)
    return there[value]
