"""A control chart over many periods: each against the mean of those before it, with stated false alarms.

Prevalence, recall and precision are charted, of everything and of each part (a language). After an alarm the mean
begins anew if the change lasts, so that it raises one alarm and not one in every period after it. The limits are as
wide as it takes for so many false alarms a year over all series together, whatever these have in common.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from evenhand import arrays
from evenhand.audits.accuracy.blind_spots import published_estimate
from evenhand.audits.accuracy.verdicts import OWN_SLICE_KEYS
from evenhand.catalogue import find_measure
from evenhand.comparison.periods import FACT_MEASURES, period_caveats, read_period
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Slice
from evenhand.formatting import format_share
from evenhand.sampling.sizes import two_sided

PER_YEAR, FALSE_ALARMS = 12.0, 0.5
FEWEST_PERIODS = 2


@dataclass(frozen=True)
class ChartPoint:
    """A period: its estimate, the mean of those before it, the limits within which it should lie, and whether it does.

    `before` is the number of periods behind the mean; none at the start.

    >>> estimate = eh.Estimate(0.4, 0.35, 0.45, 0.95, "wilson", 400)
    >>> eh.comparison.ChartPoint("May", estimate, mean=0.6, low=0.5, high=0.7, before=3).alarm
    True
    """

    period: str
    estimate: Estimate
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    before: int = 0

    @property
    def alarm(self) -> bool:
        """Whether it lies beyond its limits."""
        value = self.estimate.value
        if value is None or self.low is None or self.high is None:
            return False
        return not self.low <= value <= self.high

    @property
    def distance(self) -> float:
        """From the mean, in parts of what chance alone reaches on that side."""
        value, mean = self.estimate.value or 0.0, self.mean or 0.0
        end = (self.high if value > mean else self.low) or 0.0
        return 0.0 if value == mean else abs(value - mean) / max(abs(end - mean), 1e-12)

    @property
    def rose(self) -> bool:
        """Which way it went."""
        return (self.estimate.value or 0.0) > (self.mean or 0.0)


@dataclass(frozen=True)
class ChartSeries:
    """A measure of everything, or of a part, period by period.

    >>> estimate = eh.Estimate(0.4, 0.35, 0.45, 0.95, "wilson", 400)
    >>> point = eh.comparison.ChartPoint("May", estimate)
    >>> eh.comparison.ChartSeries("recall", {"language": "fr"}, (point,)).title
    'Recall, fr'
    """

    measure: str
    slice: Slice
    points: tuple[ChartPoint, ...]

    @property
    def title(self) -> str:
        """The measure, and of what."""
        part = f", {', '.join(self.slice.values())}" if self.slice else ""
        return f"{find_measure(self.measure).title}{part}"


@dataclass(frozen=True)
class ControlChart:
    """All series, and what their limits promise.

    >>> sample = {"label": [True, False] * 50, "removed": [True, True, False, False] * 25}
    >>> roles = {"label": "label", "decision": "removed", "audits": "accuracy"}
    >>> periods = [eh.audit(sample, **roles).findings[0] for _ in range(3)]
    >>> eh.comparison.chart_periods(periods, ["May", "June", "July"]).alarms("July")
    ()
    """

    periods: tuple[str, ...]
    series: tuple[ChartSeries, ...]
    per_year: float
    false_alarms: float
    caveats: tuple[str, ...] = ()

    def raised(self, period: str) -> tuple[tuple[ChartSeries, ChartPoint], ...]:
        """All series that are beyond their limits in a period."""
        pairs = ((one, point) for one in self.series for point in one.points)
        return tuple((one, point) for one, point in pairs if point.period == period and point.alarm)

    def alarms(self, period: str) -> tuple[tuple[ChartSeries, ChartPoint], ...]:
        """One for each fact: a part raises none where everything went the same way."""
        raised = self.raised(period)
        whole = {(one.measure, point.rose) for one, point in raised if not one.slice}
        return tuple((one, point) for one, point in raised if not one.slice or (one.measure, point.rose) not in whole)

    @property
    def alarm(self) -> bool:
        """Whether the last period raises any."""
        return bool(self.alarms(self.periods[-1]))

    def promise(self) -> str:
        """How many alarms there would be without any change."""
        return (
            f"Without any change, {self.false_alarms:g} false alarms a year are expected over all {len(self.series)} "
            f"series, at {self.per_year:g} periods a year."
        )

    def sentences(self, period: str) -> list[str]:
        """The alarms of a period, and where else they show."""
        alarms = self.alarms(period)
        follow = [one.title for one, point in self.raised(period) if (one, point) not in alarms]
        sentences = [_alarm_sentence(one, point) for one, point in alarms]
        return [*sentences, f"This also shows in {', '.join(follow)}."] if sentences and follow else sentences

    def lines(self) -> list[str]:
        """The caveats, the promise, each period with alarms, and what the last one comes to."""
        lines = [*self.caveats, self.promise()]
        for period in self.periods[:-1]:
            lines += [f"{period}: {text}" for text in self.sentences(period)]
        return [*lines, *(f"{self.periods[-1]}: {text}" for text in self.sentences(self.periods[-1]) or [NO_ALARM])]


NO_ALARM = "No alarm: nothing lies beyond its limits."


def _alarm_sentence(one: ChartSeries, point: ChartPoint) -> str:
    e, way = point.estimate, "rose" if point.rose else "fell"
    interval = "" if e.low is None or e.high is None else f" ({format_share(e.low)} to {format_share(e.high)})"
    periods = "the period" if point.before == 1 else f"the {point.before} periods"
    limit = (point.high if point.rose else point.low) or 0.0
    return (
        f"ALARM: {one.title} {way} to {format_share(e.value or 0.0)}{interval}. {periods.capitalize()} before came to "
        f"{format_share(point.mean or 0.0)}, and chance alone reaches {format_share(limit)}."
    )


def chart_period_files(
    files: Sequence[str], *, per_year: float = PER_YEAR, false_alarms: float = FALSE_ALARMS
) -> ControlChart:
    """From findings files of one period each, the oldest first.

    >>> from pathlib import Path
    >>> sample = {"label": [True, False] * 50, "removed": [True, True, False, False] * 25}
    >>> report = eh.audit(sample, label="label", decision="removed", audits="accuracy")
    >>> sizes = [Path(name).write_text(report.json()) for name in ("may.json", "june.json")]
    >>> eh.comparison.chart_period_files(["may.json", "june.json"]).periods
    ('may', 'june')
    """
    findings = [read_period(file) for file in files]
    named = [str(one.provenance.get("measurement", {}).get("period") or "") for one in findings]
    if "" in named or len(set(named)) < len(named):
        named = [Path(file).stem for file in files]
    if len(set(named)) < len(named):
        named = list(map(str, files))
    return chart_periods(findings, named, per_year=per_year, false_alarms=false_alarms)


def chart_periods(
    findings: Sequence[Finding],
    periods: Sequence[str],
    *,
    per_year: float = PER_YEAR,
    false_alarms: float = FALSE_ALARMS,
) -> ControlChart:
    """From findings about moderation, the oldest first, and the name of the period of each.

    >>> sample = {"label": [True, False] * 50, "removed": [True, True, False, False] * 25}
    >>> roles = {"label": "label", "decision": "removed", "audits": "accuracy"}
    >>> periods = [eh.audit(sample, **roles).findings[0] for _ in range(3)]
    >>> len(eh.comparison.chart_periods(periods, ["May", "June", "July"]).series)
    3
    """
    arrays.positive(per_year, "`per_year`")
    arrays.positive(false_alarms, "`false_alarms`")
    if len(findings) < FEWEST_PERIODS:
        raise InputError("a chart needs two periods or more: give their findings, the oldest first")
    if len(set(periods)) < len(periods):
        raise InputError("two periods have the same name: give each period once")
    slices = list(_charted_slices(findings))
    if not slices:
        raise InputError("the periods have no estimate of moderation in common: prevalence, recall or precision")
    chance = false_alarms / (per_year * len(slices))
    if chance >= 1.0:
        raise InputError(f"invalid `false_alarms`: {false_alarms:g} (more than there are estimates in a year)")
    reach = two_sided(1.0 - chance)
    series = tuple(
        ChartSeries(measure, slice_, tuple(_points(findings, periods, (measure, slice_), reach)))
        for measure, slice_ in slices
    )
    return ControlChart(tuple(periods), series, per_year, false_alarms, tuple(_caveats(findings)))


def _charted_slices(findings: Sequence[Finding]) -> Iterator[tuple[str, Slice]]:
    """Measures of everything and of parts that two periods or more have, everything first."""
    counted: dict[tuple[str, tuple[tuple[str, str], ...]], int] = {}
    for finding in findings:
        for m in finding:
            if m.measure in FACT_MEASURES and not set(m.slice) & set(OWN_SLICE_KEYS) and m.estimate.defined:
                key = (m.measure, tuple(m.slice.items()))
                counted[key] = counted.get(key, 0) + 1
    shared = [key for key, number in counted.items() if number >= FEWEST_PERIODS]
    for measure, slice_ in sorted(shared, key=lambda key: (len(key[1]), key[1], FACT_MEASURES.index(key[0]))):
        yield measure, dict(slice_)


def _points(
    findings: Sequence[Finding], periods: Sequence[str], charted: tuple[str, Slice], reach: float
) -> Iterator[ChartPoint]:
    """Period by period; the mean begins anew with a change that lasts."""
    measure, slice_ = charted
    reference = _Reference(reach)
    for finding, period in zip(findings, periods, strict=True):
        if finding.has(measure, **slice_) and finding.get(measure, **slice_).defined:
            yield reference.point(period, published_estimate(finding, measure, slice_))


class _Reference:
    """What a period is compared with. After an alarm that is the alarm's period, or, if the change did not last, those
    before it: otherwise a false alarm would raise a second one when all is as it was.
    """

    def __init__(self, reach: float) -> None:
        self.reach, self.before, self.changed = reach, list[Estimate](), list[Estimate]()

    def point(self, period: str, estimate: Estimate) -> ChartPoint:
        """The next period."""
        if not self.before:
            self.before = [estimate]
            return ChartPoint(period, estimate)
        points = [_point(period, estimate, means, self.reach) for means in (self.before, self.changed) if means]
        chosen = min(range(len(points)), key=lambda number: points[number].distance)
        if points[chosen].alarm:
            self.before, self.changed = (self.changed or self.before), [estimate]
        else:
            self.before, self.changed = [*(self.before, self.changed)[chosen], estimate], []
        return points[chosen]


def _point(period: str, estimate: Estimate, before: Sequence[Estimate], reach: float) -> ChartPoint:
    """Against the mean by labels, which do not depend on what they say; the sides that face one another decide."""
    weights = [max(one.n, 1) / sum(max(other.n, 1) for other in before) for one in before]
    mean = sum(weight * (one.value or 0.0) for weight, one in zip(weights, before, strict=True))
    below, above = (
        math.sqrt(sum((weight * _side(one, upper=upper)) ** 2 for weight, one in zip(weights, before, strict=True)))
        for upper in (False, True)
    )
    low = mean - reach * math.hypot(below, _side(estimate, upper=True))
    high = mean + reach * math.hypot(above, _side(estimate, upper=False))
    return ChartPoint(period, estimate, mean, max(0.0, low), min(1.0, high), len(before))


def _side(estimate: Estimate, *, upper: bool) -> float:
    """The standard error that the interval has on one side; 0 of a value without one."""
    value = estimate.value or 0.0
    end = estimate.high if upper else estimate.low
    return 0.0 if end is None else abs(end - value) / two_sided(estimate.level)


def _caveats(findings: Sequence[Finding]) -> Iterator[str]:
    """What makes a change between two neighbours something else than a change of what is moderated; each once."""
    texts = [text for last, this in pairwise(findings) for text in period_caveats(this, last)]
    yield from dict.fromkeys(text for text in texts if text.startswith(("Caution", "The score may")))


def plain_settings(chart: ControlChart) -> Mapping[str, Any]:
    """What the limits rest on, as plain data."""
    return {"per_year": chart.per_year, "false_alarms": chart.false_alarms, "series": len(chart.series)}
