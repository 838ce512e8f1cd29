"""How many reviewers it takes, from labelled history.

`plan_staffing` answers in one finding. Costs and a workload give the cheapest capacity, a target the capacity that
reaches it, a guarantee the thresholds of a policy (`evenhand.routing.choose`).
"""

from evenhand.staffing.capacity import (
    CapacityPlan,
    Costs,
    Workload,
    capacity_for_target,
    cheapest_capacity,
    cost_curve,
    reviewers_needed,
)
from evenhand.staffing.crossings import StrategyCrossing, StrategyCrossings, strategy_crossings
from evenhand.staffing.curves import LabelledHistory
from evenhand.staffing.plan import plan_staffing
from evenhand.staffing.policy_effects import JudgedSample, PolicyChoice
from evenhand.staffing.queue import Queue, make_queue
from evenhand.staffing.settings import StaffingSettings, StaffingTarget

__all__ = [
    "CapacityPlan",
    "Costs",
    "JudgedSample",
    "LabelledHistory",
    "PolicyChoice",
    "Queue",
    "StaffingSettings",
    "StaffingTarget",
    "StrategyCrossing",
    "StrategyCrossings",
    "Workload",
    "capacity_for_target",
    "cheapest_capacity",
    "cost_curve",
    "make_queue",
    "plan_staffing",
    "reviewers_needed",
    "strategy_crossings",
]


def __dir__() -> list[str]:
    """The public names, for tab completion."""
    return sorted(__all__)
