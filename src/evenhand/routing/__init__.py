"""Which items people review: strategies, policies with a promise, and how many people it takes.

A `Strategy` says who comes first, offline for an audit and online for a queue. A `Policy` has two thresholds that were
chosen so that an error keeps below what was promised. Planning turns a labelled history and the price of errors into a
number of reviewers.
"""

from evenhand.measures.collaboration import Reviewer
from evenhand.routing.choosing import choose
from evenhand.routing.crossings import Crossing, Crossings, crossings
from evenhand.routing.curves import History
from evenhand.routing.grid import Grid
from evenhand.routing.planning import Costs, Plan, Workload, cheapest, cost_curve, people, reviewers_for
from evenhand.routing.policies import Outcome, Policy
from evenhand.routing.strategies import STRATEGIES, Hybrid, Strategy, Supplied, parse

__all__ = [
    "STRATEGIES",
    "Costs",
    "Crossing",
    "Crossings",
    "Grid",
    "History",
    "Hybrid",
    "Outcome",
    "Plan",
    "Policy",
    "Reviewer",
    "Strategy",
    "Supplied",
    "Workload",
    "cheapest",
    "choose",
    "cost_curve",
    "crossings",
    "parse",
    "people",
    "reviewers_for",
]
