"""Evidence in memory: validated columns, aligned row by row. Of one score a model, or of a probability a class."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.errors import InputError
from evenhand.evidence.classes import two_classes
from evenhand.evidence.evidence import Classed, Counted, Evidence, Part, Thresholds
from evenhand.evidence.judgements import Judgements
from evenhand.evidence.scales import Scale
from evenhand.tally import FloatArray, IntArray, Membership, Placed, Rows, Weights
from evenhand.tally.order import Scores
from evenhand.tally.rows import Mask

BENIGN, VIOLATING = "benign", "violating"  # the two classes of a score


@dataclass(frozen=True)
class Held(Evidence):
    """Rows at hand. `keeps` are the rows of each part after the first, which is everything."""

    members: Mapping[str, Membership]
    weights: Weights | None
    keeps: tuple[Mask, ...]
    fingerprint: Callable[[], Mapping[str, str]]
    fetch: Callable[[list[int]], list[str]]
    judged: Callable[[], Judgements]
    label: npt.NDArray[Any]  # violating or not, or the number of the true class

    has_rows = True

    @property
    def size(self) -> int:
        return len(self.label)

    @property
    def groups(self) -> tuple[str, ...]:
        return tuple(self.members)

    def unannotated(self) -> Mapping[str, int]:
        known = {name: member.annotated for name, member in self.members.items()}
        return {name: self.size - int(mask.sum()) for name, mask in known.items() if mask is not None}

    def kept(self, part: Part) -> Mask | None:
        """The rows of a part; None for all of them."""
        return self.keeps[part.number - 1] if part.number else None

    def texts(self, rows: list[int]) -> list[str]:
        return self.fetch(rows)

    def rows_of(self, group: str) -> IntArray:
        return self.members[group].rows

    def judgements(self) -> Judgements:
        return self.judged()

    def provenance(self) -> dict[str, Any]:
        return {
            **self.fingerprint(),
            "rows": self.size,
            "evidence": self.digest(),
            "items": _digest(hashlib.sha256(self.label.tobytes()), self.members, self.weights),
            "roles": self.declaration.as_dict(),
        }

    @abstractmethod
    def digest(self) -> str:
        """A hash of what was taken from the source: the same wherever equal values of equal precision came from."""


@dataclass(frozen=True)
class ClassEvidence(Held):
    """A probability for each class, and the true one."""

    probabilities: FloatArray

    def classed(self, part: Part) -> Iterator[Classed]:
        keep = self.kept(part)
        rows = Rows(np.zeros(self.size, dtype=bool), self.members, self.weights)
        rows = rows if keep is None else rows.take(keep)
        p = self.probabilities if keep is None else self.probabilities[keep]
        label = self.label if keep is None else self.label[keep]
        yield Classed(self.models[0], self.declaration.class_names, p, label, rows.weights, rows.groups)

    def digest(self) -> str:
        digest = hashlib.sha256("\0".join(self.declaration.class_names).encode())
        digest.update(np.ascontiguousarray(self.probabilities).tobytes() + self.label.tobytes())
        return _digest(digest, self.members, self.weights)


@dataclass(frozen=True)
class JudgedEvidence(Held):
    """What people found and what was decided, without a model; `label` are their answers, also that there is none."""

    def digest(self) -> str:
        return _digest(self.judged().digest(), self.members, None)


@dataclass(frozen=True)
class TableEvidence(Held):
    """One score a model, and whether an item is violating."""

    scores: Mapping[str, Scores]
    unsure: Mapping[str, FloatArray] = field(default_factory=dict)

    @cached_property
    def rows(self) -> Rows:
        """The items without their scores."""
        return Rows(self.label, self.members, self.weights)

    def classed(self, part: Part) -> Iterator[Classed]:
        keep = self.kept(part)
        rows = self.rows if keep is None else self.rows.take(keep)
        for model, score in self.scores.items():
            p = self._probability(model, score if keep is None else score[keep])
            label = rows.label.astype(np.int32)
            yield Classed(model, (BENIGN, VIOLATING), two_classes(p), label, rows.weights, rows.groups)

    def _probability(self, model: str, score: Scores) -> FloatArray:
        return probability(score, self.scale(model), self.name, model)

    def tallies(self, part: Part, thresholds: Thresholds) -> Iterator[Counted]:
        keep = self.kept(part)
        if keep is None:
            yield from map(self._whole, self.scores)
            return
        rows = self.rows.take(keep)
        for model, score in self.scores.items():
            placed, unsure = Placed.of(score[keep], rows), self.unsure.get(model)
            yield Counted(model, placed.tally(), placed, None if unsure is None else unsure[keep])

    def _whole(self, model: str) -> Counted:
        """A model on everything, sorted and counted once however many audits ask; smaller parts are counted anew."""
        if model not in self._wholes:
            placed = Placed.of(self.scores[model], self.rows)
            self._wholes[model] = Counted(model, placed.tally(), placed, self.unsure.get(model))
        return self._wholes[model]

    @cached_property
    def _wholes(self) -> dict[str, Counted]:
        return {}

    def digest(self) -> str:
        digest = hashlib.sha256()
        for model, score in self.scores.items():
            digest.update(model.encode() + np.ascontiguousarray(score).tobytes())
        for model, values in self.unsure.items():
            digest.update(b"unsure " + model.encode() + values.tobytes())
        digest.update(np.packbits(self.label).tobytes())
        return _digest(digest, self.members, self.weights)


def probability(score: Scores, scale: Scale, source: str, column: str) -> FloatArray:
    """What a score stands for."""
    if scale.probability is None:
        problem = "the score is a rank and no probability: only its order means something"
        raise InputError(problem, source=source, column=column)
    return scale.probability(score.astype(np.float64))


def _digest(digest: Any, groups: Mapping[str, Membership], weights: Weights | None) -> str:
    for name, member in groups.items():
        digest.update(name.encode() + member.rows.tobytes())
        if member.annotated is not None:
            digest.update(np.packbits(member.annotated).tobytes())
    if weights is not None:
        digest.update(weights.weight.tobytes())
    return str(digest.hexdigest()[:16])
