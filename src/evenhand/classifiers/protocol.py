"""What every classifier has in common: from texts to class probabilities and their uncertainty.

Two kinds of uncertainty are kept apart. *Data* uncertainty is in the probability itself: the text is ambiguous, and
more training data would not change that. *Model* uncertainty is the spread of the probability over the members of an
ensemble or over samples: another model trained on the same data would give another probability. `uncertainty` carries
both, `model_uncertainty` the second alone, and the first is their difference (the law of total variance).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from evenhand.arrays import AnyFloats
from evenhand.errors import InputError

RESUME_HINT = "the scores so far are kept: run the same command again to continue"


class TextError(InputError):
    """What a model gave for one text cannot be used. `text` is its place among the texts that were scored, from 0."""

    def __init__(self, problem: str, model: str, text: int, *, remedy: str = "") -> None:
        super().__init__(f"text {text + 1}: {problem}", source=model, remedy=remedy)
        self.text, self._unplaced = text, problem

    def in_row(self, source: str, row: int) -> InputError:
        """The same error where the texts are rows of a table."""
        return InputError(f"{self._unplaced} ({self.source})", source=source, row=row, remedy=self.remedy)


TargetKind = Literal["binary", "multi-class", "multi-label"]


@dataclass(frozen=True, slots=True)
class Targets:
    """The classes of a classifier: one class or not (binary), one of several, or any of several."""

    kind: TargetKind
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
    """The scores of some texts, one row each: NaN where a text could not be scored.

    `probabilities` has one column per class; `variance`, of the same shape, is the spread of each probability over the
    members or samples, and None where the classifier has none.

    >>> scores = eh.open_model("default").score(["Thank you.", "You idiot."])
    >>> list(scores.columns())
    ['p', 'uncertainty', 'model_uncertainty']
    """

    targets: Targets
    probabilities: AnyFloats
    variance: AnyFloats | None = None

    @classmethod
    def of_members(cls, targets: Targets, members: AnyFloats) -> Scores:
        """From the probabilities of each member: [members, texts, classes]."""
        count = len(members)  # added up one by one: in what order NumPy would depends on how many texts there are
        mean = sum(members[1:], start=members[0]) / count
        spread = sum(np.square(member - mean) for member in members) / count if count > 1 else None
        return cls(targets, mean, spread)

    @property
    def uncertainty(self) -> AnyFloats:
        """p(1 − p); of exclusive classes ½(1 − Σp²), one column, which is the same for two classes."""
        p = self.probabilities
        return (1.0 - np.square(p).sum(axis=1, keepdims=True)) / 2.0 if self.targets.exclusive else p * (1.0 - p)

    @property
    def model_uncertainty(self) -> AnyFloats | None:
        """The part of `uncertainty` that is disagreement between members: Var p, of exclusive classes ½ Σ Var p."""
        if self.variance is None or not self.targets.exclusive:
            return self.variance
        return np.asarray(np.sum(self.variance, axis=1, keepdims=True) / 2.0)

    def columns(self) -> dict[str, AnyFloats]:
        """As columns of a table: p, uncertainty, model_uncertainty; with a class after each where there are several."""
        parts = {"p": self.probabilities, "uncertainty": self.uncertainty, "model_uncertainty": self.model_uncertainty}
        columns: dict[str, AnyFloats] = {}
        for name, values in parts.items():
            if values is None:
                continue
            suffixes = [f"_{c}" for c in self.targets.classes] if values.shape[1] > 1 else [""]
            columns |= {name + suffix: values[:, k] for k, suffix in enumerate(suffixes)}
        return columns

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
    """A model that scores texts, best `batch` at a time. Its `version` changes whenever its scores could.

    >>> model = eh.open_model("default")
    >>> model.name, model.targets.classes
    ('default', ('toxic',))
    >>> model.score(["Thank you."]).probabilities.shape
    (1, 1)
    """

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


def score_in_batches(
    model: Classifier, texts: Sequence[str], progress: Callable[[int, int], None] | None = None
) -> Scores:
    """The scores of many texts; `progress` is told how many are done, and of how many."""

    def batches() -> Iterator[Scores]:
        for start in range(0, len(texts), model.batch):
            if progress:
                progress(start, len(texts))
            yield model.score(texts[start : start + model.batch])

    return Scores.joined(batches())


@dataclass(frozen=True)
class LabelledTexts:
    """Texts to learn from: `truth` has one row per text and one column per class, 0 or 1."""

    texts: Sequence[str]
    truth: npt.NDArray[np.float32]
    targets: Targets

    def take(self, mask: npt.NDArray[np.bool_]) -> LabelledTexts:
        """Some of the rows."""
        texts = [self.texts[row] for row in np.flatnonzero(mask).tolist()]
        return LabelledTexts(texts, self.truth[mask], self.targets)


@dataclass(frozen=True, slots=True)
class Runtime:
    """A place to work.

    `device` is a GPU if there is one; `keep` is where a run saves its progress; `download`
    says whether what is missing may be fetched.
    """

    device: str | None = None
    keep: Path | None = None
    download: bool = False


DEFAULT_RUNTIME = Runtime()
