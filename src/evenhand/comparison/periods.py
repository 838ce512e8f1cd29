"""Two reporting periods compared: what changed, its interval, whether it raises an alarm, and what to beware of.

Takes two findings about moderation, of the accuracy audit or of a labelling campaign, and says it in sentences.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from evenhand.audits.accuracy.blind_spots import published_estimate
from evenhand.audits.accuracy.pools import PoolName
from evenhand.audits.accuracy.verdicts import OWN_SLICE_KEYS, VISIBLE
from evenhand.catalogue import Direction, Unit, find_measure
from evenhand.catalogue.accuracy import MISSED, PREVALENCE
from evenhand.catalogue.shared import ACCURACY, F1, PRECISION, RECALL
from evenhand.comparison.causes import CausedChange, finding_change_causes
from evenhand.errors import InputError, nearest
from evenhand.estimate import Estimate, Flag
from evenhand.finding import Finding, Measured, SliceKey
from evenhand.findings_file import read_findings
from evenhand.formatting import format_share, names_in_sentence
from evenhand.intervals.mover import ValueLowHigh, mover_difference
from evenhand.sampling import NoOverlap, Power
from evenhand.sampling.effects import AlarmRule, EstimateChange
from evenhand.sampling.sizes import two_sided

COMPARED_MEASURES = (PREVALENCE, RECALL, PRECISION, F1, ACCURACY, MISSED)
FACT_MEASURES = (RECALL, PRECISION, PREVALENCE)  # what the other measures follow from
REMOVED_SLICE = {SliceKey.POOL: PoolName.REMOVED}


class ChangeRule(StrEnum):
    """What raises an alarm."""

    DIFFERENCE = "difference"  # the difference itself, tested
    OVERLAP = "overlap"  # intervals that do not overlap


ALARM_RULES: Mapping[str, type[Power] | type[NoOverlap]] = {
    ChangeRule.DIFFERENCE: Power,
    ChangeRule.OVERLAP: NoOverlap,
}
# with which a change of the minimum detectable effect is found
RULE_POWERS: Mapping[str, float] = {ChangeRule.DIFFERENCE: 0.8, ChangeRule.OVERLAP: 0.5}


@dataclass(frozen=True)
class PeriodChange:
    """A measure in both periods and its change; `detectable` is what two such samples show with `power`.

    >>> sample = {"label": [True, False] * 50, "removed": [True, True, False, False] * 25}
    >>> roles = {"label": "label", "decision": "removed", "audits": "accuracy"}
    >>> last, this = (eh.audit(sample, **roles).findings[0] for _ in range(2))
    >>> change = eh.comparison.compare_periods(this, last)[0]
    >>> str(change.measure), change.change.difference, change.change.alarm
    ('prevalence', 0.0, False)
    """

    measure: str
    slice: Mapping[str, str]
    last: Estimate
    this: Estimate
    change: EstimateChange
    detectable: float
    power: float

    @property
    def worse(self) -> bool:
        """Whether it went the wrong way."""
        rose = self.change.difference > 0.0
        return rose if find_measure(self.measure).direction is Direction.LOWER else self.change.difference < 0.0

    @property
    def counted(self) -> bool:
        """Whether it is a number of items, not a share."""
        return find_measure(self.measure).unit is Unit.COUNT

    def record(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "measure": self.measure,
            "slice": dict(self.slice),
            "last": self.last.value,
            "this": self.this.value,
            "change": self.change.difference,
            "low": self.change.low,
            "high": self.change.high,
            "level": self.this.level,
            "minimum_detectable_effect": self.detectable,
            "threshold": self.change.threshold,
            "alarm": self.change.alarm,
        }


@dataclass(frozen=True)
class PeriodComparison:
    """All changes between two periods, and what makes them something else than changes of what is moderated.

    >>> from pathlib import Path
    >>> sample = {"label": [True, False] * 50, "removed": [True, True, False, False] * 25}
    >>> report = eh.audit(sample, label="label", decision="removed", audits="accuracy")
    >>> sizes = [Path(name).write_text(report.json()) for name in ("this.json", "last.json")]
    >>> comparison = eh.comparison.compare_period_files("this.json", "last.json")
    >>> str(comparison.rule), comparison.alarm
    ('difference', False)
    """

    rule: str
    changes: tuple[PeriodChange, ...]
    caveats: tuple[str, ...]
    causes: tuple[CausedChange, ...] = ()

    @property
    def alarm(self) -> bool:
        """Whether any change raises one."""
        return any(one.change.alarm for one in self.changes)

    @property
    def alarms(self) -> tuple[PeriodChange, ...]:
        """One for each fact: a measure that follows from others raises one only where none of these does."""
        raised = [one for one in self.changes if one.change.alarm]
        facts = tuple(one for one in raised if not one.slice and one.measure in FACT_MEASURES)
        return facts or tuple(raised[:1])

    def record(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "rule": self.rule,
            "alarm": self.alarm,
            "alarms": [{"measure": one.measure, "slice": dict(one.slice)} for one in self.alarms],
            "caveats": list(self.caveats),
            "changes": [one.record() for one in self.changes],
            "causes": [one.record() for one in self.causes],
        }

    def lines(self) -> list[str]:
        """The caveats, one or two sentences a measure, then what it comes to."""
        alarms = self.alarms
        end = f"ALARM: {_named(alarms)}." if alarms else "No alarm: no change exceeds sampling variation."
        if follow := [one for one in self.changes if one.change.alarm and one not in alarms]:
            end += f" This also shows in {_named(follow)}."
        changed = {one.measure for one in self.changes if one.change.alarm and not one.slice}
        why = [one.sentence(find_measure(one.measure).title) for one in self.causes if one.measure in changed]
        return [*self.caveats, *(" ".join(_change_sentences(one, alarms)) for one in self.changes), end, *why]


def _named(changes: Sequence[PeriodChange]) -> str:
    return ", ".join(f"{_change_title(one)} {'up' if one.change.difference > 0 else 'down'}" for one in changes)


def compare_period_files(this: str, last: str, *, rule: str = ChangeRule.DIFFERENCE) -> PeriodComparison:
    """Two findings files of one finding about moderation each.

    >>> from pathlib import Path
    >>> sample = {"label": [True, False] * 50, "removed": [True, True, False, False] * 25}
    >>> report = eh.audit(sample, label="label", decision="removed", audits="accuracy")
    >>> sizes = [Path(name).write_text(report.json()) for name in ("this.json", "last.json")]
    >>> eh.comparison.compare_period_files("this.json", "last.json").alarm
    False
    """
    now, before = read_period(this), read_period(last)
    changes, caveats = compare_periods(now, before, rule=rule), period_caveats(now, before)
    return PeriodComparison(rule, tuple(changes), tuple(caveats), tuple(period_causes(now, before)))


def period_causes(this: Finding, last: Finding) -> list[CausedChange]:
    """Why prevalence and recall changed, where both findings say what their items are made of.

    >>> sample = {"label": [True, False] * 50, "removed": [True, True, False, False] * 25}
    >>> roles = {"label": "label", "decision": "removed", "audits": "accuracy"}
    >>> last, this = (eh.audit(sample, **roles).findings[0] for _ in range(2))
    >>> [str(caused.measure) for caused in eh.comparison.period_causes(this, last)]
    ['prevalence', 'recall']
    """
    both = (measure for measure in (PREVALENCE, RECALL) if this.has(measure) and last.has(measure))
    causes = (finding_change_causes(this, last, measure, {}) for measure in both)
    return [one for one in causes if one is not None]


def compare_periods(this: Finding, last: Finding, *, rule: str = ChangeRule.DIFFERENCE) -> list[PeriodChange]:
    """Every measure of everything, and of each pool, that both periods have.

    >>> sample = {"label": [True, False] * 50, "removed": [True, True, False, False] * 25}
    >>> roles = {"label": "label", "decision": "removed", "audits": "accuracy"}
    >>> last, this = (eh.audit(sample, **roles).findings[0] for _ in range(2))
    >>> sorted({str(change.measure) for change in eh.comparison.compare_periods(this, last)})
    ['accuracy', 'f1', 'missed', 'precision', 'prevalence', 'recall']
    """
    if rule not in ALARM_RULES:
        raise InputError(f"there is no rule '{rule}'; {nearest(rule, ALARM_RULES)}")
    changes = list(_period_changes(this, last, rule))
    if not changes:
        raise InputError("the two findings have no estimate of moderation in common: prevalence, recall, precision, …")
    return changes


def _period_changes(this: Finding, last: Finding, rule: str) -> Iterator[PeriodChange]:
    for m in this:
        if m.measure not in COMPARED_MEASURES or set(m.slice) - {SliceKey.POOL} or not last.has(m.measure, **m.slice):
            continue
        old, new = (published_estimate(finding, m.measure, m.slice) for finding in (last, this))
        if m.slice == REMOVED_SLICE or new.value is None or old.value is None:
            continue  # the share among the removed is the precision
        if old.level != new.level:
            raise InputError(f"the levels of the intervals differ: {old.level:g} and {new.level:g}")
        way = ALARM_RULES[rule](level=old.level)
        yield PeriodChange(m.measure, m.slice, old, new, *_change(old, new, way), RULE_POWERS[rule])


def _change(last: Estimate, this: Estimate, rule: AlarmRule) -> tuple[EstimateChange, float]:
    """From the two intervals, which need not be even: the sides that face one another decide."""
    z = two_sided(this.level)
    (value, low, high), (old, old_low, old_high) = _value_low_high(this), _value_low_high(last)
    facing = (old_high - old, value - low) if value >= old else (old - old_low, high - value)
    threshold = rule.threshold(facing[0] / z, facing[1] / z)
    change = EstimateChange(value - old, *mover_difference((value, low, high), (old, old_low, old_high)), threshold)
    error = math.hypot(high - low, old_high - old_low) / (2.0 * math.sqrt(2.0) * z)
    return change, rule.factor() * error


def _value_low_high(estimate: Estimate) -> ValueLowHigh:
    """A value without an interval is taken as it is."""
    value = estimate.value or 0.0
    low = value if estimate.low is None else estimate.low
    high = value if estimate.high is None else estimate.high
    return value, low, high


MEASUREMENT_NAMES = {"ground_truth": "ground truth", "codebook": "codebook", "population": "population"}
UNNAMED = "not named"


def period_caveats(this: Finding, last: Finding) -> list[str]:
    """Everything that makes a change something else than a change of what is moderated.

    >>> sample = {"label": [True, False] * 50, "removed": [True, True, False, False] * 25}
    >>> roles = {"label": "label", "decision": "removed", "audits": "accuracy"}
    >>> last, this = (eh.audit(sample, **roles).findings[0] for _ in range(2))
    >>> eh.comparison.period_caveats(this, last)
    []
    """
    return [
        *_period_names(this, last),
        *_different_measurements(this, last),
        *_unfinished(this, last),
        *_possible_blind_spots(this, last),
        *_shared_clusters(this, last),
        *_parts_not_compared(this, last),
    ]


def _period_names(this: Finding, last: Finding) -> Iterator[str]:
    now, before = (_measurement_name(finding, "period") for finding in (this, last))
    if now == before != UNNAMED:
        yield f"Both are of the same period, {now}."
    elif (now, before) != (UNNAMED, UNNAMED):
        yield f"This period: {now}. Last period: {before}."


def _different_measurements(this: Finding, last: Finding) -> Iterator[str]:
    differ = [
        f"{name} '{before}' then, '{now}' now"
        for key, name in MEASUREMENT_NAMES.items()
        if (before := _measurement_name(last, key)) != (now := _measurement_name(this, key))
    ]
    if differ:
        yield f"Caution: the periods did not measure the same thing ({'; '.join(differ)}), which may explain a change."


def _unfinished(this: Finding, last: Finding) -> Iterator[str]:
    for name, finding in (("This", this), ("Last", last)):
        labels = finding.provenance.get("labels_in")
        if labels != finding.provenance.get("labels_planned", labels):
            yield f"Caution: {name.lower()} period is not complete: only {labels:,} labels are in."


def _possible_blind_spots(this: Finding, last: Finding) -> Iterator[str]:
    """Where the usual interval assumes too much, the robust one is compared."""
    periods = [name for name, one in (("this", this), ("last", last)) if any(_assumes_too_much(m) for m in one)]
    if periods:
        of = "both periods" if len(periods) > 1 else f"{periods[0]} period"
        yield (
            f"The score may miss violations in {of}: changes are judged by the robust intervals, which hold whatever "
            "the score misses."
        )


def _assumes_too_much(m: Measured) -> bool:
    return Flag.BLIND_SPOT in m.estimate.flags


def _shared_clusters(this: Finding, last: Finding) -> Iterator[str]:
    """The same authors in both periods make them depend on one another."""
    now, before = (_declared_clusters(finding) for finding in (this, last))
    if common := [name for name in now if name in before]:
        names = names_in_sentence([f"'{name}'" for name in common])
        yield (
            f"Items belong together by {names} in both periods, which are compared as independent. Where the same "
            f"{names} occur in both, changes are usually known better than their intervals say."
        )


def _declared_clusters(finding: Finding) -> Sequence[str]:
    declared = (finding.provenance.get("roles") or {}).get("cluster") or ()
    return (declared,) if isinstance(declared, str) else tuple(declared)


def _parts_not_compared(this: Finding, last: Finding) -> Iterator[str]:
    now, before = ({key for m in finding for key in m.slice} - set(OWN_SLICE_KEYS) for finding in (this, last))
    if now | before:
        parts = ", ".join(sorted(now | before))
        yield f"Not compared: results by {parts} (`evenhand sample chart` compares them)."


def _measurement_name(finding: Finding, key: str) -> str:
    return str(finding.provenance.get("measurement", {}).get(key) or UNNAMED)


STILL_VISIBLE_TITLE = "Violating items still visible"


def _change_sentences(one: PeriodChange, alarms: Sequence[PeriodChange]) -> Iterator[str]:
    change = one.change
    went = "rose" if change.difference > 0 else "fell"
    went = went if change.alarm else "went"
    values = f"from {_value_text(one, one.last.value or 0.0)} to {_value_text(one, one.this.value or 0.0)}"
    by, low, high, seen = _signed_texts(one, (change.difference, change.low, change.high, one.detectable))
    unit = " items" if one.counted else " points"
    yield f"{_change_title(one)} {went} {values}: by {by}{unit} ({low} to {high})."
    way = "worse" if one.worse else "better"
    follows = f"Changed for the {way}, which follows from the alarm" if change.alarm else "No alarm"
    verdict = f"ALARM, for the {way}" if one in alarms else follows
    often = f"{10.0 * one.power:.0f} times in 10"
    yield f"{verdict}. Two such samples would detect a change of {seen.lstrip('+')}{unit} {often}."


def _change_title(one: PeriodChange) -> str:
    if one.measure == MISSED:
        return STILL_VISIBLE_TITLE
    return f"{find_measure(one.measure).title}{' of what is visible' if one.slice == VISIBLE else ''}"


def _value_text(one: PeriodChange, value: float) -> str:
    return f"{value:,.0f}" if one.counted else format_share(value)


def _signed_texts(one: PeriodChange, values: Sequence[float]) -> list[str]:
    """Signed, to as many digits as the interval bears out."""
    if one.counted:
        return [f"{value:+,.0f}".replace("-", "−") for value in values]
    width = 100.0 * (one.change.high - one.change.low)
    digits = max(0, 1 - math.floor(math.log10(max(width, 1e-9))))
    return [f"{100.0 * value:+.{digits}f}".replace("-", "−") for value in values]


def read_period(path: str) -> Finding:
    """The one finding about moderation in a file of findings."""
    findings = [finding for finding in read_findings(path) if any(m.measure == PREVALENCE for m in finding)]
    if len(findings) != 1:
        problem = f"holds {len(findings) or 'no'} findings with a prevalence: one is needed, of the audit 'accuracy'"
        raise InputError(problem, source=path)
    return findings[0]
