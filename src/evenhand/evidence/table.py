"""Evidence in memory: validated columns, aligned row by row."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from evenhand.evidence.evidence import Counted, Evidence, Part, Thresholds
from evenhand.tally import FloatArray, Placed, Rows
from evenhand.tally.order import Scores
from evenhand.tally.rows import Mask


@dataclass(frozen=True)
class TableEvidence(Evidence):
    """Columns at hand. `keeps` are the rows of each part after the first, which is everything."""

    scores: Mapping[str, Scores]
    rows: Rows
    keeps: tuple[Mask, ...]
    fingerprint: Callable[[], Mapping[str, str]]
    fetch: Callable[[list[int]], list[str]]
    unsure: Mapping[str, FloatArray] = field(default_factory=dict)

    has_rows = True

    @property
    def groups(self) -> tuple[str, ...]:
        return tuple(self.rows.groups)

    @property
    def size(self) -> int:
        return len(self.rows)

    def unannotated(self) -> Mapping[str, int]:
        known = {name: member.annotated for name, member in self.rows.groups.items()}
        return {name: self.size - int(mask.sum()) for name, mask in known.items() if mask is not None}

    def tallies(self, part: Part, thresholds: Thresholds) -> Iterator[Counted]:
        keep = self.keeps[part.number - 1] if part.number else None
        rows = self.rows if keep is None else self.rows.take(keep)
        for model, score in self.scores.items():
            placed = Placed.of(score if keep is None else score[keep], rows)
            unsure = self.unsure.get(model)
            yield Counted(model, placed.tally(), placed, unsure if unsure is None or keep is None else unsure[keep])

    def texts(self, rows: list[int]) -> list[str]:
        return self.fetch(rows)

    def provenance(self) -> dict[str, Any]:
        return {
            **self.fingerprint(),
            "rows": self.size,
            "evidence": self._digest(),
            "roles": self.declaration.as_dict(),
        }

    def _digest(self) -> str:
        """A hash of what was taken from the source: the same wherever equal values of equal precision came from."""
        digest = hashlib.sha256()
        for model, score in self.scores.items():
            digest.update(model.encode() + np.ascontiguousarray(score).tobytes())
        for model, values in self.unsure.items():
            digest.update(b"unsure " + model.encode() + values.tobytes())
        digest.update(np.packbits(self.rows.label).tobytes())
        for name, member in self.rows.groups.items():
            digest.update(name.encode() + member.rows.tobytes())
            if member.annotated is not None:
                digest.update(np.packbits(member.annotated).tobytes())
        if self.rows.weights is not None:
            digest.update(self.rows.weights.weight.tobytes())
        return digest.hexdigest()[:16]
