"""The npz file of a linear model: arrays of known names, shapes and types, each looked at before it is unpacked.

A thousand zeros take a byte in an archive, and a header may claim any shape. So nothing is unpacked that does not have
the shape and type that the settings ask for, and what the settings ask for is held against the size of the file.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

from evenhand import limits
from evenhand.classifiers.bounded_files import list_archive
from evenhand.errors import InputError
from evenhand.files import regular_file

Array = npt.NDArray[Any]
ExpectedArray = tuple[tuple[int, ...], npt.DTypeLike]  # its shape and type


def read_arrays(path: Path, wanted: Mapping[str, ExpectedArray]) -> dict[str, Array]:
    """Every wanted array, if it has the wanted shape and type and holds finite numbers only."""
    _check_total(path, sum(math.prod(shape) for shape, _ in wanted.values()))
    try:
        with path.open("rb") as raw:
            list_archive(raw)
        with zipfile.ZipFile(path) as archive:
            return {name: _array(archive, path.name, name, *expected) for name, expected in wanted.items()}
    except InputError:
        raise
    except Exception as error:  # an archive, compressed, of headers in Python: each has errors of its own
        raise InputError(f"{path.name} cannot be read ({type(error).__name__})") from None


def _check_total(path: Path, coefficients: int) -> None:
    if coefficients > max(limits.COEFFICIENTS_FREE, limits.COEFFICIENTS_PER_BYTE * regular_file(path).stat().st_size):
        raise InputError(f"{path.name} is too small for the {coefficients:,} numbers that the settings ask for")


def _array(archive: zipfile.ZipFile, file: str, name: str, shape: tuple[int, ...], kind: npt.DTypeLike) -> Array:
    with archive.open(f"{name}.npy") as header:
        if npy.read_magic(header) != (1, 0) or npy.read_array_header_1_0(header)[::2] != (shape, np.dtype(kind)):
            raise InputError(f"{file} does not fit the settings: '{name}' has another shape")
    with archive.open(f"{name}.npy") as entry:
        array = np.asarray(npy.read_array(entry, allow_pickle=False))
    if not np.isfinite(array).all():
        raise InputError(f"{file} holds a number that is not finite, in '{name}'")
    return array
