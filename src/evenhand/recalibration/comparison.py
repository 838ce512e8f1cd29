"""All calibrators side by side: fitted on validation data, measured on test data, and one recommended with its reason.

The tables of the paper. Every calibrator is fitted several times, on each run of the model that is given or on
validation items redrawn, and shown by its mean and the lowest and highest of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Floats
from evenhand.audits.calibration.quantities import CalibrationProbe, calibration_probes
from evenhand.audits.calibration.settings import CalibrationSettings
from evenhand.audits.settings import provenance
from evenhand.calibrators import METHODS, fit
from evenhand.catalogue.calibration import CLASS_ACE, CLASS_ECE
from evenhand.errors import InputError
from evenhand.estimate import Estimate, Flag
from evenhand.evidence import ClassedRows, Evidence
from evenhand.finding import Finding, Measured, SliceKey
from evenhand.measures.calibration import JudgedPredictions, ModelPredictions, WeightedPredictions
from evenhand.progress import Progress, silent
from evenhand.recalibration import recommendation
from evenhand.recalibration.recommendation import UNCALIBRATED
from evenhand.recalibration.rounds import CalibrationRound, model_runs, rounds_as_given, rounds_redrawn

NAME = "calibrators"
QUESTION = "Which calibrator calibrates these probabilities best?"
SPREAD_METHOD = "lowest_and_highest"  # of several runs: their mean, and the ends
COMPARED_CLASS_MEASURES = (CLASS_ECE, CLASS_ACE)
WITHOUT_BEST = CLASS_ACE  # not lowered by calibration: it is the probability missing from the true class


@dataclass(frozen=True, kw_only=True)
class RecalibrationSettings(CalibrationSettings):
    """How often every calibrator is fitted again; or the column that tells several runs of the model apart."""

    seeds: int = 5
    run: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.seeds < 1:
            raise InputError(f"invalid `seeds`: {self.seeds} (must be 1 or more)")


ValuesByProbe = dict[int, list[float]]  # by number of what was asked: one value a fit, none where there is none


def compare_calibrators(
    validation: Evidence,
    test: Evidence,
    settings: RecalibrationSettings,
    *,
    beside: Mapping[str, Evidence] | None = None,
    progress: Progress = silent,
) -> Finding:
    """Measure all calibrators; `beside` are test predictions of other models, such as one trained in another way.

    If runs of the model are distinguished, those of the others are too.
    """
    if validation.provenance()["evidence"] == test.provenance()["evidence"]:
        raise InputError(
            "calibrators cannot be tested on the items they are fitted on: give other test data", source=test.name
        )
    plain = rounds_as_given(validation, test, settings.run)
    settings.require_items(min(len(pair.test.label) for pair in plain), test.name)
    classes = plain[0].test.classes
    methods = [UNCALIBRATED, *(name for name, method in METHODS.items() if len(classes) == 2 or not method.binary)]
    probes = list(calibration_probes(classes, settings, {}, of_class=COMPARED_CLASS_MEASURES))
    pairs = plain if settings.run else rounds_redrawn(plain, settings.seeds, settings.seed)
    values = _fitted(pairs, methods, probes, progress)
    for name, evidence in (beside or {}).items():
        for other in model_runs(evidence, settings.run):
            _add_values(values.setdefault(name, {}), probes, _measured_beside(other, classes, evidence))
    losses, notes = _losses_and_notes(plain, methods)
    means = _means(values, probes)
    return Finding(
        NAME,
        QUESTION,
        tuple(_estimates(values, probes, plain[0].test, settings.level)),
        (_rests_on(settings, pairs), *dict.fromkeys((*notes, *validation.notes, *test.notes))),
        provenance(test, settings) | {"validation": validation.provenance()},
        tuple(recommendation.recommendation_readings(losses, means)),
        tuple(recommendation.recommendation_verdicts(losses)),
    )


def _fitted(
    pairs: Sequence[CalibrationRound], methods: Sequence[str], probes: Sequence[CalibrationProbe], progress: Progress
) -> dict[str, ValuesByProbe]:
    """Every calibrator, fitted and measured in every round."""
    values: dict[str, ValuesByProbe] = {name: {} for name in methods}
    for done, pair in enumerate(pairs):
        for number, name in enumerate(methods):
            progress("fitting and measuring", done * len(methods) + number, len(pairs) * len(methods))
            _add_values(values[name], probes, _measured_test(pair.test, _applied(pair, name)[0]))
    return values


def _losses_and_notes(
    plain: Sequence[CalibrationRound], methods: Sequence[str]
) -> tuple[recommendation.ItemLosses, Iterable[str]]:
    """What each calibrator loses on the data as given, and what the fits remark."""
    applied = [(pair, {name: _applied(pair, name) for name in methods}) for pair in plain]
    losses = recommendation.ItemLosses.from_rounds(
        [(pair, {name: p for name, (p, _) in all_of.items()}) for pair, all_of in applied]
    )
    notes = [f"{name}: {note}" for _, all_of in applied for name, (_, notes) in all_of.items() for note in notes]
    return losses, dict.fromkeys(notes)


def _applied(pair: CalibrationRound, name: str) -> tuple[Floats, tuple[str, ...]]:
    """The test probabilities after a calibrator, and what it warns of."""
    if name == UNCALIBRATED:
        return pair.test.probabilities, ()
    validation = pair.validation
    calibrator = fit(validation.probabilities, validation.label, pair.weights, method=name, classes=validation.classes)
    return calibrator.apply(pair.test.probabilities), calibrator.warnings


def _measured_test(test: ClassedRows, probabilities: Floats) -> JudgedPredictions:
    weights = None if test.weights is None else test.weights.weight
    return JudgedPredictions.from_labels(
        WeightedPredictions.from_predictions(ModelPredictions.from_probabilities(probabilities), weights), test.label
    )


def _measured_beside(classed: ClassedRows, classes: Sequence[str], evidence: Evidence) -> JudgedPredictions:
    if tuple(classed.classes) != tuple(classes):
        raise InputError(f"its classes differ from the classes compared: {', '.join(classes)}", source=evidence.name)
    return _measured_test(classed, classed.probabilities)


def _add_values(values: ValuesByProbe, probes: Sequence[CalibrationProbe], judged: JudgedPredictions) -> None:
    measured = {bins: judged.measure(bins) for bins in dict.fromkeys(one.bins for one in probes)}
    for index, one in enumerate(probes):
        if (value := one.number.value_or_none(measured[one.bins])) is not None:
            values.setdefault(index, []).append(value)


def _means(values: Mapping[str, ValuesByProbe], probes: Sequence[CalibrationProbe]) -> recommendation.MeansByCalibrator:
    of_all = {one.number.measure: index for index, one in enumerate(probes) if not one.slice}
    return {name: {measure: own[index] for measure, index in of_all.items()} for name, own in values.items()}


def _estimates(
    values: Mapping[str, ValuesByProbe], probes: Sequence[CalibrationProbe], test: ClassedRows, level: float
) -> Iterator[Measured]:
    for index, one in enumerate(probes):
        column = [(name, own[index]) for name, own in values.items() if index in own]
        means = [float(np.mean(values_of_fits)) for _, values_of_fits in column]
        ends = (max, min)[one.number.smaller_is_better]
        for (name, values_of_fits), mean in zip(column, means, strict=True):
            n = len(test.label) if one.number.column is None else int((test.label == one.number.column).sum())
            estimate = Estimate(mean, min(*values_of_fits, mean), max(*values_of_fits, mean), level, SPREAD_METHOD, n)
            best = mean == ends(means) and len(set(means)) > 1 and one.number.measure != WITHOUT_BEST
            slice_ = {SliceKey.CALIBRATOR: name, **one.slice}
            yield Measured(one.number.measure, slice_, estimate.flagged(Flag.BEST) if best else estimate)


def _rests_on(settings: RecalibrationSettings, pairs: Sequence[CalibrationRound]) -> str:
    if settings.run:
        return f"Means over {len(pairs)} runs of the model ('{settings.run}'), with the lowest and highest run."
    return (
        f"Means over {len(pairs)} fits on resampled validation items, with the lowest and highest fit: they show how "
        "much the choice of validation data matters. The calibration audit shows how much the test data matters."
    )
