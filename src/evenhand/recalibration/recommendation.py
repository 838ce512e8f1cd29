"""Which calibrator to take, and why.

By the log loss on the test data: it is lowest when probabilities are calibrated, and unlike a calibration error it
cannot be lowered by giving every item the same probability. Of all calibrators whose loss is within two standard errors
of the lowest, item by item, the simplest is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Floats
from evenhand.calibrators import METHODS, TEMPERATURE, WEIGHTED_TEMPERATURE
from evenhand.catalogue import Measure
from evenhand.catalogue.calibration import CECE, WEIGHTED_F1
from evenhand.catalogue.shared import ECE
from evenhand.finding import Reading, SliceKey, Status, Verdict
from evenhand.measures.calibration import LEAST_PROBABILITY
from evenhand.recalibration.rounds import CalibrationRound

STANDARD_ERRORS = 2.0  # what chance is taken to explain
UNCALIBRATED = "none"  # the probabilities as they are
SIMPLEST_FIRST = (
    UNCALIBRATED,
    TEMPERATURE,
    WEIGHTED_TEMPERATURE,
    "platt",
    "beta",
    "vector",
    "histogram",
    "isotonic",
)  # fewest numbers to fit first

MeansByCalibrator = Mapping[str, Mapping[Measure, Sequence[float]]]  # by calibrator and measure: one value a fit


class RecalibrationTopic(StrEnum):
    """What a reading of compared calibrators is about."""

    RECOMMENDED = "recommended"
    RARE_CLASSES = "rare_classes"
    WEIGHTING = "weighting"
    DECISIONS = "decisions"


class ItemLosses(NamedTuple):
    """The log loss of each item by calibrator, and the weight of the item."""

    by_calibrator: Mapping[str, Floats]
    weights: Floats

    @classmethod
    def from_rounds(cls, rounds: Sequence[tuple[CalibrationRound, Mapping[str, Floats]]]) -> ItemLosses:
        """Of all runs together."""
        weights = [np.ones(len(p.test.label)) if p.test.weights is None else p.test.weights.weight for p, _ in rounds]
        losses = {
            name: np.concatenate([_log_losses(pair, probabilities[name]) for pair, probabilities in rounds])
            for name in rounds[0][1]
        }
        return cls(losses, np.concatenate(weights))

    def mean(self, values: Floats) -> float:
        """Over the items."""
        return float(np.average(values, weights=self.weights))

    def simplest(self) -> tuple[str, str]:
        """The simplest that is as good as the best, and the best."""
        best = min(self.by_calibrator, key=lambda name: self.mean(self.by_calibrator[name]))
        alike = [name for name in self.by_calibrator if self._within(name, best)]
        return min(alike, key=SIMPLEST_FIRST.index), best

    def _within(self, name: str, best: str) -> bool:
        extra = self.by_calibrator[name] - self.by_calibrator[best]
        mean = self.mean(extra)
        spread = np.sqrt(float(np.dot(self.weights**2, (extra - mean) ** 2))) / float(self.weights.sum())
        return bool(mean <= STANDARD_ERRORS * spread)


def _log_losses(pair: CalibrationRound, probabilities: Floats) -> Floats:
    of_label = probabilities[np.arange(len(pair.test.label)), pair.test.label]
    return np.asarray(-np.log(np.maximum(of_label, LEAST_PROBABILITY)))


def recommendation_readings(losses: ItemLosses, means: MeansByCalibrator) -> Iterator[Reading]:
    """The recommendation, what it means for the rare classes, and whether weighting the temperature helped them."""
    chosen, best = losses.simplest()
    topics = RecalibrationTopic
    recommended = _calibrator_reading(topics.RECOMMENDED, chosen, _reason(losses, chosen, best))
    yield replace(recommended, tendency=topics.RECOMMENDED)
    rare = min(means, key=lambda name: float(np.mean(means[name][CECE])))
    if rare != chosen:
        yield _calibrator_reading(topics.RARE_CLASSES, rare, _for_the_rare(means, rare, chosen))
    yield _calibrator_reading(topics.WEIGHTING, WEIGHTED_TEMPERATURE, _weighted_temperature(means))
    yield Reading({}, _decisions(means), topic=topics.DECISIONS)


def _calibrator_reading(topic: RecalibrationTopic, name: str, text: str) -> Reading:
    return Reading({SliceKey.CALIBRATOR: name}, text, topic=topic)


def recommendation_verdicts(losses: ItemLosses) -> Iterator[Verdict]:
    """Which calibrator to take and why, and what to do with it."""
    chosen, best = losses.simplest()
    action = "" if chosen == UNCALIBRATED else FIT_AND_APPLY.format(method=chosen)
    statement = _reason(losses, chosen, best)
    yield Verdict(Status.MEASURED, {SliceKey.CALIBRATOR: chosen}, statement, action=action)


FIT_AND_APPLY = (
    "evenhand calibrate fit VALIDATION `method` {method} …, apply it, and audit the result: a rare class may still be "
    "miscalibrated, because it hardly affects the log loss."
)


def full_title(name: str) -> str:
    """How a calibrator is called in a sentence."""
    if name == UNCALIBRATED:
        return "the uncalibrated probabilities"
    return METHODS[name].title if name in METHODS else f"'{name}'"


def _reason(losses: ItemLosses, chosen: str, best: str) -> str:
    low, plain = (losses.mean(losses.by_calibrator[name]) for name in (chosen, UNCALIBRATED))
    if chosen == UNCALIBRATED:
        return f"Keep the probabilities as they are: no calibrator improves the log loss of {plain:.4f} beyond chance."
    loss = f"fitted to all validation items, it has a log loss of {low:.4f} on the test data ({plain:.4f} before)"
    why = f"{loss}, the lowest of all calibrators"
    if chosen != best:
        lowest = f"the lowest, {losses.mean(losses.by_calibrator[best]):.4f} with {full_title(best)}"
        why = f"{loss}, which does not differ from {lowest}, beyond chance, and it is simpler"
    return f"Use {full_title(chosen)} ({chosen}): {why}."


def _for_the_rare(means: MeansByCalibrator, rare: str, chosen: str) -> str:
    cece, ece = (_pair(means, measure, rare, chosen) for measure in (CECE, ECE))
    title = full_title(rare)
    lowest = f"{title[0].upper()}{title[1:]} has the lowest {CECE.title}, which emphasises the worst class"
    return f"{lowest}: {cece}. Its overall {ECE.title} is {ece}."


def _pair(means: MeansByCalibrator, measure: Measure, first: str, second: str) -> str:
    one, two = (float(np.mean(means[name][measure])) for name in (first, second))
    return f"{one:.4f}, against {two:.4f} with {full_title(second)}"


def _weighted_temperature(means: MeansByCalibrator) -> str:
    """Does weighting the temperature towards rare classes lower CECE, as the paper found?"""
    weighted, plain = means[WEIGHTED_TEMPERATURE], means[TEMPERATURE]
    one, two = np.asarray(weighted[CECE]), np.asarray(plain[CECE])
    fewer, fits = int((one < two).sum()), len(one)
    comparison = f"{float(one.mean()):.4f} against {float(two.mean()):.4f}, lower in {fewer} of {fits} fits"
    ece = f"overall {ECE.title} {np.mean(weighted[ECE]):.4f} against {np.mean(plain[ECE]):.4f}"
    if one.mean() < two.mean() and fewer > fits / 2:
        verdict = f"lowers {CECE.title}, as the paper found"
    else:
        verdict = f"does not lower {CECE.title} here, unlike in the paper"
    return f"Weighting the temperature towards rare classes ({WEIGHTED_TEMPERATURE}) {verdict}: {comparison}; {ece}."


def _decisions(means: MeansByCalibrator) -> str:
    f1 = {name: float(np.mean(values[WEIGHTED_F1])) for name, values in means.items() if name in SIMPLEST_FIRST}
    written = {name: f"{value:.3f}" for name, value in f1.items()}
    moved = [name for name in f1 if written[name] != written[UNCALIBRATED]]
    if not moved:
        return f"{WEIGHTED_F1.title} stays at {written[UNCALIBRATED]} with every calibrator: decisions hardly change."
    most = max(moved, key=lambda name: abs(f1[name] - f1[UNCALIBRATED]))
    before = f"{WEIGHTED_F1.title} is {written[UNCALIBRATED]} before calibration"
    return f"{before} and changes most with {full_title(most)}, to {written[most]}."
