"""What the calibration audit measures: errors and scores, their intervals, and what a calibrated model would show.

An error is a sum of absolute gaps, which noise can only make larger: its interval is made gap by gap. Scores are means,
for which percentiles of the bootstrap draws do. A new measure is a new row in the tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from evenhand.arrays import Bools, Floats
from evenhand.audits.calibration.sample import ClassedSample, seeded_draws
from evenhand.audits.calibration.settings import BIN_COUNTS, CalibrationSettings
from evenhand.audits.counted_redraws import LABEL_DRAWS
from evenhand.audits.settings import Settings
from evenhand.catalogue import Direction, Measure
from evenhand.catalogue.calibration import (
    ACE,
    CECE,
    CLASS_ACE,
    CLASS_BRIER,
    CLASS_ECE,
    ECE_VARIANCE,
    MSECE,
    SCE,
    WEIGHTED_F1,
    WSECE,
)
from evenhand.catalogue.shared import ACCURACY, BRIER, ECE, LOG_LOSS
from evenhand.errors import Undefined
from evenhand.estimate import Estimate
from evenhand.finding import Slice, SliceKey
from evenhand.intervals import bootstrap
from evenhand.intervals.bootstrap import (
    DIRECTIONAL_BOOTSTRAP,
    FEWEST_DRAWS,
    CalibrationErrors,
    bounded_errors,
    combined_error_interval,
    mean_interval,
    percentile_interval,
)
from evenhand.intervals.clusters import BY_CLUSTER, FEWEST_CLUSTERS, few_clusters_stretch
from evenhand.measures.calibration import Bins, Calibration, cece, ece_variance


@dataclass(frozen=True)
class CalibrationMeasure:
    """One number of all items, or of one class. An `error` is 0 at best, and above 0 by chance."""

    measure: Measure
    formula: Callable[[Calibration], Any]
    error: bool = True
    column: int | None = None  # of which class

    @property
    def smaller_is_better(self) -> bool:
        """Errors and losses, as opposed to shares of what is right."""
        return self.measure.direction is Direction.LOWER

    def value(self, calibration: Calibration) -> float:
        """The number; `Undefined` where it has none."""
        return float(self.formula(calibration))

    def values(self, drawn: Calibration) -> Floats:
        """One of each draw that has one."""
        try:
            values = np.atleast_1d(np.asarray(self.formula(drawn), dtype=np.float64))
        except Undefined:
            return np.empty(0)
        return values[~np.isnan(values)]

    def value_or_none(self, calibration: Calibration) -> float | None:
        """The number, or None where it has none."""
        try:
            return self.value(calibration)
        except Undefined:
            return None


SCORES = (ACCURACY, WEIGHTED_F1, BRIER, LOG_LOSS)
OVERALL_ERRORS = (ECE, ACE, SCE)  # over all items
CLASSWISE_ERRORS = (CECE, MSECE, WSECE, ECE_VARIANCE)  # the class ECEs, summed up
CLASS_MEASURES = (CLASS_ECE, CLASS_ACE, CLASS_BRIER)

SCORE_MEASURES = (
    CalibrationMeasure(ACCURACY, lambda calibration: calibration.accuracy, error=False),
    CalibrationMeasure(WEIGHTED_F1, lambda calibration: calibration.weighted_f1, error=False),
    CalibrationMeasure(BRIER, lambda calibration: calibration.brier, error=False),
    CalibrationMeasure(LOG_LOSS, lambda calibration: calibration.log_loss, error=False),
)
ERROR_MEASURES = (
    CalibrationMeasure(ECE, lambda calibration: calibration.ece),
    CalibrationMeasure(ACE, lambda calibration: calibration.ace),
    CalibrationMeasure(SCE, lambda calibration: calibration.sce),
    CalibrationMeasure(CECE, lambda calibration: calibration.cece),
    CalibrationMeasure(MSECE, lambda calibration: calibration.msece),
    CalibrationMeasure(WSECE, lambda calibration: calibration.wsece),
    CalibrationMeasure(ECE_VARIANCE, lambda calibration: calibration.ece_variance),
)
OVERALL_MEASURES = (*SCORE_MEASURES, *ERROR_MEASURES)
GROUP_MEASURES = (*SCORE_MEASURES, *(number for number in ERROR_MEASURES if number.measure in OVERALL_ERRORS))
MEASURES_BY_BINS = tuple(number for number in ERROR_MEASURES if number.measure in (ECE, CECE))  # and class ECEs


def class_measure(measure: Measure, column: int) -> CalibrationMeasure:
    """A number of one class."""
    if measure == CLASS_ECE:
        return CalibrationMeasure(measure, lambda calibration: calibration.class_ece(column), column=column)
    if measure == CLASS_ACE:
        return CalibrationMeasure(measure, lambda calibration: calibration.class_ace(column), column=column)
    return CalibrationMeasure(
        measure, lambda calibration: calibration.class_briers[..., column], error=False, column=column
    )


MOST_LABEL_DRAWS = 50_000
SUMMED_ERRORS = (*OVERALL_ERRORS, MSECE, WSECE)


class CalibrationInterval(NamedTuple):
    """An interval that holds the value, and how it was made; None where too few draws had a value."""

    ends: tuple[float, float] | None
    method: str


def calibration_interval(
    number: CalibrationMeasure,
    plain: Calibration,
    drawn: Calibration,
    level: float,
    *,
    clusters: float = math.inf,
) -> CalibrationInterval:
    """The interval of one number; where whole clusters were drawn, `clusters` is the number of equal ones."""
    stretch = few_clusters_stretch(clusters, level)
    method = DIRECTIONAL_BOOTSTRAP + (BY_CLUSTER if math.isfinite(clusters) else "")
    if number.measure in SUMMED_ERRORS:
        keep = None if number.measure in OVERALL_ERRORS else _with_all_classes(plain, drawn)
        return CalibrationInterval(_summed_error(number.measure, plain, drawn, stretch, keep).interval(level), method)
    if number.measure == CLASS_ECE:
        assert number.column is not None
        return CalibrationInterval(_class_error(number.column, plain, drawn, stretch).interval(level), method)
    if number.measure == CECE:
        errors = _class_errors(plain, drawn, stretch)
        return CalibrationInterval(combined_error_interval(cece, errors, level=level), method)
    if number.measure == ECE_VARIANCE:
        keep = _with_all_classes(plain, drawn)
        both = _class_errors(plain, drawn, stretch), _summed_error(ECE, plain, drawn, stretch, keep)
        return CalibrationInterval(combined_error_interval(ece_variance, *both, level=level), method)
    mean = bootstrap.POISSON_BOOTSTRAP + (BY_CLUSTER if math.isfinite(clusters) else "")
    return CalibrationInterval(mean_interval(number.values(drawn), number.value(plain), level, stretch), mean)


def _summed_error(
    measure: Measure, plain: Calibration, drawn: Calibration, stretch: float, keep: Bools | None
) -> CalibrationErrors:
    gaps = drawn.gaps(measure)
    return bounded_errors(plain.gaps(measure), gaps if keep is None else gaps[keep], stretch)


def _class_error(column: int, plain: Calibration, drawn: Calibration, stretch: float) -> CalibrationErrors:
    some = drawn.by_class.gaps[:, column][drawn.sizes[:, column] > 0.0]
    return bounded_errors(plain.by_class.gaps[column], some, stretch)


def _class_errors(plain: Calibration, drawn: Calibration, stretch: float) -> CalibrationErrors:
    some = drawn.by_class.gaps[_with_all_classes(plain, drawn)][:, plain.present]
    return bounded_errors(plain.by_class.gaps[plain.present], some, stretch)


def _with_all_classes(plain: Calibration, drawn: Calibration) -> Bools:
    """Draws in which every class that has items still has some."""
    return np.asarray((drawn.sizes[:, plain.present] > 0.0).all(axis=1))


REFERENCE_METHOD = "redrawn_labels"


class ReferenceModel(StrEnum):
    """What an estimate or exhibit shows in place of the model that was measured."""

    CALIBRATED = "calibrated"  # perfectly so, with these probabilities and as many items


CALIBRATED: dict[str, str] = {SliceKey.AS_IF: ReferenceModel.CALIBRATED}


class CalibrationProbe(NamedTuple):
    """A number, with which bins, and the slice it is filed under."""

    number: CalibrationMeasure
    bins: Bins
    slice: Slice


def calibration_probes(
    classes: Sequence[str],
    settings: CalibrationSettings,
    base: Slice,
    *,
    of_class: Sequence[Measure] = CLASS_MEASURES,
    by_bins: bool = True,
) -> Iterator[CalibrationProbe]:
    """Over all, class by class, and the table against the number of bins."""
    bins = settings.sorting()
    yield from (CalibrationProbe(number, bins, base) for number in OVERALL_MEASURES)
    for column, name in enumerate(classes):
        own = {**base, SliceKey.CLASS: name}
        yield from (CalibrationProbe(class_measure(measure, column), bins, own) for measure in of_class)
    for count in BIN_COUNTS if by_bins else ():
        binned = settings.sorting(count)
        own = {**base, SliceKey.BINS: str(count)}
        yield from (CalibrationProbe(number, binned, own) for number in MEASURES_BY_BINS)
        for column, name in enumerate(classes):
            slice_ = {**base, SliceKey.CLASS: name, SliceKey.BINS: str(count)}
            yield CalibrationProbe(class_measure(CLASS_ECE, column), binned, slice_)


class CalibrationResult(NamedTuple):
    """The estimate, what a calibrated model would show, and the probability that such a model shows as much."""

    probe: CalibrationProbe
    estimate: Estimate
    calibrated: Estimate
    p_value: float | None


@dataclass(frozen=True)
class CalibrationReplicates:
    """All that was drawn of one sample, by bins: as it is, items redrawn, labels redrawn."""

    plain: dict[Bins, Calibration]
    items: dict[Bins, Calibration]  # with an axis of draws
    labels: dict[Bins, Calibration]


def draw_replicates(
    sample: ClassedSample,
    bins: Sequence[Bins],
    settings: Settings,
    progress: Callable[[int, int], None],
    *,
    comparisons: int = 1,
) -> CalibrationReplicates:
    """Measure with all bins: once as it is, then with items and with labels redrawn.

    So many labels are drawn that a p-value can be small enough among all comparisons.
    """
    plain = {one: sample.as_it_is()(one) for one in bins}
    counted = sample.counted(bins, settings.seed)
    if counted is None:
        return CalibrationReplicates(plain, *_rows_redrawn(sample, bins, settings, progress))
    needed = min(math.ceil(2.0 * comparisons / (1.0 - settings.level)), MOST_LABEL_DRAWS)
    redraws = counted.items, counted.labels(needed)
    measured = ({one: drawn.measure(one) for one in bins} for drawn in redraws)
    progress(1, 1)
    return CalibrationReplicates(plain, *measured)


def _rows_redrawn(
    sample: ClassedSample, bins: Sequence[Bins], settings: Settings, progress: Callable[[int, int], None]
) -> Iterator[dict[Bins, Calibration]]:
    """Items, then labels, one draw after the other."""
    times, total = settings.replicates, 2 * settings.replicates
    for number, way in enumerate((sample.items_redrawn, sample.labels_redrawn)):
        draws: dict[Bins, list[Calibration]] = {one: [] for one in bins}
        for done, measure in enumerate(seeded_draws(way, times, settings.seed + number), start=1):
            for one in bins:
                draws[one].append(measure(one))
            progress(number * times + done, total)
        yield {one: Calibration.stacked(drawn) for one, drawn in draws.items()}


def _around(value: float, ends: tuple[float, float]) -> tuple[float, float]:
    """The ends; one that only the rounding of sums puts beyond the value is the value."""
    slack = 1e-12 * abs(value)
    return min(ends[0], value) if ends[0] - value <= slack else ends[0], (
        max(ends[1], value) if value - ends[1] <= slack else ends[1]
    )


def measure_probe(
    sample: ClassedSample, drawn: CalibrationReplicates, probe: CalibrationProbe, level: float
) -> CalibrationResult:
    """One number of what was drawn."""
    number, n = probe.number, sample.items if probe.number.column is None else int(sample.counts[probe.number.column])
    try:
        value = number.value(drawn.plain[probe.bins])
    except Undefined as why:
        nothing = Estimate.undefined(str(why), level=level, n=n)
        return CalibrationResult(probe, nothing, nothing, None)
    reference = number.values(drawn.labels[probe.bins])
    how = calibration_interval(
        number,
        drawn.plain[probe.bins],
        drawn.items[probe.bins],
        level,
        clusters=sample.effective_clusters,
    )
    if how.ends is None:
        nothing = Estimate.undefined("too few bootstrap samples have a value", level=level, n=n)
        return CalibrationResult(probe, nothing, _calibrated_reference(reference, level, n), None)
    estimate = Estimate(value, *_around(value, how.ends), level, how.method, n)
    return CalibrationResult(
        probe,
        estimate,
        _calibrated_reference(reference, level, n),
        _p_value(value, reference) if number.error and sample.effective_clusters >= FEWEST_CLUSTERS else None,
    )


def _calibrated_reference(reference: Floats, level: float, n: int) -> Estimate:
    ends = percentile_interval(reference, float(np.mean(reference)), level) if len(reference) else None
    if ends is None:
        return Estimate.undefined("labels simulated from the probabilities seldom have this class", level=level, n=n)
    return Estimate(float(np.mean(reference)), *ends, level, REFERENCE_METHOD, n)


def _p_value(value: float, reference: Floats) -> float | None:
    """How likely a calibrated model shows as much or more.

    Beyond draws that were made row by row, which are few, by the normal tail of their spread.
    """
    if len(reference) < FEWEST_DRAWS:
        return None
    as_much = int((reference >= value).sum())
    if as_much or len(reference) >= LABEL_DRAWS:
        return (1 + as_much) / (1 + len(reference))
    spread = float(np.std(reference, ddof=1))
    tail = float(special.ndtr((float(np.mean(reference)) - value) / spread)) if spread else 0.0
    return min(tail, 1.0 / (1 + len(reference)))
