"""Evidence in memory with a row for each item: scores, class probabilities, or judgements without a model."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Bools, Floats, Int32s
from evenhand.evidence.counted_rows import CountedScores
from evenhand.evidence.evidence import (
    ClassedRows,
    DeclaredEvidence,
    Digest,
    EvidencePart,
    Judgements,
    ModelTally,
    Thresholds,
    not_shown,
)
from evenhand.evidence.scales import BENIGN, VIOLATING, to_probability, two_classes
from evenhand.memo import Memo
from evenhand.tally import Clusters, Membership, PlacedRows, Reviews, Rows, Tally, Weights
from evenhand.tally.order import ScoreArray


@dataclass(frozen=True, repr=False)
class ItemEvidence(DeclaredEvidence, ABC):
    """Rows at hand. `keeps` are the rows of each part after the first, which is everything."""

    members: Mapping[str, Membership]
    weights: Weights | None
    clusters: Clusters | None
    keeps: tuple[Bools, ...]
    fingerprint: Callable[[], Mapping[str, Any]]
    fetch: Callable[[list[int]], list[str]]
    judged: Callable[[], Judgements]
    label: npt.NDArray[Any]  # violating or not, or the number of the true class

    has_rows: ClassVar[bool] = True

    @property
    def size(self) -> int:
        return len(self.label)

    @property
    def groups(self) -> tuple[str, ...]:
        return tuple(self.members)

    def unannotated(self) -> Mapping[str, int]:
        known = {name: member.annotated for name, member in self.members.items()}
        return {name: self.size - int(mask.sum()) for name, mask in known.items() if mask is not None}

    def kept(self, part: EvidencePart) -> Bools | None:
        """The rows of a part; None for all of them."""
        return self.keeps[part.number - 1] if part.number else None

    def texts(self, rows: list[int]) -> list[str]:
        return self.fetch(rows)

    def rows_of(self, group: str) -> Int32s:
        return self.members[group].rows

    def without_small_groups(self, smallest: int) -> Self:
        """As in `Evidence`."""
        named = self.declaration.groups
        members = {
            name: member
            for name, member in self.members.items()
            if name in named or self._items(member.rows) >= smallest
        }
        large_parts = [
            (part, keep)
            for part, keep in zip(self.parts[1:], self.keeps, strict=True)
            if self._items(np.flatnonzero(keep)) >= smallest
        ]
        few, fewer = len(self.members) - len(members), len(self.keeps) - len(large_parts)
        if not few and not fewer:
            return self
        return replace(
            self,
            members=members,
            parts=(
                self.parts[0],
                *(part._replace(number=number) for number, (part, _) in enumerate(large_parts, start=1)),
            ),
            keeps=tuple(keep for _, keep in large_parts),
            notes=(*self.notes, *not_shown(few, "group", smallest), *not_shown(fewer, "slice", smallest)),
        )

    def _items(self, rows: npt.NDArray[np.integer]) -> float:
        return len(rows) if self.weights is None else float(self.weights.count[rows].sum())

    def judgements(self) -> Judgements:
        return self.judged()

    def provenance(self) -> dict[str, Any]:
        return {
            **self.fingerprint(),
            "rows": self.size,
            "evidence": self.digest(),
            "items": _digest_with_groups(hashlib.sha256(self.label.tobytes()), self.members, self.weights),
            "roles": self.declaration.as_dict(),
        }

    @abstractmethod
    def digest(self) -> str:
        """A hash of what was taken from the source: the same wherever equal values of equal precision came from."""


@dataclass(frozen=True, repr=False)
class ClassEvidence(ItemEvidence):
    """A probability for each class, and the true one."""

    probabilities: Floats

    def classed(self, part: EvidencePart) -> Iterator[ClassedRows]:
        keep = self.kept(part)
        rows = Rows(np.zeros(self.size, dtype=bool), self.members, self.weights, self.clusters)
        rows = rows if keep is None else rows.take(keep)
        p = self.probabilities if keep is None else self.probabilities[keep]
        label = self.label if keep is None else self.label[keep]
        names = self.declaration.class_names
        yield ClassedRows(self.models[0], names, p, label, rows.weights, rows.groups, rows.clusters)

    def digest(self) -> str:
        digest = hashlib.sha256("\0".join(self.declaration.class_names).encode())
        digest.update(np.ascontiguousarray(self.probabilities).tobytes() + self.label.tobytes())
        return _digest_with_groups(digest, self.members, self.weights)


@dataclass(frozen=True, repr=False)
class JudgementEvidence(ItemEvidence):
    """What people found and what was decided, without a model; `label` are their answers, also that there is none."""

    def digest(self) -> str:
        return _digest_with_groups(self.judged().digest(), self.members, None)


@dataclass(frozen=True, repr=False)
class ScoreEvidence(ItemEvidence):
    """One score a model, and whether an item is violating."""

    scores: Mapping[str, ScoreArray]
    unsure: Mapping[str, Floats] = field(default_factory=dict)
    reviews: Reviews | None = None
    counted: CountedScores | None = None  # where rows were counted as they were read

    @property
    def size(self) -> int:
        return super().size if self.counted is None else self.counted.rows

    def unannotated(self) -> Mapping[str, int]:
        if self.counted is None or self.weights is None:
            return super().unannotated()
        masks = {name: member.annotated for name, member in self.members.items()}
        count = self.weights.count
        return {name: round(float(count[~mask].sum())) for name, mask in masks.items() if mask is not None}

    @cached_property
    def rows(self) -> Rows:
        """The items without their scores."""
        return Rows(self.label, self.members, self.weights, self.clusters)

    def with_groups(self, groups: Mapping[str, Membership]) -> ScoreEvidence:
        """The same items with other groups."""
        return replace(self, members=groups)

    def classed(self, part: EvidencePart) -> Iterator[ClassedRows]:
        keep = self.kept(part)
        rows = self.rows if keep is None else self.rows.take(keep)
        for model, score in self.scores.items():
            p = self._probability(model, score if keep is None else score[keep])
            label, names = rows.label.astype(np.int32), (BENIGN, VIOLATING)
            yield ClassedRows(model, names, two_classes(p), label, rows.weights, rows.groups, rows.clusters)

    def _probability(self, model: str, score: ScoreArray) -> Floats:
        return to_probability(score, self.scale(model), self.name, model)

    def tallies(self, part: EvidencePart, thresholds: Thresholds) -> Iterator[ModelTally]:
        keep = self.kept(part)
        if keep is None:
            yield from map(self._whole, self.scores)
            return
        rows = self.rows.take(keep)
        for model, score in self.scores.items():
            placed, unsure = PlacedRows.from_rows(score[keep], rows), self.unsure.get(model)
            yield ModelTally(model, self._tally(placed, keep), placed, None if unsure is None else unsure[keep])

    def _whole(self, model: str) -> ModelTally:
        """A model on everything, sorted and counted once however many audits ask; smaller parts are counted anew."""
        return self._wholes.once(model, lambda: self._counted(model))

    def _counted(self, model: str) -> ModelTally:
        placed = PlacedRows.from_rows(self.scores[model], self.rows)
        return ModelTally(model, self._tally(placed), placed, self.unsure.get(model))

    def _tally(self, placed: PlacedRows, keep: Bools | slice = slice(None)) -> Tally:
        """Counted; with what is known of scores that were taken together."""
        tally = placed.tally()
        if self.counted is None:
            return tally
        mixed = np.zeros(len(tally.scores), dtype=np.bool_)
        mixed[placed.place[self.counted.mixed[keep]]] = True
        return replace(tally, mixed=mixed)

    @cached_property
    def _wholes(self) -> Memo:
        return Memo()

    def digest(self) -> str:
        digest = hashlib.sha256()
        for model, score in self.scores.items():
            digest.update(model.encode() + np.ascontiguousarray(score).tobytes())
        for model, values in self.unsure.items():
            digest.update(b"unsure " + model.encode() + values.tobytes())
        if self.reviews is not None:
            for part in (self.reviews.reviewers, self.reviews.violating, self.reviews.known):
                digest.update(b"reviews " + part.tobytes())
        digest.update(np.packbits(self.label).tobytes())
        return _digest_with_groups(digest, self.members, self.weights)


def _digest_with_groups(digest: Digest, groups: Mapping[str, Membership], weights: Weights | None) -> str:
    for name, member in groups.items():
        digest.update(name.encode() + member.rows.tobytes())
        if member.annotated is not None:
            digest.update(np.packbits(member.annotated).tobytes())
    if weights is not None:
        digest.update(weights.weight.tobytes())
    return str(digest.hexdigest()[:16])
