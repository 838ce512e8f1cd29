"""Coefficients as they are kept: one byte each, finest near zero, so that eight members of half a million fit in 4 MB.

A trained model is rounded before it is first used, so that it says the same before and after it was saved.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evenhand.classifiers.linear.training import Trained
from evenhand.errors import InputError

STEPS = 127
FILE = "weights.npz"


@dataclass(frozen=True)
class Stored:
    """`steps` [buckets, members, classes] are signed roots of the coefficients in parts of the `largest`."""

    steps: npt.NDArray[np.int8]
    largest: npt.NDArray[np.float32]
    offsets: npt.NDArray[np.float32]
    weight: npt.NDArray[np.float16]

    @classmethod
    def of(cls, trained: Trained) -> Stored:
        """Rounded."""
        coefficients = trained.coefficients
        largest = np.maximum(np.abs(coefficients).max(axis=0), 1e-9).astype(np.float32)
        steps = np.rint(np.sign(coefficients) * np.sqrt(np.abs(coefficients) / largest) * STEPS).astype(np.int8)
        return cls(steps, largest, trained.offsets, trained.weight.astype(np.float16))

    def coefficients(self) -> npt.NDArray[np.float32]:
        """As numbers again."""
        share = self.steps.astype(np.float32) / np.float32(STEPS)
        return np.asarray(share * np.abs(share) * self.largest, dtype=np.float32)

    def write(self, folder: Path) -> None:
        """One npz file: arrays and their names, no code."""
        arrays = {f.name: getattr(self, f.name) for f in fields(self)}
        np.savez_compressed(folder / FILE, allow_pickle=False, **arrays)

    @classmethod
    def read(cls, folder: Path, shape: tuple[int, int, int]) -> Stored:
        """From the file; `InputError` unless every array has the shape that the settings ask for."""
        wanted = {"steps": shape, "largest": shape[1:], "offsets": shape[1:], "weight": shape[:1]}
        types = {"steps": np.int8, "largest": np.float32, "offsets": np.float32, "weight": np.float16}
        try:
            with (folder / FILE).open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                arrays = {name: file[name] for name in wanted}
        except Exception as error:  # an archive, compressed, of headers in Python: each has errors of its own
            raise InputError(f"{FILE} cannot be read ({type(error).__name__})", source=str(folder)) from None
        for name, array in arrays.items():
            if not isinstance(array, np.ndarray) or array.shape != wanted[name] or array.dtype != types[name]:
                raise InputError(f"{FILE} does not fit the settings: '{name}' has another shape", source=str(folder))
            if not np.isfinite(array).all():
                raise InputError(f"{FILE} holds a number that is not finite, in '{name}'", source=str(folder))
        return cls(**arrays)
