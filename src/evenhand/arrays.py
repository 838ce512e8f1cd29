"""Arrays: one alias for each array type, and the checks of arrays and numbers that come in.

A check returns the array in its type, or refuses it in one line that names the column and the first bad row.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evenhand.errors import InputError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Int32s = npt.NDArray[np.int32]
AnyFloats = npt.NDArray[np.floating]  # of whichever precision
EXACT = 2**53  # up to here a float has every whole number
TINIEST, LARGEST = 1e-100, 1e100  # of single numbers: squares and products of these are numbers too


def numbers(values: npt.ArrayLike, name: str, *, size: int | None = None) -> Floats:
    """A flat array of finite numbers, one per item where a number of items is given."""
    try:
        array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        raise InputError("these are not all numbers; give one number per item", column=name) from None
    if array.ndim != 1:
        raise InputError(f"one number per item is needed, not a table of {array.ndim} dimensions", column=name)
    if size is not None and len(array) != size:
        raise InputError(f"there are {len(array)} values for {size} items", column=name)
    refuse(~np.isfinite(array), "the value is missing or not finite", name)
    return array


def probabilities(values: npt.ArrayLike, name: str, *, size: int | None = None) -> Floats:
    """Numbers from 0 to 1."""
    array = numbers(values, name, size=size)
    refuse((array < 0.0) | (array > 1.0), "a probability lies between 0 and 1", name)
    return array


def labels(values: npt.ArrayLike, name: str = "label", *, size: int | None = None) -> Floats:
    """1 where an item violates and 0 where it does not."""
    array = numbers(values, name, size=size)
    refuse((array != 0.0) & (array != 1.0), "a label is 0 or 1", name)
    return array


def class_table(values: npt.ArrayLike) -> AnyFloats:
    """Rows × classes, in single or double precision."""
    table = np.asarray(values)
    if table.ndim != 2 or table.shape[1] < 2:
        raise InputError("probabilities are a table with a row per item and a column per class, two or more")
    return table if table.dtype in (np.float32, np.float64) else table.astype(np.float64)


def class_probabilities(values: npt.ArrayLike) -> AnyFloats:
    """Rows × classes of probabilities from 0 to 1."""
    table = class_table(values)
    refuse_beyond_one(table)
    return table


def refuse_beyond_one(table: AnyFloats) -> None:
    """Refuse a table with a value that is no probability."""
    if table.size and not (table.min() >= 0.0 and table.max() <= 1.0):  # not a number fails both
        raise InputError("a probability must be from 0 to 1")


def class_numbers(values: npt.ArrayLike, *, rows: int, classes: int) -> Ints:
    """The true class of each row as the number of its column, from 0 up."""
    array = np.asarray(values)
    if array.shape != (rows,) or (array.size and array.dtype.kind not in "iub"):
        raise InputError("there must be one label per row, the number of its class")
    if array.size and not 0 <= array.min() <= array.max() < classes:
        row = int(np.argmax((array < 0) | (array >= classes)))
        raise InputError(f"a label must be the number of a class, from 0 to {classes - 1}", row=row + 1)
    return array.astype(np.int64, copy=False)


def counts(values: npt.ArrayLike | None, size: int, name: str = "counts") -> Floats:
    """How many equal items each row stands for; one each when nothing is said."""
    if values is None:
        return np.ones(size)
    array = numbers(values, name, size=size)
    refuse(array < 0.0, "a count cannot be negative", name)
    return array


def wholes(values: npt.ArrayLike, name: str, *, least: int = 0, size: int | None = None) -> Ints:
    """Whole numbers from `least` up."""
    array = numbers(values, name, size=size)
    bad = (array != np.floor(array)) | (array < least) | (array > EXACT)
    refuse(bad, f"a whole number from {least} up is needed", name)
    return array.astype(np.int64)


def whole(value: float, name: str, *, least: int = 1) -> int:
    """One whole number from `least` up."""
    if not (value >= least and float(value).is_integer()):
        raise InputError(f"{name} must be a whole number from {least} up, not {value:g}")
    return int(value)


def share(value: float, name: str, *, closed: bool = False) -> float:
    """A number between 0 and 1, neither of them; `closed` when both ends are allowed."""
    fine = 0.0 <= value <= 1.0 if closed else 0.0 < value < 1.0
    if not fine:
        raise InputError(f"{name} must be {'from 0 to 1' if closed else 'between 0 and 1'}, not {value:g}")
    return float(value) if closed else _computable(value, name)


def positive(value: float, name: str) -> float:
    """A finite number above 0."""
    if not 0.0 < value < np.inf:
        raise InputError(f"{name} must be a number above 0, not {value:g}")
    return _computable(value, name)


def _computable(value: float, name: str) -> float:
    if not TINIEST <= value <= LARGEST:
        raise InputError(f"{name} is {value:g}: too {'small' if value < 1.0 else 'large'} to compute with")
    return float(value)


def refuse(bad: Bools, problem: str, name: str) -> None:
    """Name the first bad row, if there is one."""
    if bad.any():
        raise InputError(problem, column=name, row=int(np.argmax(bad)) + 1)
