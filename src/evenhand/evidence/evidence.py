"""Evidence as audits see it, wherever its rows are: a small protocol for each kind, and what evidence hands out.

All evidence has a name, a declaration and parts. What can be asked of it beyond that depends on what was declared and
on where the rows are: tallies of a score, class probabilities, judgements, labels by annotators. An audit names the
protocol it needs in its signature, and `as_tallied` and its like say in one line why evidence is not of that kind.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Bools, Floats, Int32s
from evenhand.errors import InputError
from evenhand.evidence.annotators import Annotators
from evenhand.evidence.declaration import Declaration
from evenhand.evidence.scales import ScoreScale
from evenhand.tally import Clusters, Membership, PlacedRows, Reviews, Rows, Tally, Weights
from evenhand.tally.order import ScoreArray


class EvidencePart(NamedTuple):
    """A part of the evidence: everything (slice {}), short items, one language; and its number among the parts."""

    slice: Mapping[str, str]
    number: int = 0


class ModelTally(NamedTuple):
    """One model's tally of one part, with the rows it was counted from where they are at hand."""

    model: str
    tally: Tally
    placed: PlacedRows | None
    unsure: Floats | None = None  # how unsure the model says it is of each row


class ClassedRows(NamedTuple):
    """One model's probabilities of several classes beside the true class, row by row; a score is one of two classes."""

    model: str
    classes: tuple[str, ...]
    probabilities: Floats  # rows × classes
    label: Int32s  # the number of the true class
    weights: Weights | None
    groups: Mapping[str, Membership]
    clusters: Clusters | None = None


Thresholds = Mapping[str, float | None]  # by model; None where a score has no natural one


@runtime_checkable
class Evidence(Protocol):
    """What is known. Nothing in here needs checking again.

    >>> table = {"p": [0.9, 0.2, 0.7, 0.4], "toxic": [True, False, True, False]}
    >>> evidence = eh.open_evidence(table, eh.Declaration(score="p", label="toxic"))
    >>> evidence.size, evidence.models
    (4, ('p',))
    """

    @property
    def name(self) -> str:
        """What errors call it."""

    @property
    def declaration(self) -> Declaration:
        """What its columns mean."""

    @property
    def parts(self) -> tuple[EvidencePart, ...]:
        """Everything, then each slice."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was noticed when it was read."""

    @property
    def has_rows(self) -> bool:
        """Rows at hand: models can be compared row by row, items redrawn, texts looked up."""

    @property
    def models(self) -> tuple[str, ...]:
        """The score columns; the probabilities of several classes are one model."""

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups, as declared."""

    @property
    def size(self) -> int:
        """How many rows there are."""

    def scale(self, model: str) -> ScoreScale:
        """The scale of a score."""

    def unannotated(self) -> Mapping[str, int]:
        """How many items were not annotated, for each group where some were not."""

    def provenance(self) -> dict[str, Any]:
        """Where the evidence comes from and what its columns were taken to mean."""

    def without_small_groups(self, smallest: int) -> Evidence:
        """Without slices of fewer items, and without such groups unless their columns were named one by one."""


@runtime_checkable
class TalliedEvidence(Evidence, Protocol):
    """One score a model and whether an item is violating, counted: at hand or on a cluster."""

    def tallies(self, part: EvidencePart, thresholds: Thresholds) -> Iterator[ModelTally]:
        """Each model's tally of one part."""


@runtime_checkable
class ScoredEvidence(TalliedEvidence, Protocol):
    """The same with the rows at hand."""

    @property
    def rows(self) -> Rows:
        """The items without their scores."""

    @property
    def scores(self) -> Mapping[str, ScoreArray]:
        """By model: a score an item."""

    @property
    def unsure(self) -> Mapping[str, Floats]:
        """By model, where it is known: how unsure the model is of each item."""

    @property
    def reviews(self) -> Reviews | None:
        """What reviewers decided, where that is declared."""

    def texts(self, rows: list[int]) -> list[str]:
        """The texts of some rows, for those who ask for them."""

    def with_groups(self, groups: Mapping[str, Membership]) -> ScoredEvidence:
        """The same items with other groups."""


@runtime_checkable
class ClassedEvidence(Evidence, Protocol):
    """The probability of each class and the true class of every row; a score is one of two classes."""

    def classed(self, part: EvidencePart) -> Iterator[ClassedRows]:
        """Each model's probabilities of the classes on one part."""

    def texts(self, rows: list[int]) -> list[str]:
        """The texts of some rows, for those who ask for them."""


@runtime_checkable
class JudgedEvidence(Evidence, Protocol):
    """What people found and what was decided, one row an item."""

    @property
    def clusters(self) -> Clusters | None:
        """Which rows belong together, where that is declared."""

    def judgements(self) -> Judgements:
        """Of every row."""

    def kept(self, part: EvidencePart) -> Bools | None:
        """The rows of a part; None for all of them."""

    def rows_of(self, group: str) -> Int32s:
        """The rows that belong to a group."""


