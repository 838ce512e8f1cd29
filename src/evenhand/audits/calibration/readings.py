"""What the calibration numbers say, in plain words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evenhand.audits.calibration.examining import CALIBRATED
from evenhand.audits.calibration.settings import COUNTS
from evenhand.audits.probe import STANDS_OUT
from evenhand.estimate import Estimate
from evenhand.evidence import Classed, Evidence
from evenhand.finding import Finding, Reading, Slice
from evenhand.measures.calibration import predicted

EVEN = 0.005  # a difference between sure and right that is not worth a word


def of(finding: Finding, evidence: Evidence) -> Iterator[Reading]:
    """Per model: over all, then the classes with the largest errors first, then what the bins do."""
    for classed in evidence.classed(evidence.parts[0]):
        named = {"model": classed.model} if len(evidence.models) > 1 else {}
        yield _overall(finding, classed, named)
        yield from sorted(_classes(finding, classed, named), key=lambda found: -_value(finding, found.slice))
        yield _bins(finding, named)


def _overall(finding: Finding, classed: Classed, named: Slice) -> Reading:
    sure, right = _means(classed)
    word, tendency = _direction(sure - right)
    ece, honest = finding.get("ece", **named), finding.get("ece", **named, **CALIBRATED)
    verdict = _of_all(ece, honest)
    text = (
        f"On average the model is {sure:.1%} sure and right {right:.1%} of the time: {word}. Its calibration error "
        f"(ECE) is {ece.value:.4f}; a perfectly calibrated model with these probabilities and as many items would "
        f"show about {honest.value:.4f} ({honest.low:.4f} to {honest.high:.4f}), so this is {verdict}."
    )
    hidden = [name.upper() for name in ("ace", "sce") if STANDS_OUT in finding.get(name, **named).flags]
    if hidden and STANDS_OUT not in ece.flags:
        text += f" By {' and '.join(hidden)}, taken over every class's probability, it is off beyond chance."
    return Reading(named, text, tendency=tendency)


def _means(classed: Classed) -> tuple[float, float]:
    """How sure the model is on average, and how often it is right."""
    weights = None if classed.weights is None else classed.weights.weight
    sure, right = classed.probabilities.max(axis=1), predicted(classed.probabilities) == classed.label
    return float(np.average(sure, weights=weights)), float(np.average(right, weights=weights))


def _direction(gap: float) -> tuple[str, str]:
    if abs(gap) < EVEN:
        return "about as often as it says", "even"
    return ("too sure of itself", "too sure") if gap > 0.0 else ("too modest", "too modest")


def _classes(finding: Finding, classed: Classed, named: Slice) -> Iterator[Reading]:
    for name in classed.classes:
        slice_ = {**named, "class": name}
        found, honest = finding.get("class_ece", **slice_), finding.get("class_ece", **slice_, **CALIBRATED)
        if not found.defined or not honest.defined:
            continue
        more = STANDS_OUT in found.flags
        verdict = _of_class(found, honest)
        text = (
            f"Items that truly are '{name}' ({found.n:,}): class ECE {found.value:.4f}, and {honest.value:.4f} "
            f"({honest.low:.4f} to {honest.high:.4f}) if the model were calibrated: {verdict}."
        )
        yield Reading(slice_, text, tendency="off" if more else "as expected")


def _of_all(found: Estimate, honest: Estimate) -> str:
    if STANDS_OUT in found.flags:
        return "more than chance explains"
    if (found.value or 0.0) > (honest.high or 0.0):
        return "more than it would usually show, but with so many numbers looked at not beyond chance"
    return "no more than chance explains"


def _of_class(found: Estimate, honest: Estimate) -> str:
    if STANDS_OUT in found.flags:
        return "the probabilities fail this class by more than chance and its rarity explain"
    if (found.value or 0.0) < (honest.low or 0.0):
        return "less than honest probabilities would give, so that other classes bear the errors"
    return "that is what honest probabilities would give for these items"


def _value(finding: Finding, slice_: Slice) -> float:
    return finding.get("class_ece", **slice_).value or 0.0


def _bins(finding: Finding, named: Slice) -> Reading:
    """The lowest and the highest ECE of all numbers of bins looked at, the chosen one among them."""
    chosen = int(finding.provenance["settings"]["bins"])
    values = {count: finding.get("ece", **named, bins=str(count)).value or 0.0 for count in COUNTS}
    values[chosen] = finding.get("ece", **named).value or 0.0
    low, high = (pick(sorted(values), key=values.__getitem__) for pick in (min, max))
    looked = f"{', '.join(map(str, sorted(values)[:-1]))} and {max(values)} bins"
    if f"{values[low]:.4f}" == f"{values[high]:.4f}":
        text = f"With {looked} the ECE is the same, {values[low]:.4f}."
    else:
        text = (
            f"With {looked} the ECE is {values[low]:.4f} at the lowest ({low}) and {values[high]:.4f} at the highest "
            f"({high}): compare models only at the same number of bins."
        )
    return Reading({**named, "bins": "all"}, text)
