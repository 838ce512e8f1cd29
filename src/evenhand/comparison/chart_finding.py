"""A control chart as a finding, for its report, and its series read back from it."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.audits.settings import versions
from evenhand.comparison.charts import NO_ALARM, ChartPoint, ChartSeries, ControlChart, plain_settings
from evenhand.finding import Exhibit, Finding, Measured, Reading, SliceKey, Status, Verdict

NAME = "periods"
QUESTION = "Which periods differ from those before them?"
LIMITS = "control_limits"
LIMIT_COLUMNS = ("mean", "low", "high", "before")


def chart_finding(chart: ControlChart) -> Finding:
    """Every estimate with its period, the limits beside them, and the alarms in sentences.

    >>> sample = {"label": [True, False] * 50, "removed": [True, True, False, False] * 25}
    >>> roles = {"label": "label", "decision": "removed", "audits": "accuracy"}
    >>> periods = [eh.audit(sample, **roles).findings[0] for _ in range(2)]
    >>> eh.comparison.chart_finding(eh.comparison.chart_periods(periods, ["May", "June"])).audit
    'periods'
    """
    estimates = [
        Measured(one.measure, {**one.slice, SliceKey.RUN: point.period}, point.estimate)
        for one in chart.series
        for point in one.points
    ]
    readings = [Reading({SliceKey.RUN: period}, text) for period in chart.periods for text in chart.sentences(period)]
    return Finding(
        NAME,
        QUESTION,
        tuple(estimates),
        (chart.promise(), *chart.caveats),
        {
            "source": f"{chart.periods[0]} to {chart.periods[-1]}",
            "settings": plain_settings(chart),
            "periods": list(chart.periods),
            "versions": versions(),
        },
        tuple(readings),
        tuple(_verdicts(chart)),
        tuple(_limits(one) for one in chart.series),
    )


def _verdicts(chart: ControlChart) -> Iterator[Verdict]:
    last = chart.periods[-1]
    for text in chart.sentences(last):
        yield Verdict(Status.STANDS_OUT, {}, f"{last}: {text}")
    if not chart.alarm:
        yield Verdict(Status.QUIET, {}, f"{last}: {NO_ALARM}", certainty=chart.promise())


def _limits(one: ChartSeries) -> Exhibit:
    columns: dict[str, list[float | str | None]] = {"measure": [one.measure] * len(one.points)}
    columns["period"] = [point.period for point in one.points]
    for name in LIMIT_COLUMNS:
        columns[name] = [getattr(point, name) for point in one.points]
    return Exhibit(LIMITS, one.slice, columns)


def charted_series(finding: Finding) -> list[ChartSeries]:
    """The series of a finding, also of one that was loaded.

    >>> sample = {"label": [True, False] * 50, "removed": [True, True, False, False] * 25}
    >>> roles = {"label": "label", "decision": "removed", "audits": "accuracy"}
    >>> periods = [eh.audit(sample, **roles).findings[0] for _ in range(2)]
    >>> chart = eh.comparison.chart_periods(periods, ["May", "June"])
    >>> [one.title for one in eh.comparison.charted_series(eh.comparison.chart_finding(chart))]
    ['Recall', 'Precision', 'Prevalence']
    """
    series = []
    for exhibit in finding.exhibits:
        columns = exhibit.columns
        measure = str(columns["measure"][0])
        points = []
        for number, period in enumerate(map(str, columns["period"])):
            mean, low, high, before = (_number(columns[name][number]) for name in LIMIT_COLUMNS)
            estimate = finding.get(measure, **exhibit.slice, **{SliceKey.RUN: period})
            points.append(ChartPoint(period, estimate, mean, low, high, int(before or 0)))
        series.append(ChartSeries(measure, exhibit.slice, tuple(points)))
    return series


def _number(value: float | str | None) -> float | None:
    return None if value is None else float(value)
