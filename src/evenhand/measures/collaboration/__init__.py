"""How well people and a model do together when people can look at only so much (Kivlichan et al. 2021).

A `Collaboration` is one model with one way of choosing what is reviewed. It is made once and asked at any number of
capacities; `at(capacity)` gives an `Outcome`, from which every collaborative measure is read (`MEASURES` names them),
and `path()` what is reviewed at all capacities at once.

What is reviewed is said by one or more `Stage`s: a review score per cell, highest first, and the share of the capacity
that is spent by it on what the stages before have left. So a strategy need only yield

- one stage with a function of the score, evaluated on `Cells.of(tally).scores` (`uncertainty`, `toxicity`): where it
  rises, falls, or rises and then falls, everything is prefix sums and a capacity costs next to nothing;
- one stage with a column: `Cells.paired(placed, column)` heaps the rows by score and column, and its `.column` is the
  review score of each cell;
- several stages: the hybrid of toxicity and uncertainty is `Stage(toxicity(p), 0.3), Stage(uncertainty(p), 0.7)`.
"""

from evenhand.measures.collaboration.capacity import Capacity
from evenhand.measures.collaboration.collaboration import Collaboration
from evenhand.measures.collaboration.outcome import MEASURES, ORACLE, Outcome, Reviewer
from evenhand.measures.collaboration.path import Path
from evenhand.measures.collaboration.stages import Stage, toxicity, uncertainty

__all__ = [
    "MEASURES",
    "ORACLE",
    "Capacity",
    "Collaboration",
    "Outcome",
    "Path",
    "Reviewer",
    "Stage",
    "toxicity",
    "uncertainty",
]
