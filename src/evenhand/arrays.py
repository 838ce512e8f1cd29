"""What comes in as arrays and settings, checked once and refused in one line."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evenhand.errors import InputError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
EXACT = 2**53  # up to here a float has every whole number


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


def share(value: float, name: str) -> float:
    """A number between 0 and 1, neither of them."""
    if not 0.0 < value < 1.0:
        raise InputError(f"{name} must lie between 0 and 1, not {value:g}")
    return float(value)


def positive(value: float, name: str) -> float:
    """A finite number above 0."""
    if not 0.0 < value < np.inf:
        raise InputError(f"{name} must be a number above 0, not {value:g}")
    return float(value)


def refuse(bad: Bools, problem: str, name: str) -> None:
    """Name the first bad row, if there is one."""
    if bad.any():
        raise InputError(problem, column=name, row=int(np.argmax(bad)) + 1)
