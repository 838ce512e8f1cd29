"""From the JSON of an endpoint to probabilities: what is not one number per text and class is refused, never mended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from evenhand.classifiers.adapters.endpoint import Endpoint
from evenhand.classifiers.adapters.json_path import Missing, Path
from evenhand.classifiers.adapters.labels import SUM
from evenhand.classifiers.protocol import Floats
from evenhand.errors import InputError

Rows = tuple[Floats, Floats | None]  # probabilities and, where the endpoint gives them, variances: [texts, classes]


def rows(told: Endpoint, answer: Any, texts: int) -> Rows:
    """What an answer says of so many texts, in their order."""
    try:
        return _probabilities(told, answer, texts), _variances(told, answer, texts)
    except Missing as problem:
        raise InputError(f"the answer has {problem}", source=told.address) from None
    except InputError as error:
        raise error.within(told.address) from None


def nothing(told: Endpoint, texts: int) -> Rows:
    """Of texts that cannot be scored."""
    empty = np.full((texts, len(told.paths)), np.nan)
    return empty, empty.copy() if told.variances else None


def _probabilities(told: Endpoint, answer: Any, texts: int) -> Floats:
    values = _numbers(told.paths, answer, texts)
    if told.scale == "logit":
        values = 1.0 / (1.0 + np.exp(-np.clip(values, -700.0, 700.0)))
    elif told.scale == "percent":
        values = values / 100.0
    if not np.all((values >= 0.0) & (values <= 1.0)):
        wrong = values[~((values >= 0.0) & (values <= 1.0))][0]
        raise InputError(f"the answer gives the probability {wrong:g}, and one lies from 0 to 1: is the scale right?")
    if told.targets.exclusive and not np.allclose(values.sum(axis=1), 1.0, atol=SUM):
        raise InputError("the probabilities of a text do not sum to one: say task = 'multi-label' if any may be true")
    return values


def _variances(told: Endpoint, answer: Any, texts: int) -> Floats | None:
    if not told.variances:
        return None
    values = _numbers(told.variances, answer, texts) / (100.0**2 if told.scale == "percent" else 1.0)
    if not np.all((values >= 0.0) & (values <= 0.25)):
        raise InputError("the answer gives a variance outside 0 to 0.25, which no probability has")
    return values


def _numbers(paths: Mapping[str, Path], answer: Any, texts: int) -> Floats:
    """[texts, classes]"""
    columns = []
    for path in paths.values():
        found = path.find(answer)
        if len(found) != texts:
            raise InputError(f"the answer has {len(found)} results at '{path.written}' for {texts} texts")
        columns.append([_number(value, path) for value in found])
    return np.array(columns, dtype=np.float64).T


def _number(value: Any, path: Path) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(f"the answer has no number at '{path.written}' ({type(value).__name__})")
    try:
        return float(value)
    except OverflowError:
        return float("inf")
