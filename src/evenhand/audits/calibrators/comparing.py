"""All calibrators side by side: fitted on validation data, measured on test data, and one recommended with its reason.

The tables of the paper. Every calibrator is fitted several times, on each run of the model that is given or on
validation items redrawn, and shown by its mean and the lowest and highest of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evenhand.audits.calibration.numbers import OVERALL, Number, binned, of_class
from evenhand.audits.calibration.settings import COUNTS, CalibrationSettings
from evenhand.audits.calibrators import verdict
from evenhand.audits.calibrators.rounds import Round, redrawn, runs, whole
from evenhand.audits.calibrators.verdict import NONE
from evenhand.audits.provenance import provenance
from evenhand.calibrators import METHODS, fit
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.evidence import Classed, Evidence
from evenhand.finding import Finding, Measured, Slice
from evenhand.measures.calibration import Bins, Judged, Predictions, Weighed
from evenhand.progress import Progress, silent
from evenhand.tally import FloatArray

QUESTION = "Which calibrator makes these probabilities most honest?"
SPREAD = "lowest_and_highest"  # of several runs: their mean, and the ends
BEST = "best"  # not of class ACE: that is how little was given to the truth, which honest probabilities need not lower
OF_CLASSES = ("class_ece", "class_ace")


@dataclass(frozen=True, kw_only=True)
class ComparisonSettings(CalibrationSettings):
    """How often every calibrator is fitted again; or the column that tells several runs of the model apart."""

    seeds: int = 5
    run: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.seeds < 1:
            raise InputError(f"{self.seeds} seeds are too few: at least 1")


class Asked(NamedTuple):
    """One number of the tables."""

    number: Number
    bins: Bins
    slice: Slice


Values = dict[int, list[float]]  # by number of what was asked: one value a fit, none where there is none


def compare_calibrators(
    validation: Evidence,
    test: Evidence,
    settings: ComparisonSettings,
    *,
    beside: Mapping[str, Evidence] | None = None,
    progress: Progress = silent,
) -> Finding:
    """Measure all calibrators; `beside` are test predictions of other models, such as one trained in another way.

    Where runs of the model are told apart, those of the others are too.
    """
    if validation.provenance()["evidence"] == test.provenance()["evidence"]:
        raise InputError(
            "these are the items that calibrators would be fitted on: measure with others", source=test.name
        )
    plain = whole(validation, test, settings.run)
    _check_bins(plain, settings, test)
    classes = plain[0].test.classes
    methods = [NONE, *(name for name, method in METHODS.items() if len(classes) == 2 or not method.binary)]
    asked = list(_asked(classes, settings))
    pairs = plain if settings.run else redrawn(plain, settings.seeds, settings.seed)
    values = _fitted(pairs, methods, asked, progress)
    for name, evidence in (beside or {}).items():
        for other in runs(evidence, settings.run):
            _add(values.setdefault(name, {}), asked, _beside(other, classes, evidence))
    losses, notes = _judgement(plain, methods)
    return Finding(
        "calibrators",
        QUESTION,
        tuple(_estimates(values, asked, plain[0].test, settings.level)),
        (_rests_on(settings, pairs), *dict.fromkeys((*notes, *validation.notes, *test.notes))),
        provenance(test, settings) | {"validation": validation.provenance()},
        tuple(verdict.readings(losses, _means(values, asked))),
    )


def _fitted(
    pairs: Sequence[Round], methods: Sequence[str], asked: Sequence[Asked], progress: Progress
) -> dict[str, Values]:
    """Every calibrator, fitted and measured in every round."""
    values: dict[str, Values] = {name: {} for name in methods}
    for done, pair in enumerate(pairs):
        for number, name in enumerate(methods):
            progress("fitting and measuring", done * len(methods) + number, len(pairs) * len(methods))
            _add(values[name], asked, _judged(pair.test, _applied(pair, name)[0]))
    return values


def _judgement(plain: Sequence[Round], methods: Sequence[str]) -> tuple[verdict.Losses, Iterable[str]]:
    """What each calibrator loses on the data as given, and what the fits remark."""
    given = [(pair, {name: _applied(pair, name) for name in methods}) for pair in plain]
    losses = verdict.Losses.of_rounds([(pair, {name: p for name, (p, _) in all_of.items()}) for pair, all_of in given])
    notes = [f"{name}: {note}" for _, all_of in given for name, (_, notes) in all_of.items() for note in notes]
    return losses, dict.fromkeys(notes)


def _check_bins(plain: Sequence[Round], settings: ComparisonSettings, test: Evidence) -> None:
    fewest = min(len(pair.test.label) for pair in plain)
    if settings.bins > fewest:
        raise InputError(f"{settings.bins} bins are more than there are items ({fewest})", source=test.name)


def _asked(classes: Sequence[str], settings: ComparisonSettings) -> Iterator[Asked]:
    """Tables 1 to 3, and against the number of bins Table 4."""
    bins = settings.sorting()
    yield from (Asked(number, bins, {}) for number in OVERALL)
    for column, name in enumerate(classes):
        yield from (Asked(of_class(measure, column), bins, {"class": name}) for measure in OF_CLASSES)
    for count in COUNTS:
        for number in binned(len(classes)):
            named = {} if number.column is None else {"class": classes[number.column]}
            yield Asked(number, settings.sorting(count), {**named, "bins": str(count)})


def _applied(pair: Round, name: str) -> tuple[FloatArray, tuple[str, ...]]:
    """The test probabilities after a calibrator, and what it warns of."""
    if name == NONE:
        return pair.test.probabilities, ()
    validation = pair.validation
    found = fit(validation.probabilities, validation.label, pair.weights, method=name, classes=validation.classes)
    return found.apply(pair.test.probabilities), found.warnings


def _judged(test: Classed, probabilities: FloatArray) -> Judged:
    weights = None if test.weights is None else test.weights.weight
    return Judged.of(Weighed.of(Predictions.of(probabilities), weights), test.label)


def _beside(classed: Classed, classes: Sequence[str], evidence: Evidence) -> Judged:
    if tuple(classed.classes) != tuple(classes):
        raise InputError(f"its classes are not those compared: {', '.join(classes)}", source=evidence.name)
    return _judged(classed, classed.probabilities)


def _add(values: Values, asked: Sequence[Asked], judged: Judged) -> None:
    found = {bins: judged.measure(bins) for bins in dict.fromkeys(one.bins for one in asked)}
    for index, one in enumerate(asked):
        if (value := one.number.value_or_none(found[one.bins])) is not None:
            values.setdefault(index, []).append(value)


def _means(values: Mapping[str, Values], asked: Sequence[Asked]) -> verdict.Means:
    of_all = {one.number.measure: index for index, one in enumerate(asked) if not one.slice}
    return {name: {measure: own[index] for measure, index in of_all.items()} for name, own in values.items()}


def _estimates(values: Mapping[str, Values], asked: Sequence[Asked], test: Classed, level: float) -> Iterator[Measured]:
    for index, one in enumerate(asked):
        column = [(name, own[index]) for name, own in values.items() if index in own]
        means = [float(np.mean(found)) for _, found in column]
        ends = (max, min)[one.number.smaller_is_better]
        for (name, found), mean in zip(column, means, strict=True):
            n = len(test.label) if one.number.column is None else int((test.label == one.number.column).sum())
            estimate = Estimate(mean, min(*found, mean), max(*found, mean), level, SPREAD, n)
            best = mean == ends(means) and len(set(means)) > 1 and one.number.measure != "class_ace"
            slice_ = {"calibrator": name, **one.slice}
            yield Measured(one.number.measure, slice_, estimate.flagged(BEST) if best else estimate)


def _rests_on(settings: ComparisonSettings, pairs: Sequence[Round]) -> str:
    if settings.run:
        return f"Means over {len(pairs)} runs of the model ('{settings.run}'), with the lowest and highest of them."
    return (
        f"Means over {len(pairs)} fits on validation items redrawn, with the lowest and highest of them: how much the "
        "choice of validation data matters. How much the test data matters is in the calibration audit."
    )
