"""One model and one way to choose what people review, ready to be asked at any capacity."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evenhand.measures.cells import Cells
from evenhand.measures.collaboration.areas import Areas
from evenhand.measures.collaboration.capacity import Capacity
from evenhand.measures.collaboration.outcome import Outcome
from evenhand.measures.collaboration.path import KNOTS, Path
from evenhand.measures.collaboration.pieces import Pieces
from evenhand.measures.collaboration.stages import Stage, spend


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
        return self._outcome(self.cells, self._left(capacity))

    def path(self, *, knots: int = KNOTS) -> Path:
        """What is reviewed at every capacity; several stages are looked at in so many places."""
        return Path.of(self.cells, self.stages, self.threshold, knots=knots)

    def among(self, group: Cells, capacity: Capacity) -> Outcome:
        """What comes out for the members of a group when the capacity is everybody's.

        With a `Collaboration` of the group's own cells, the group has a capacity to itself.
        """
        if group.where is None or self.cells.where is not None:
            raise ValueError("these are not a group's cells and everybody's")
        return self._outcome(group, self._left(capacity).among(group.where))

    def _outcome(self, cells: Cells, left: Pieces) -> Outcome:
        return Outcome(*left.confusions(cells.classes, cells.cut(self.threshold)), left, Areas.of(cells))

    def _left(self, capacity: Capacity) -> Pieces:
        if capacity.kind == "threshold":
            if len(self.stages) > 1:
                raise ValueError("a threshold needs a single review score")
            return self.stages[0].take_from(Pieces.untouched(len(self.cells)), capacity.value)
        return spend(self.stages, self.cells.prefix, capacity.amount(self.cells.weight))
