"""What every classifier has in common: texts in; per text the class probabilities and how far to trust them out.

Two kinds of uncertainty are kept apart. *Data* uncertainty is in the probability itself: nobody could be sure of this
text. *Model* uncertainty is the spread of the probability over the members of an ensemble or over samples: another
model trained on the same data would have said something else. `uncertainty` carries both, `model_uncertainty` the
second alone, and the first is their difference (the law of total variance).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from evenhand.errors import InputError

Floats = npt.NDArray[np.floating]
Kind = Literal["binary", "multi-class", "multi-label"]


@dataclass(frozen=True, slots=True)
class Targets:
    """What a classifier tells apart: one class or not (binary), one of several, or any of several."""

    kind: Kind
    classes: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(set(self.classes)) != len(self.classes) or not all(self.classes):
            raise InputError(f"classes must have different names: {', '.join(self.classes)}")
        if (len(self.classes) == 1) != (self.kind == "binary") or not self.classes:
            raise InputError(f"a {self.kind} classifier cannot have {len(self.classes)} classes")

    @property
    def exclusive(self) -> bool:
        """The probabilities of a text sum to one."""
        return self.kind == "multi-class"


@dataclass(frozen=True, slots=True)
class Scores:
    """What a classifier says of some texts, one row each: NaN where a text could not be scored.

    `probabilities` has one column per class; `variance`, of the same shape, is the spread of each probability over the
    members or samples, and None where the classifier has none.
    """

    targets: Targets
    probabilities: Floats
    variance: Floats | None = None

    @classmethod
    def of_members(cls, targets: Targets, members: Floats) -> Scores:
        """From the probabilities of each member: [members, texts, classes]."""
        count = len(members)  # added up one by one: in what order NumPy would depends on how many texts there are
        mean = sum(members[1:], start=members[0]) / count
        spread = sum(np.square(member - mean) for member in members) / count if count > 1 else None
        return cls(targets, mean, spread)

    @property
    def uncertainty(self) -> Floats:
        """p(1 − p); of exclusive classes ½(1 − Σp²), one column, which is the same for two classes."""
        p = self.probabilities
        return (1.0 - np.square(p).sum(axis=1, keepdims=True)) / 2.0 if self.targets.exclusive else p * (1.0 - p)

    @property
    def model_uncertainty(self) -> Floats | None:
        """The part of `uncertainty` that is disagreement between members: Var p, of exclusive classes ½ Σ Var p."""
        if self.variance is None or not self.targets.exclusive:
            return self.variance
        return np.asarray(np.sum(self.variance, axis=1, keepdims=True) / 2.0)

    def columns(self) -> dict[str, Floats]:
        """As columns of a table: p, uncertainty, model_uncertainty; with a class after each where there are several."""
        parts = {"p": self.probabilities, "uncertainty": self.uncertainty, "model_uncertainty": self.model_uncertainty}
        found: dict[str, Floats] = {}
        for name, values in parts.items():
            if values is None:
                continue
            suffixes = [f"_{c}" for c in self.targets.classes] if values.shape[1] > 1 else [""]
            found |= {name + suffix: values[:, k] for k, suffix in enumerate(suffixes)}
        return found

    @classmethod
    def joined(cls, parts: Iterable[Scores]) -> Scores:
        """The scores of consecutive batches as one."""
        all_ = list(parts)
        spread = [part.variance for part in all_ if part.variance is not None]
        return cls(
            all_[0].targets,
            np.concatenate([part.probabilities for part in all_]),
            np.concatenate(spread) if len(spread) == len(all_) else None,
        )


class Classifier(Protocol):
    """A model that can be asked. `version` changes whenever its answers could; `batch` is how many texts it likes."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def targets(self) -> Targets: ...

    @property
    def batch(self) -> int: ...

    def score(self, texts: Sequence[str]) -> Scores:
        """One row per text, in their order."""
        ...


def in_batches(model: Classifier, texts: Sequence[str]) -> Scores:
    """The scores of many texts."""
    return Scores.joined(model.score(texts[i : i + model.batch]) for i in range(0, len(texts), model.batch))


@dataclass(frozen=True)
class Labelled:
    """Texts to learn from: `truth` has one row per text and one column per class, 0 or 1."""

    texts: Sequence[str]
    truth: npt.NDArray[np.float32]
    targets: Targets

    def take(self, kept: npt.NDArray[np.bool_]) -> Labelled:
        """Some of the rows."""
        texts = [self.texts[row] for row in np.flatnonzero(kept).tolist()]
        return Labelled(texts, self.truth[kept], self.targets)
