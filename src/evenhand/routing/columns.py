"""What comes in: scores, labels and counts, checked once and in one line."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evenhand.arrays import numbers, refuse
from evenhand.errors import InputError
from evenhand.tally import FloatArray

BoolArray = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int64]  # of items, or counts of them


def probabilities(values: npt.ArrayLike, name: str = "p") -> FloatArray:
    """Scores from 0 to 1."""
    array = numbers(values, name)
    refuse((array < 0.0) | (array > 1.0), "a probability lies between 0 and 1", name)
    return array


def labels(values: npt.ArrayLike, size: int, name: str = "y") -> BoolArray:
    """True where an item violates; 0 and 1 will do."""
    array = numbers(values, name)
    refuse((array != 0.0) & (array != 1.0), "a label is 0 or 1", name)
    violating: BoolArray = matched(array, size, name) == 1.0
    return violating


def counts(values: npt.ArrayLike | None, size: int, name: str = "counts") -> FloatArray:
    """How many equal items each row stands for; one each when nothing is said."""
    if values is None:
        return np.ones(size)
    array = matched(numbers(values, name), size, name)
    refuse(array < 0.0, "a count cannot be negative", name)
    return array


def matched(array: FloatArray, size: int, name: str) -> FloatArray:
    """The array, if there is one value per item."""
    if len(array) != size:
        raise InputError(f"there are {len(array)} values for {size} items", column=name)
    return array


def share(value: float, name: str, *, closed: bool = True) -> float:
    """A setting between 0 and 1; `closed` when both ends are allowed."""
    fine = 0.0 <= value <= 1.0 if closed else 0.0 < value < 1.0
    if not fine:
        raise InputError(f"{name} must lie {'from 0 to 1' if closed else 'between 0 and 1'}, not {value:g}")
    return float(value)
