"""A linear model as a classifier, and the file that holds its coefficients.

Coefficients are stored as one byte each, finest near zero, so that eight members of half a million fit in 4 MB. A
trained model is rounded before it is first used, so that its scores are the same before and after it is saved.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import special

from evenhand import limits
from evenhand.arrays import AnyFloats
from evenhand.classifiers.estimator import TextEstimator
from evenhand.classifiers.linear.features import Featuriser
from evenhand.classifiers.linear.settings import LinearSettings
from evenhand.classifiers.linear.training import TrainedCoefficients, train_members
from evenhand.classifiers.linear.weights_file import ExpectedArray, read_arrays
from evenhand.classifiers.protocol import DEFAULT_RUNTIME, LabelledTexts, Runtime, Scores, Targets
from evenhand.errors import InputError
from evenhand.progress import Progress, silent

COEFFICIENT_STEPS = 127
ROWS_AT_ONCE = 1 << 16
WEIGHTS_FILE = "weights.npz"


@dataclass(frozen=True)
class StoredCoefficients:
    """`steps` [buckets, members, classes] are signed roots of the coefficients in parts of the `largest`."""

    steps: npt.NDArray[np.int8]
    largest: npt.NDArray[np.float32]
    offsets: npt.NDArray[np.float32]
    weight: npt.NDArray[np.float16]

    @classmethod
    def rounded(cls, trained: TrainedCoefficients) -> StoredCoefficients:
        """Rounded."""
        coefficients = trained.coefficients
        largest = np.maximum(np.abs(coefficients).max(axis=0), 1e-9).astype(np.float32)
        steps = np.rint(np.sign(coefficients) * np.sqrt(np.abs(coefficients) / largest) * COEFFICIENT_STEPS).astype(
            np.int8
        )
        return cls(steps, largest, trained.offsets, trained.weight.astype(np.float16))

    def coefficients(self) -> npt.NDArray[np.float32]:
        """As numbers again."""
        coefficients = self.steps.astype(np.float32)
        for start in range(0, len(coefficients), ROWS_AT_ONCE):  # all at once would take three times the memory
            part = coefficients[start : start + ROWS_AT_ONCE]
            part /= np.float32(COEFFICIENT_STEPS)
            part *= np.abs(part)
            part *= self.largest
        return coefficients

    def write(self, folder: Path) -> None:
        """One npz file: arrays and their names, no code. The largest are not compressed, so that they can be read."""
        arrays = {f.name: getattr(self, f.name) for f in fields(self)}
        save = np.savez_compressed if self.steps.size < limits.COEFFICIENTS_FREE // 2 else np.savez
        save(folder / WEIGHTS_FILE, allow_pickle=False, **arrays)

    @classmethod
    def read(cls, folder: Path, shape: tuple[int, int, int]) -> StoredCoefficients:
        """From the file; `InputError` unless every array has the shape that the settings ask for."""
        wanted: dict[str, ExpectedArray] = {
            "steps": (shape, np.int8),
            "largest": (shape[1:], np.float32),
            "offsets": (shape[1:], np.float32),
            "weight": (shape[:1], np.float16),
        }
        try:
            return cls(**read_arrays(folder / WEIGHTS_FILE, wanted))
        except InputError as error:
            raise error.within(str(folder)) from None


AT_ONCE = 2048  # texts: more do not fit into the processor's cache
LETTERS_AT_ONCE = 4_000_000
WORKERS = min(4, os.cpu_count() or 1)


@dataclass(frozen=True, repr=False)
class LinearClassifier(TextEstimator):
    """Hashed words, several logistic regressions, one answer."""

    targets: Targets
    settings: LinearSettings
    stored: StoredCoefficients
    name: str = "linear"
    version: str = "unsaved"
    kind: str = "linear"
    batch: int = 8 * AT_ONCE

    @classmethod
    def train(
        cls,
        data: LabelledTexts,
        settings: LinearSettings,
        progress: Progress = silent,
        place: Runtime = DEFAULT_RUNTIME,
    ) -> LinearClassifier:
        """Learn from labelled texts: anywhere, and at one go."""
        return cls(data.targets, settings, StoredCoefficients.rounded(train_members(data, settings, progress)))

    @classmethod
    def read(
        cls, folder: Path, targets: Targets, settings: LinearSettings, place: Runtime = DEFAULT_RUNTIME
    ) -> LinearClassifier:
        """From what `write` wrote."""
        shape = (settings.buckets, settings.members, len(targets.classes))
        return cls(targets, settings, StoredCoefficients.read(folder, shape))

    def write(self, folder: Path) -> None:
        """The weights."""
        self.stored.write(folder)

    def score(self, texts: Sequence[str]) -> Scores:
        """One row per text, whatever other texts are asked for with it."""
        parts = _portions(texts)
        if len(parts) == 1 or WORKERS == 1:
            by_part = [self._members(part) for part in parts]
        else:
            with ThreadPoolExecutor(max_workers=WORKERS) as pool:
                by_part = list(pool.map(self._members, parts))
        return Scores.of_members(self.targets, np.concatenate(by_part, axis=1))

    def _members(self, texts: Sequence[str]) -> AnyFloats:
        """[members, texts, classes]"""
        logits = self._featuriser(texts).times(self._coefficients)
        shaped = logits.reshape(len(texts), *self.stored.offsets.shape) + self.stored.offsets
        exact = shaped.astype(np.float64)
        probabilities = special.softmax(exact, axis=2) if self.targets.exclusive else special.expit(exact)
        return np.moveaxis(probabilities, 1, 0)

    @cached_property
    def _featuriser(self) -> Featuriser:
        return Featuriser(self.settings, self.stored.weight)

    @cached_property
    def _coefficients(self) -> npt.NDArray[np.float32]:
        coefficients = self.stored.coefficients()
        return coefficients.reshape(len(coefficients), -1)


def _portions(texts: Sequence[str]) -> list[Sequence[str]]:
    """Cut where a portion is long enough, in texts or in letters: one text may be a megabyte."""
    if sum(map(len, texts)) <= LETTERS_AT_ONCE and len(texts) <= AT_ONCE:
        return [texts]
    cuts, letters = [0], 0
    for number, text in enumerate(texts):
        if number > cuts[-1] and (number - cuts[-1] >= AT_ONCE or letters + len(text) > LETTERS_AT_ONCE):
            cuts.append(number)
            letters = 0
        letters += len(text)
    return [texts[start:end] for start, end in zip(cuts, [*cuts[1:], len(texts)], strict=True)]
