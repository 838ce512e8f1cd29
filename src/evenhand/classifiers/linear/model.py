"""A linear model at work."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from evenhand.classifiers.linear.features import Featuriser
from evenhand.classifiers.linear.settings import LinearSettings
from evenhand.classifiers.linear.storage import Stored
from evenhand.classifiers.linear.training import train
from evenhand.classifiers.place import HERE, Place
from evenhand.classifiers.protocol import Labelled, Scores, Targets
from evenhand.progress import Progress, silent

Floats = npt.NDArray[np.floating[Any]]
AT_ONCE = 2048  # texts: more do not fit into the processor's cache
LETTERS_AT_ONCE = 4_000_000
WORKERS = min(4, os.cpu_count() or 1)


@dataclass(frozen=True)
class LinearClassifier:
    """Hashed words, several logistic regressions, one answer."""

    targets: Targets
    settings: LinearSettings
    stored: Stored
    name: str = "linear"
    version: str = "unsaved"
    kind: str = "linear"
    batch: int = 8 * AT_ONCE

    @classmethod
    def train(
        cls, data: Labelled, settings: LinearSettings, progress: Progress = silent, place: Place = HERE
    ) -> LinearClassifier:
        """Learn from labelled texts: anywhere, and at one go."""
        return cls(data.targets, settings, Stored.of(train(data, settings, progress)))

    @classmethod
    def read(cls, folder: Path, targets: Targets, settings: LinearSettings, place: Place = HERE) -> LinearClassifier:
        """From what `write` wrote."""
        shape = (settings.buckets, settings.members, len(targets.classes))
        return cls(targets, settings, Stored.read(folder, shape))

    def write(self, folder: Path) -> None:
        """The weights."""
        self.stored.write(folder)

    def score(self, texts: Sequence[str]) -> Scores:
        """One row per text, whatever other texts are asked for with it."""
        parts = _portions(texts)
        if len(parts) == 1 or WORKERS == 1:
            found = [self._members(part) for part in parts]
        else:
            with ThreadPoolExecutor(max_workers=WORKERS) as pool:
                found = list(pool.map(self._members, parts))
        return Scores.of_members(self.targets, np.concatenate(found, axis=1))

    def _members(self, texts: Sequence[str]) -> Floats:
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
