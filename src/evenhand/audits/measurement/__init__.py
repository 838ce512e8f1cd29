"""Measuring with people: a plan made on a file, batches for annotators, and what their labels show.

`make_plan` counts the items once and settles everything; a `Work` draws batches by the plan and takes their labels.
"""

from evenhand.audits.measurement.given import Files
from evenhand.audits.measurement.items import Roles
from evenhand.audits.measurement.planning import Made, make_plan
from evenhand.audits.measurement.wish import Wish
from evenhand.audits.measurement.working import Outcome, Work, Written

__all__ = ["Files", "Made", "Outcome", "Roles", "Wish", "Work", "Written", "make_plan"]
