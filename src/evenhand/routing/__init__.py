"""Which items people review, decided live: strategies and policies.

A `Strategy` says which item comes first, offline for an audit and online for a queue. A `Policy` has two thresholds,
and `choose` chooses them from labelled history so that an error keeps below what was guaranteed. How many people it
takes is `evenhand.staffing`. `STRATEGIES` makes each kind, by its name; a `Decision` is remove, review or leave.
"""

from evenhand.routing.policies import Decision, Policy, PolicyOutcome
from evenhand.routing.review_policy import PolicyMode, ReviewPolicy
from evenhand.routing.strategies import STRATEGIES, ColumnStrategy, HybridStrategy, parse_strategy
from evenhand.routing.strategy import ReviewBasis, Strategy, StrategyKind
from evenhand.routing.threshold_grids import ThresholdGrid
from evenhand.routing.threshold_strategies import BelowThresholdStrategy, BenefitStrategy
from evenhand.routing.thresholds import choose

__all__ = [
    "STRATEGIES",
    "BelowThresholdStrategy",
    "BenefitStrategy",
    "ColumnStrategy",
    "Decision",
    "HybridStrategy",
    "Policy",
    "PolicyMode",
    "PolicyOutcome",
    "ReviewBasis",
    "ReviewPolicy",
    "Strategy",
    "StrategyKind",
    "ThresholdGrid",
    "choose",
    "parse_strategy",
]


def __dir__() -> list[str]:
    """The public names, for tab completion."""
    return sorted(__all__)
