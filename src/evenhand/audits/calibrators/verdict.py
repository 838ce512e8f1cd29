"""Which calibrator to take, and why.

By the log loss on the test data: it is lowest when probabilities are honest, and unlike a calibration error it cannot
be had by saying the same of every item. Of all whose loss is within two standard errors of the lowest, item by item,
the simplest is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evenhand.audits.calibrators.rounds import Round
from evenhand.calibrators import METHODS
from evenhand.finding import Reading
from evenhand.measures.calibration import CLIP
from evenhand.tally import FloatArray

STANDARD_ERRORS = 2.0  # what chance is taken to explain
NONE = "none"  # the probabilities as they are
SIMPLEST = (NONE, "ts", "wts", "platt", "beta", "vector", "histogram", "isotonic")  # fewest numbers to fit first

Means = Mapping[str, Mapping[str, Sequence[float]]]  # by calibrator and measure: one value a fit


class Losses(NamedTuple):
    """What each item costs by each calibrator, and what it stands for."""

    of: Mapping[str, FloatArray]
    weights: FloatArray

    @classmethod
    def of_rounds(cls, found: Sequence[tuple[Round, Mapping[str, FloatArray]]]) -> Losses:
        """Of all runs together."""
        weights = [np.ones(len(p.test.label)) if p.test.weights is None else p.test.weights.weight for p, _ in found]
        losses = {name: np.concatenate([_losses(pair, given[name]) for pair, given in found]) for name in found[0][1]}
        return cls(losses, np.concatenate(weights))

    def mean(self, values: FloatArray) -> float:
        """Over the items."""
        return float(np.average(values, weights=self.weights))

    def simplest(self) -> tuple[str, str]:
        """The simplest that is as good as the best, and the best."""
        best = min(self.of, key=lambda name: self.mean(self.of[name]))
        alike = [name for name in self.of if self._within(name, best)]
        return min(alike, key=SIMPLEST.index), best

    def _within(self, name: str, best: str) -> bool:
        extra = self.of[name] - self.of[best]
        mean = self.mean(extra)
        spread = np.sqrt(float(np.dot(self.weights**2, (extra - mean) ** 2))) / float(self.weights.sum())
        return bool(mean <= STANDARD_ERRORS * spread)


def _losses(pair: Round, probabilities: FloatArray) -> FloatArray:
    given = probabilities[np.arange(len(pair.test.label)), pair.test.label]
    return np.asarray(-np.log(np.maximum(given, CLIP)))


def readings(losses: Losses, means: Means) -> Iterator[Reading]:
    """The recommendation, what it means for the rare classes, and whether weighting the temperature helped them."""
    chosen, best = losses.simplest()
    yield Reading({"calibrator": chosen}, _reason(losses, chosen, best), tendency="recommended")
    rare = min(means, key=lambda name: float(np.mean(means[name]["cece"])))
    if rare != chosen:
        yield Reading({"calibrator": rare}, _for_the_rare(means, rare, chosen))
    yield Reading({"calibrator": "wts"}, _weighted(means))
    yield Reading({}, _decisions(means))


def title(name: str) -> str:
    """How a calibrator is called in a sentence."""
    if name == NONE:
        return "the probabilities as they are"
    return METHODS[name].title if name in METHODS else f"'{name}'"


def _reason(losses: Losses, chosen: str, best: str) -> str:
    low, plain = (losses.mean(losses.of[name]) for name in (chosen, NONE))
    if chosen == NONE:
        lower = f"has a log loss lower than {plain:.4f} by more than chance"
        return f"Leave the probabilities as they are: no calibrator {lower}."
    why = (
        f"fitted once to all validation items, its log loss on the test data, {low:.4f} ({plain:.4f} before), is lowest"
    )
    if chosen != best:
        lowest = losses.mean(losses.of[best])
        why = (
            f"fitted once to all validation items, its log loss on the test data, {low:.4f} ({plain:.4f} before), "
            f"cannot be told from the lowest, {lowest:.4f} by {title(best)}, and it is simpler"
        )
    return f"Take {title(chosen)} ({chosen}): {why}."


def _for_the_rare(means: Means, rare: str, chosen: str) -> str:
    cece, ece = (_pair(means, name, rare, chosen) for name in ("cece", "ece"))
    lowest = f"The lowest CECE, which leans towards the worst class, is that of {title(rare)}"
    return f"{lowest}: {cece}. Its ECE over all: {ece}."


def _pair(means: Means, measure: str, first: str, second: str) -> str:
    one, two = (float(np.mean(means[name][measure])) for name in (first, second))
    return f"{one:.4f}, against {two:.4f} by {title(second)}"


def _weighted(means: Means) -> str:
    """Does weighting the temperature towards rare classes lower CECE, as the paper found?"""
    one, two = np.asarray(means["wts"]["cece"]), np.asarray(means["ts"]["cece"])
    fewer, fits = int((one < two).sum()), len(one)
    told = f"{float(one.mean()):.4f} against {float(two.mean()):.4f}, lower in {fewer} of {fits} fits"
    ece = f"ECE over all {np.mean(means['wts']['ece']):.4f} against {np.mean(means['ts']['ece']):.4f}"
    if one.mean() < two.mean() and fewer > fits / 2:
        verdict = "lowers CECE, as the paper found"
    else:
        verdict = "does not lower CECE here, unlike in the paper"
    return f"Weighting the temperature towards rare classes (wts) {verdict}: {told}; {ece}."


def _decisions(means: Means) -> str:
    f1 = {name: float(np.mean(found["weighted_f1"])) for name, found in means.items() if name in SIMPLEST}
    moved = max(f1, key=lambda name: abs(f1[name] - f1[NONE]))
    if abs(f1[moved] - f1[NONE]) < 0.0005:
        return f"Weighted F1 stays at {f1[NONE]:.3f} whatever the calibrator: decisions hardly change."
    return f"Weighted F1 is {f1[NONE]:.3f} before; it moves most with {title(moved)}, to {f1[moved]:.3f}."
