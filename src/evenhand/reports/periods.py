"""The section on many periods: the alarms first, then each series with its limits."""

from __future__ import annotations

from typing import Any

from evenhand.comparison import ChartPoint, ChartSeries, charted_series
from evenhand.finding import Finding, SliceKey
from evenhand.formatting import format_share
from evenhand.reports.section import EstimateGrid, EstimateRow, Section

MOST_SERIES = 12  # series in a terminal


def template_context(finding: Finding) -> dict[str, Any]:
    """Everything that the template needs."""
    series = charted_series(finding)
    return {
        "alarms": [(reading.slice[SliceKey.RUN], reading.text) for reading in finding.readings],
        "quiet": [verdict.statement for verdict in finding.verdicts] if not finding.readings else [],
        "whole": [one for one in series if not one.slice],
        "parts": [one for one in series if one.slice],
        "limits": _limits,
        "periods": finding.provenance["periods"],
        "beware_first": True,
    }


def _limits(point: ChartPoint) -> str:
    """What chance alone reaches."""
    if point.low is None or point.high is None:
        return "–"
    return f"{format_share(point.low)} to {format_share(point.high)}"


def _terminal_grids(finding: Finding) -> list[EstimateGrid]:
    """A table for everything, with a row for each period."""
    series = [one for one in charted_series(finding) if not one.slice]
    return [_grid(finding, series)] if series else []


def _grid(finding: Finding, series: list[ChartSeries]) -> EstimateGrid:
    rows: list[EstimateRow] = []
    for period in finding.provenance["periods"]:
        estimates = {one.measure: point.estimate for one in series for point in one.points if point.period == period}
        rows.append((period, [estimates.get(one.measure) for one in series], None))
    return EstimateGrid("Periods", tuple(one.measure for one in series), rows)


def _terminal_lines(finding: Finding) -> list[str]:
    alarms = [f"{reading.slice[SliceKey.RUN]}: {reading.text}" for reading in finding.readings]
    return [*alarms, *finding.caveats]


SECTION = Section("periods.html", template_context, _terminal_grids, _terminal_lines)