@runtime_checkable
class AnnotatedEvidence(Evidence, Protocol):
    """One row per label that somebody gave. Items and annotators are numbers."""

    @property
    def classes(self) -> tuple[str, ...]:
        """What a label can be."""

    @property
    def items(self) -> int:
        """How many items there are."""

    @property
    def item(self) -> Int32s:
        """The item of each label."""

    @property
    def annotator(self) -> Int32s:
        """Who gave each label."""

    @property
    def label(self) -> Int32s:
        """The number of the class that each label names."""

    @property
    def annotators(self) -> Annotators:
        """The group of each annotator."""

    @property
    def probabilities(self) -> Mapping[str, Floats]:
        """By model: items × classes."""


def as_tallied(evidence: Evidence) -> TalliedEvidence:
    """`InputError` where there is no score to tally."""
    if isinstance(evidence, TalliedEvidence):
        return evidence
    raise InputError("this needs one score, not a probability for each class", source=evidence.name)


def as_scored(evidence: Evidence, what: str) -> ScoredEvidence:
    """`InputError` where there is no score of each row at hand; `what` begins the sentence, such as "a plan needs"."""
    if isinstance(evidence, ScoredEvidence):
        return evidence
    raise InputError(f"{what} the rows locally, not on a cluster", source=evidence.name)


def as_classed(evidence: Evidence) -> ClassedEvidence:
    """`InputError` where there are no probabilities of classes row by row."""
    if isinstance(evidence, ClassedEvidence):
        return evidence
    raise InputError("this needs the rows locally, not on a cluster", source=evidence.name)


def as_judged(evidence: Evidence) -> JudgedEvidence:
    """`InputError` where the items are not at hand one by one."""
    if isinstance(evidence, JudgedEvidence):
        return evidence
    raise InputError("this needs the rows at hand, one an item", source=evidence.name)


def as_annotated(evidence: Evidence) -> AnnotatedEvidence:
    """`InputError` where a row is an item rather than somebody's label."""
    if isinstance(evidence, AnnotatedEvidence):
        return evidence
    raise InputError("this needs labels by annotators: declare item and annotator", source=evidence.name)


SMALL_PARTS = {"group": "groups", "slice": "slices", "group within a slice": "groups within slices"}


def not_shown(number: int, what: str, smallest: int) -> Iterator[str]:
    """A sentence on groups or slices that are too small to be shown, if there are any."""
    if number:
        some, few = (what, "is") if number == 1 else (SMALL_PARTS[what], "each are")
        yield (
            f"{number:,} {some} with fewer than {smallest:,} items {few} not shown (a lower `smallest_group` shows "
            "more)."
        )


@dataclass(frozen=True, repr=False)
class DeclaredEvidence:
    """What evidence of every kind is made with."""

    name: str
    declaration: Declaration
    parts: tuple[EvidencePart, ...]
    notes: tuple[str, ...]

    @property
    def models(self) -> tuple[str, ...]:
        """The score columns; the probabilities of several classes are one model."""
        return self.declaration.score or ("probabilities",)

    def scale(self, model: str) -> ScoreScale:
        """The scale of a score."""
        return self.declaration.scale_of(self.models.index(model))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.name}: {', '.join(sorted(self.declaration.declared))}>"

    def without_small_groups(self, smallest: int) -> Self:
        """The same: where a row is somebody's label, groups are of people, and their audit looks after them."""
        return self


class Digest(Protocol):
    """A hash that goes on, as those of hashlib do."""

    def update(self, data: bytes, /) -> None: ...

    def hexdigest(self) -> str: ...


@dataclass(frozen=True)
class Judgements:
    """One row an item. `times` are equal rows that it stands for; `removed` is None where decisions are not known.

    `inclusion` is that of the rows that were drawn, None for a census; `stratum` is a place in `strata`, or −1.
    """

    answer: npt.NDArray[np.int8]
    times: Int32s
    removed: Bools | None
    inclusion: Floats | None
    stratum: Int32s | None
    strata: tuple[str, ...]
    notes: tuple[str, ...] = ()
    planned: Mapping[str, Floats] | None = None  # by column, what a plan wrote beside its labels

    def digest(self) -> Digest:
        """A hash of everything, to go on with."""
        digest = hashlib.sha256("\0".join(self.strata).encode())
        for values in (self.answer, self.times, self.removed, self.inclusion, self.stratum):
            digest.update(b"none" if values is None else np.ascontiguousarray(values).tobytes())
        for name, column in (self.planned or {}).items():
            digest.update(name.encode() + np.ascontiguousarray(column).tobytes())
        return digest
