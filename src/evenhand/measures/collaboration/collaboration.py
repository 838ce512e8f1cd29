"""One model and one way to choose what people review, ready to be asked at any capacity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from evenhand.measures.cells import Cells
from evenhand.measures.collaboration.areas import Areas
from evenhand.measures.collaboration.capacity import Capacity, whole
from evenhand.measures.collaboration.outcome import Outcome
from evenhand.measures.collaboration.pieces import Pieces
from evenhand.measures.collaboration.stages import Stage


@dataclass(frozen=True)
class Collaboration:
    """Items in cells, the stages by which they are reviewed, and the threshold of the model's own predictions."""

    cells: Cells
    stages: tuple[Stage, ...]
    threshold: float

    @classmethod
    def of(cls, cells: Cells, *stages: Stage, threshold: float = 0.5) -> Collaboration:
        """The review scores must be aligned with the cells, and the shares of the stages add up to 1."""
        if any(len(stage.score) != len(cells) for stage in stages):
            raise ValueError("a stage needs one review score per cell")
        if not math.isclose(sum(stage.share for stage in stages), 1.0, abs_tol=1e-9):
            raise ValueError("the shares of the stages must add up to 1")
        return cls(cells, stages, threshold)

    def at(self, capacity: Capacity) -> Outcome:
        """What comes out at one capacity."""
        pieces = self._left(capacity)
        return Outcome(*pieces.confusions(self.cells.classes, self._cut), pieces, self._areas)

    def _left(self, capacity: Capacity) -> Pieces:
        pieces = Pieces.untouched(len(self.cells))
        if capacity.kind == "threshold":
            if len(self.stages) > 1:
                raise ValueError("a threshold needs a single review score")
            return self.stages[0].take_from(pieces, capacity.value)
        amount = capacity.amount(self.cells.weight)
        spent = 0.0
        for stage in self.stages[:-1]:
            own = min(whole(stage.share * amount), amount - spent)
            pieces, spent = stage.take(pieces, self.cells.prefix, own), spent + own
        return self.stages[-1].take(pieces, self.cells.prefix, amount - spent)

    @cached_property
    def _cut(self) -> int:
        return self.cells.cut(self.threshold)

    @cached_property
    def _areas(self) -> Areas:
        return Areas.of(self.cells)
