"""The calibration audit: whether a model is right as often as it says, over all items and for each true class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from evenhand.audits.calibration import caveats, verdicts
from evenhand.audits.calibration.exhibits import calibration_examples, calibration_exhibits
from evenhand.audits.calibration.quantities import (
    CALIBRATED,
    ERROR_MEASURES,
    GROUP_MEASURES,
    OVERALL_ERRORS,
    CalibrationProbe,
    CalibrationResult,
    calibration_probes,
    draw_replicates,
    measure_probe,
)
from evenhand.audits.calibration.sample import ClassedSample
from evenhand.audits.calibration.score_regions import RegionShare, measured_regions, region_shares
from evenhand.audits.calibration.settings import BIN_COUNTS, CalibrationSettings
from evenhand.audits.quantities import FEWEST_ITEMS
from evenhand.audits.settings import provenance
from evenhand.audits.views import model_slice
from evenhand.catalogue.shared import COUNT
from evenhand.estimate import Estimate, Flag
from evenhand.evidence import ClassedEvidence
from evenhand.finding import Exhibit, Finding, Measured, Slice, SliceKey
from evenhand.intervals.significance import mark_beyond_chance
from evenhand.progress import Progress, silent

NAME = "calibration"
MOST_CLASSES = 2  # of samples that are redrawn on counts
QUESTION = "Are the probabilities calibrated, also for rare classes?"


def audit_calibration(evidence: ClassedEvidence, settings: CalibrationSettings, progress: Progress = silent) -> Finding:
    """Measure every model on everything and on each slice, class by class; and on each group."""
    facts: list[Measured] = []
    results: list[CalibrationResult] = []
    regions: list[RegionShare] = []
    drawn: list[Exhibit] = []
    first: ClassedSample | None = None
    comparisons = _comparisons(evidence)
    for part in evidence.parts:
        for classed in evidence.classed(part):
            whole, named = ClassedSample.from_rows(classed), model_slice(evidence.models, classed.model)
            first = first or whole
            if not part.number:
                settings.require_items(whole.items, evidence.name)
            base = {**named, **part.slice}
            facts += _facts(whole, base, settings.level)
            probes = list(calibration_probes(classed.classes, settings, base, by_bins=not part.number))
            results += _examined(whole, probes, settings, progress, comparisons)
            if not part.number:
                regions += region_shares(whole, named)
                drawn += calibration_exhibits(whole, named, settings)
                for group in evidence.groups:
                    own, slice_ = whole.of_group(group), {**base, SliceKey.GROUP: group}
                    facts.append(Measured(COUNT, slice_, _exactly(own.items, settings.level)))
                    probes = [CalibrationProbe(number, settings.sorting(), slice_) for number in GROUP_MEASURES]
                    results += _examined(own, probes, settings, progress, comparisons)
    clustered = first is not None and first.classed.clusters is not None
    scored = measured_regions(regions, settings.level, clustered=clustered)
    estimates = (*facts, *_marked(results, settings.level), *scored)
    finding = Finding(NAME, QUESTION, estimates, (), provenance(evidence, settings))
    finding = replace(finding, readings=tuple(verdicts.calibration_readings(finding, evidence)))
    return replace(
        finding,
        verdicts=tuple(verdicts.calibration_verdicts(finding)),
        exhibits=tuple(drawn),
        caveats=caveats.calibration_caveats(evidence, finding, first),
        examples=calibration_examples(evidence, settings.examples),
    )


def _comparisons(evidence: ClassedEvidence) -> int:
    """How many errors are tested, roughly: of all items and slices, of classes, by bins and of groups."""
    by_model = len(evidence.parts) * (len(ERROR_MEASURES) + 2 * MOST_CLASSES) + len(BIN_COUNTS) * (2 + MOST_CLASSES)
    return len(evidence.models) * (by_model + len(OVERALL_ERRORS) * len(evidence.groups))


def _exactly(items: int, level: float) -> Estimate:
    return Estimate.exact(items, level=level, n=items)


def _facts(sample: ClassedSample, base: Slice, level: float) -> list[Measured]:
    """How many items there are, and of each class."""
    of_classes = zip(sample.classed.classes, sample.counts.tolist(), strict=True)
    return [
        Measured(COUNT, base, _exactly(sample.items, level)),
        *(Measured(COUNT, {**base, SliceKey.CLASS: name}, _exactly(n, level)) for name, n in of_classes),
    ]


def _examined(
    sample: ClassedSample,
    probes: list[CalibrationProbe],
    settings: CalibrationSettings,
    progress: Progress,
    comparisons: int,
) -> list[CalibrationResult]:
    title = f"calibration {', '.join(probes[0].slice.values())}".strip()
    bins = list(dict.fromkeys(one.bins for one in probes))
    report = partial(progress, title)
    drawn = draw_replicates(sample, bins, settings, report, comparisons=comparisons)
    return [measure_probe(sample, drawn, one, settings.level) for one in probes]


def _marked(results: list[CalibrationResult], level: float) -> Iterator[Measured]:
    """Marked are errors that a calibrated model would hardly show, among all that were looked at."""
    p_values = [None if one.estimate.n < FEWEST_ITEMS else one.p_value for one in results]
    marked = mark_beyond_chance([_with_size_flag(one.estimate) for one in results], p_values, level)
    for one, estimate in zip(results, marked, strict=True):
        measure = one.probe.number.measure
        yield Measured(measure, one.probe.slice, estimate)
        yield Measured(measure, {**one.probe.slice, **CALIBRATED}, one.calibrated)


def _with_size_flag(estimate: Estimate) -> Estimate:
    return estimate.flagged(Flag.SMALL) if estimate.defined and estimate.n < FEWEST_ITEMS else estimate
