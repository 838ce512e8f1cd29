"""The calibration audit: whether a model is right as often as it says, over all and for the items of each class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from evenhand.audits.calibration import caveats, readings
from evenhand.audits.calibration.examining import CALIBRATED, Asked, Found, draw, found
from evenhand.audits.calibration.examples import examples
from evenhand.audits.calibration.exhibits import exhibits
from evenhand.audits.calibration.numbers import OF_CLASSES, OF_GROUPS, OVERALL, binned, of_class
from evenhand.audits.calibration.sample import Sample
from evenhand.audits.calibration.settings import COUNTS, CalibrationSettings
from evenhand.audits.probe import STANDS_OUT
from evenhand.audits.provenance import provenance
from evenhand.audits.quantity import FEW
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.evidence import Classed, Evidence, Part
from evenhand.finding import Exhibit, Finding, Measured, Slice
from evenhand.intervals.multiple import holm
from evenhand.progress import Progress

QUESTION = "Are the probabilities honest, also for the rare classes?"


def audit_calibration(evidence: Evidence, settings: CalibrationSettings, progress: Progress) -> Finding:
    """Measure every model on everything and on each slice, class by class; and on each group."""
    facts: list[Measured] = []
    results: list[Found] = []
    drawn: list[Exhibit] = []
    for part in evidence.parts:
        for classed in evidence.classed(part):
            whole = Sample.of(classed)
            if not part.number and settings.bins > whole.items:
                problem = f"{settings.bins} bins are more than there are items ({whole.items})"
                raise InputError(problem, source=evidence.name)
            base = _slice(evidence, part, classed)
            facts += _facts(whole, base, settings.level)
            asked = list(_asked(classed, base, settings, whole=not part.number))
            results += _examined(whole, asked, settings, progress)
            if not part.number:
                drawn += exhibits(whole, classed.model, settings)
                for group in evidence.groups:
                    results += _group(classed, group, base, facts, settings, progress)
    finding = Finding(
        "calibration", QUESTION, (*facts, *_judged(results, settings.level)), (), provenance(evidence, settings)
    )
    return replace(
        finding,
        exhibits=tuple(drawn),
        readings=tuple(readings.of(finding, evidence)),
        caveats=caveats.of(evidence, finding),
        examples=examples(evidence, settings.examples),
    )


def _slice(evidence: Evidence, part: Part, classed: Classed) -> Slice:
    named = {"model": classed.model} if len(evidence.models) > 1 else {}
    return named | dict(part.slice)


def _asked(classed: Classed, base: Slice, settings: CalibrationSettings, *, whole: bool) -> Iterator[Asked]:
    """Of everything also the table against the number of bins."""
    bins = settings.sorting()
    yield from (Asked(number, bins, base) for number in OVERALL)
    for column, name in enumerate(classed.classes):
        yield from (Asked(of_class(measure, column), bins, {**base, "class": name}) for measure in OF_CLASSES)
    for count in COUNTS if whole else ():
        for number in binned(len(classed.classes)):
            named = {} if number.column is None else {"class": classed.classes[number.column]}
            yield Asked(number, settings.sorting(count), {**base, **named, "bins": str(count)})


def _group(
    classed: Classed,
    group: str,
    base: Slice,
    facts: list[Measured],
    settings: CalibrationSettings,
    progress: Progress,
) -> list[Found]:
    sample, slice_ = Sample.of(classed, group), {**base, "group": group}
    facts.append(Measured("count", slice_, Estimate.exact(sample.items, level=settings.level, n=sample.items)))
    return _examined(sample, [Asked(number, settings.sorting(), slice_) for number in OF_GROUPS], settings, progress)


def _facts(sample: Sample, base: Slice, level: float) -> list[Measured]:
    """How many items there are, and of each class."""
    exact = Estimate.exact(sample.items, level=level, n=sample.items)
    of_classes = zip(sample.classed.classes, sample.counts.tolist(), strict=True)
    return [
        Measured("count", base, exact),
        *(Measured("count", {**base, "class": name}, Estimate.exact(n, level=level, n=n)) for name, n in of_classes),
    ]


def _examined(sample: Sample, asked: list[Asked], settings: CalibrationSettings, progress: Progress) -> list[Found]:
    title = f"calibration {', '.join(asked[0].slice.values())}".strip()
    bins = list(dict.fromkeys(one.bins for one in asked))
    drawn = draw(sample, bins, settings, lambda done, total: progress(title, done, total))
    return [found(sample, drawn, one, settings.level) for one in asked]


def _judged(results: list[Found], level: float) -> Iterator[Measured]:
    """Marked are errors that a calibrated model would hardly show, among all that were looked at."""
    tested = [number for number, one in enumerate(results) if one.p_value is not None and one.estimate.n >= FEW]
    marks = holm([results[number].p_value or 0.0 for number in tested], 1.0 - level)
    standing = {number for number, mark in zip(tested, marks, strict=True) if mark}
    for number, one in enumerate(results):
        measure, estimate = one.asked.number.measure, one.estimate
        estimate = estimate.flagged("small") if estimate.defined and estimate.n < FEW else estimate
        estimate = estimate.flagged(STANDS_OUT) if number in standing else estimate
        yield Measured(measure, one.asked.slice, estimate)
        yield Measured(measure, {**one.asked.slice, **CALIBRATED}, one.calibrated)
