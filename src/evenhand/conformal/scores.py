"""How badly a label fits a model's probabilities: the score that conformal sets are cut by, larger is worse.

`lac` is 1 − p of the label: the smallest sets on average. `aps` adds up the probabilities of all labels that are at
least as likely: sets that grow where the model is unsure. Randomised, it counts a random part of the label's own.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from evenhand.errors import InputError, nearest
from evenhand.tally import FloatArray

Scores = Callable[[FloatArray, FloatArray], FloatArray]


def lac(table: FloatArray, _: FloatArray) -> FloatArray:
    """1 − p; there is nothing to randomise."""
    return 1.0 - table


def aps(table: FloatArray, part: FloatArray) -> FloatArray:
    """The probability of likelier labels and a part (0 to 1, one per row) of its own; of equals the first wins."""
    order = np.argsort(-table, axis=1, kind="stable")
    ranked = np.take_along_axis(table, order, axis=1)
    before = np.cumsum(ranked, axis=1) - ranked
    found = np.empty_like(table)
    np.put_along_axis(found, order, before + part[:, None] * ranked, axis=1)
    return found


SCORES: dict[str, Scores] = {"lac": lac, "aps": aps}


def scored(probabilities: npt.ArrayLike, *, score: str, part: FloatArray | None = None) -> FloatArray:
    """Rows × classes: the score of every label; without a part the label's own probability counts whole."""
    table = np.asarray(probabilities, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2:
        raise InputError("probabilities are a table with a row per prediction and a column per class, two or more")
    if table.size and not (table.min() >= 0.0 and table.max() <= 1.0):  # not a number fails both
        raise InputError("a probability must lie from 0 to 1")
    if score not in SCORES:
        raise InputError(f"there is no score '{score}': {nearest(score, SCORES)}")
    return SCORES[score](table, np.ones(len(table)) if part is None else part)
