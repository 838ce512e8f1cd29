"""How many people does it take? A plan from labelled history."""

from evenhand.audits.planning.plan import make_plan
from evenhand.audits.planning.settings import PlanSettings

__all__ = ["PlanSettings", "make_plan"]
