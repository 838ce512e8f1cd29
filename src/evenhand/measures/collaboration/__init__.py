"""How well people and a model do together when people can review only part of the items (Kivlichan et al. 2021).

A `Collaboration` is one model with one order of review. It is made once and evaluated at any number of capacities;
`at(capacity)` gives a `ReviewOutcome`, from which every collaborative measure is read (`COLLABORATIVE_MEASURES` names
them), and `path()` what is reviewed at all capacities at once.

What is reviewed is decided by one or more `ReviewStage`s: a review score per cell, highest first, and the share of the
capacity that is spent by it on what the stages before have left. So a strategy need only yield

- one stage with a function of the score, evaluated on `ScoreCells.from_tally(tally).scores` (`uncertainty_score`,
  `toxicity_score`): where it rises, falls, or rises and then falls, everything is prefix sums and a capacity costs next
  to nothing;
- one stage with a column: `ScoreCells.paired(placed, column)` counts the rows by score and column, and its `.column` is
  the review score of each cell;
- several stages: the hybrid of toxicity and uncertainty is
  `ReviewStage(toxicity_score(p), 0.3), ReviewStage(uncertainty_score(p), 0.7)`.
"""

from evenhand.measures.collaboration.capacity import Capacity, CapacityKind
from evenhand.measures.collaboration.collaboration import Collaboration, ReviewPath
from evenhand.measures.collaboration.outcome import COLLABORATIVE_MEASURES, ORACLE, Reviewer, ReviewOutcome
from evenhand.measures.collaboration.stages import ReviewStage, toxicity_score, uncertainty_score

__all__ = [
    "COLLABORATIVE_MEASURES",
    "ORACLE",
    "Capacity",
    "CapacityKind",
    "Collaboration",
    "ReviewOutcome",
    "ReviewPath",
    "ReviewStage",
    "Reviewer",
    "toxicity_score",
    "uncertainty_score",
]
