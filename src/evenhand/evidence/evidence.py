"""Evidence as audits see it, wherever its rows are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from evenhand.errors import InputError
from evenhand.evidence.declaration import Declaration
from evenhand.evidence.judgements import Judgements
from evenhand.evidence.scales import Scale
from evenhand.tally import FloatArray, IntArray, Membership, Placed, Tally, Weights
from evenhand.tally.rows import Mask


class Part(NamedTuple):
    """A part of the evidence: everything (slice {}), short items, one language; and its number among the parts."""

    slice: Mapping[str, str]
    number: int = 0


class Counted(NamedTuple):
    """One model's tally of one part, with the rows it was counted from where they are at hand."""

    model: str
    tally: Tally
    placed: Placed | None
    unsure: FloatArray | None = None  # how unsure the model says it is of each row


class Classed(NamedTuple):
    """One model's probabilities of several classes beside the true class, row by row; a score is one of two classes."""

    model: str
    classes: tuple[str, ...]
    probabilities: FloatArray  # rows × classes
    label: IntArray  # the number of the true class
    weights: Weights | None
    groups: Mapping[str, Membership]


Thresholds = Mapping[str, float | None]  # by model; None where a score has no natural one


@dataclass(frozen=True)
class Evidence(ABC):
    """What is known, ready to be tallied. Nothing in here needs checking again."""

    name: str
    declaration: Declaration
    parts: tuple[Part, ...]
    notes: tuple[str, ...]

    has_rows = False  # rows at hand: models can be compared row by row, items redrawn, texts looked up

    @property
    def models(self) -> tuple[str, ...]:
        """The score columns; the probabilities of several classes are one model."""
        return self.declaration.score or ("probabilities",)

    def scale(self, model: str) -> Scale:
        """The scale of a score."""
        return self.declaration.scale_of(self.models.index(model))

    @property
    @abstractmethod
    def groups(self) -> tuple[str, ...]:
        """The groups, as declared."""

    @abstractmethod
    def unannotated(self) -> Mapping[str, int]:
        """How many items were not annotated, for each group where some were not."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many rows there are."""

    def tallies(self, part: Part, thresholds: Thresholds) -> Iterator[Counted]:
        """Each model's tally of one part."""
        raise InputError("this needs one score, not a probability for each class", source=self.name)

    def classed(self, part: Part) -> Iterator[Classed]:
        """Each model's probabilities of the classes on one part."""
        raise InputError("this needs the rows at hand, not on a cluster", source=self.name)

    def judgements(self) -> Judgements:
        """What people found and what was decided, row by row."""
        raise InputError("this needs the rows at hand, one an item", source=self.name)

    def kept(self, part: Part) -> Mask | None:
        """The rows of a part; None for all of them."""
        raise InputError("this needs the rows at hand, one an item", source=self.name)

    def rows_of(self, group: str) -> IntArray:
        """The rows that belong to a group."""
        raise InputError("this needs the rows at hand, one an item", source=self.name)

    @abstractmethod
    def provenance(self) -> dict[str, Any]:
        """Where the evidence comes from and what its columns were taken to mean."""

    @abstractmethod
    def texts(self, rows: list[int]) -> list[str]:
        """The texts of some rows, for those who ask for them."""
