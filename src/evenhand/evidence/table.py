"""Evidence in memory: validated columns, aligned row by row."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.evidence.declaration import Declaration, Scale
from evenhand.tally import Placed, Rows, Tally
from evenhand.tally.order import Scores
from evenhand.tally.rows import Mask


@dataclass(frozen=True)
class Part:
    """A part of the evidence: everything (slice {}), short comments, one language."""

    slice: Mapping[str, str]
    keep: Mask | None = None


@dataclass(frozen=True)
class Evidence:
    """What is known, ready to be tallied. Nothing in here needs checking again."""

    name: str
    declaration: Declaration
    scores: Mapping[str, Scores]
    rows: Rows
    parts: tuple[Part, ...]
    notes: tuple[str, ...]
    fingerprint: Callable[[], Mapping[str, str]]
    texts: Callable[[list[int]], list[str]] | None = None

    has_rows = True  # rows are at hand: models can be compared row by row, and redrawn

    @property
    def models(self) -> tuple[str, ...]:
        """The score columns."""
        return tuple(self.scores)

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups, as declared."""
        return tuple(self.rows.groups)

    def scale(self, model: str) -> Scale:
        """The scale of a score."""
        return self.declaration.scale_of(self.models.index(model))

    def placed(self, part: Part) -> Iterator[tuple[str, Placed]]:
        """Each model's scores on one part, in order, ready to count."""
        rows = self.rows if part.keep is None else self.rows.take(part.keep)
        for model, score in self.scores.items():
            yield model, Placed.of(score if part.keep is None else score[part.keep], rows)

    def tallies(self, part: Part) -> Iterator[tuple[str, Tally, Placed | None]]:
        """Each model's tally of one part, with the rows it was counted from."""
        for model, placed in self.placed(part):
            yield model, placed.tally(), placed

    def provenance(self) -> dict[str, Any]:
        """Where the evidence comes from and what its columns were taken to mean."""
        return {
            **self.fingerprint(),
            "rows": len(self.rows),
            "evidence": self.digest(),
            "roles": self.declaration.as_dict(),
        }

    def digest(self) -> str:
        """A hash of what was taken from the source, the same from a CSV and a Parquet file of equal content."""
        digest = hashlib.sha256()
        for model, score in self.scores.items():
            digest.update(model.encode() + np.ascontiguousarray(score).tobytes())
        digest.update(np.packbits(self.rows.label).tobytes())
        for name, member in self.rows.groups.items():
            digest.update(name.encode() + member.rows.tobytes())
        if self.rows.weights is not None:
            digest.update(self.rows.weights.weight.tobytes())
        return digest.hexdigest()[:16]
