"""Findings compared: two runs of audits, two reporting periods or many, two rankings of groups."""

from evenhand.comparison.causes import CausedChange, ChangeCause
from evenhand.comparison.changes import ChangedNumber, changed_numbers
from evenhand.comparison.chart_finding import chart_finding, charted_series
from evenhand.comparison.charts import ChartPoint, ChartSeries, ControlChart, chart_period_files, chart_periods
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
    "ChartPoint",
    "ChartSeries",
    "ControlChart",
    "PeriodChange",
    "PeriodComparison",
    "agreement",
    "changed_numbers",
    "chart_finding",
    "chart_period_files",
    "chart_periods",
    "charted_series",
    "compare_period_files",
    "compare_periods",
    "compare_runs",
    "period_causes",
    "period_caveats",
]


def __dir__() -> list[str]:
    """The public names, for tab completion."""
    return sorted(__all__)
