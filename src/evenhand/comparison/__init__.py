"""Findings compared: two runs of audits, two reporting periods, two rankings of groups."""

from evenhand.comparison.causes import CausedChange, ChangeCause
from evenhand.comparison.changes import ChangedNumber, changed_numbers
from evenhand.comparison.periods import (
    PeriodChange,
    PeriodComparison,
    compare_period_files,
    compare_periods,
    period_causes,
    period_caveats,
)
from evenhand.comparison.rankings import agreement
from evenhand.comparison.runs import compare_runs

__all__ = [
    "CausedChange",
    "ChangeCause",
    "ChangedNumber",
    "PeriodChange",
    "PeriodComparison",
    "agreement",
    "changed_numbers",
    "compare_period_files",
    "compare_periods",
    "compare_runs",
    "period_causes",
    "period_caveats",
]


def __dir__() -> list[str]:
    """The public names, for tab completion."""
    return sorted(__all__)
