"""One experiment: a scenario, a target precision, and what many samples of a design came to.

The results are labels needed, bias, and how often intervals cover the truth, each with its Monte-Carlo error.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.arrays import Floats
from evenhand.catalogue.accuracy import (
    BIAS_IN_ERRORS,
    INTERVAL_COVERAGE,
    LABELS_NEEDED,
    LABELS_NEEDED_FINITE,
    LABELS_SPENT,
    RELATIVE_BIAS,
    VIOLATIONS_FOUND,
)
from evenhand.estimate import Estimate
from evenhand.finding import Measured, Slice, SliceKey
from evenhand.intervals import survey
from evenhand.intervals.proportions import WilsonInterval
from evenhand.intervals.survey import SurveyShare
from evenhand.measurement.simulation.scenarios import Scenario
from evenhand.measurement.simulation.settings import SimulatedInterval, SimulationSettings
from evenhand.sampling import Within
from evenhand.sampling.sizes import two_sided

METHOD = "monte_carlo"


@dataclass(frozen=True)
class SimulatedEstimates:
    """The estimates, the labels that one of them took on average, and the truth."""

    values: Floats
    spent: float
    truth: float

    def needed(self, error: float, *, items: int | None = None) -> float:
        """Labels with which the estimate would have this standard error."""
        return scaled_labels(self.spent, float(self.values.var()) / error**2, items)

    def labels(self, error: float, *, level: float, items: int | None = None, least: float = 0.0) -> Estimate:
        """The same with the Monte-Carlo error; no fewer than `least`, which are spent in any case."""
        ratio = float(self.values.var()) / error**2
        factor = math.exp(two_sided(level) * self._unsure())
        ends = (scaled_labels(self.spent, part, items) for part in (ratio, ratio / factor, ratio * factor))
        value, low, high = (max(least, end) for end in ends)
        return Estimate(value, low, high, level, METHOD, len(self.values))

    def _unsure(self) -> float:
        """The relative standard error of the variance, from the fourth moment."""
        away = (self.values - self.values.mean()) ** 2
        return float(away.std() / away.mean() / math.sqrt(len(away))) if away.any() else 0.0

    @property
    def relative_bias(self) -> float:
        """How far the mean is off, as a share of the truth."""
        return float(self.values.mean()) / self.truth - 1.0

    @property
    def bias_in_errors(self) -> float:
        """The same in Monte-Carlo errors: beyond 2 it may be more than chance, the further the more."""
        off, spread = float(self.values.mean()) - self.truth, float(self.values.std())
        return off / spread * math.sqrt(len(self.values)) if spread > 0.0 else 0.0

    def bias(self, *, level: float) -> Estimate:
        """The relative bias with its Monte-Carlo interval."""
        reach = two_sided(level) * float(np.std(self.values)) / math.sqrt(len(self.values)) / self.truth
        value = self.relative_bias
        return Estimate(value, value - reach, value + reach, level, METHOD, len(self.values))


def scaled_labels(n: float, ratio: float, items: int | None = None) -> float:
    """Labels that bring a variance down by this ratio: in proportion, unless the items run out on the way."""
    if items is None or ratio == 0.0:
        return n * ratio
    return 1.0 / (1.0 / items + max(1.0 / n - 1.0 / items, 0.0) / ratio)


INTERVALS: dict[SimulatedInterval, Callable[[SurveyShare, float], tuple[float, float]]] = {
    SimulatedInterval.WILSON: survey.score_interval,
    SimulatedInterval.LOGIT: survey.logit_interval,
    SimulatedInterval.LOG: survey.log_interval,
    SimulatedInterval.NORMAL: survey.normal_interval,
}


def covers_truth(way: SimulatedInterval, figure: SurveyShare, truth: float, level: float) -> bool:
    """Whether the interval holds the truth; one that has no value does not."""
    if way == SimulatedInterval.OURS:
        estimate = figure.estimate(level)
        return estimate.low is not None and estimate.high is not None and estimate.low <= truth <= estimate.high
    if not 0.0 < figure.value < 1.0:
        return False
    low, high = INTERVALS[way](figure, level)
    return bool(low <= truth <= high)


def interval_coverage(
    figures: Sequence[SurveyShare], truth: float, *, level: float
) -> dict[SimulatedInterval, Estimate]:
    """The share of samples whose interval holds the truth, for every kind of interval."""
    coverage: dict[SimulatedInterval, Estimate] = {}
    for way in SimulatedInterval:
        covered = sum(covers_truth(way, figure, truth, level) for figure in figures)
        share = WilsonInterval(covered / len(figures), 1.0 / len(figures))
        coverage[way] = Estimate(share.value, *share.interval(level), level, "wilson", len(figures))
    return coverage


@dataclass(frozen=True)
class Experiment:
    """A scenario with the standard error of a target."""

    scenario: Scenario
    target: Within
    settings: SimulationSettings

    @cached_property
    def error(self) -> float:
        """The standard error that is just small enough."""
        return self.target.error(self.scenario.here.prevalence)

    @property
    def slice(self) -> Slice:
        """What the numbers are about, but for the design."""
        return {**self.scenario.slice, SliceKey.WITHIN: f"{self.target.share:g}"}

    @property
    def items(self) -> int:
        """How many there are."""
        return len(self.scenario.here)

    def rng(self, design: Slice, *more: str) -> np.random.Generator:
        """Randomness of its own for each design, so that a number does not depend on what else is simulated."""
        named = "|".join((*self.slice.values(), *design.values(), *more))
        return np.random.default_rng([self.settings.seed, zlib.crc32(named.encode())])

    def exact(self, measure: str, design: Slice, value: float) -> Measured:
        """A number without a Monte-Carlo error."""
        return Measured(
            measure, {**self.slice, **design}, Estimate.exact(value, level=self.settings.level, n=self.items)
        )

    def needed(self, design: Slice, estimates: SimulatedEstimates, *, least: float = 0.0) -> Measured:
        """Labels needed, without an end of items."""
        estimate = estimates.labels(self.error, level=self.settings.level, least=least)
        return Measured(LABELS_NEEDED, {**self.slice, **design}, estimate)

    def needed_finite(self, design: Slice, estimates: SimulatedEstimates, *, least: float = 0.0) -> Measured:
        """Labels needed of the items that there are."""
        estimate = estimates.labels(self.error, level=self.settings.level, items=self.items, least=least)
        return Measured(LABELS_NEEDED_FINITE, {**self.slice, **design}, estimate)

    def bias(self, design: Slice, estimates: SimulatedEstimates) -> Iterator[Measured]:
        """How far off the mean is, as a share and in Monte-Carlo errors."""
        slice_, n = {**self.slice, **design}, len(estimates.values)
        yield Measured(RELATIVE_BIAS, slice_, estimates.bias(level=self.settings.level))
        errors = Estimate.exact(estimates.bias_in_errors, level=self.settings.level, n=n)
        yield Measured(BIAS_IN_ERRORS, slice_, errors)

    def covered(self, design: Slice, figures: Sequence[SurveyShare]) -> Iterator[Measured]:
        """How many labels and violations a sample holds, and how often each interval holds the truth."""
        level, slice_ = self.settings.level, {**self.slice, **design}
        for measure, part in ((LABELS_SPENT, "n"), (VIOLATIONS_FOUND, "hits")):
            mean = float(np.mean([getattr(figure, part) for figure in figures]))
            yield Measured(measure, slice_, Estimate.exact(mean, level=level, n=len(figures)))
        for way, estimate in interval_coverage(figures, self.scenario.here.prevalence, level=level).items():
            yield Measured(INTERVAL_COVERAGE, {**slice_, SliceKey.INTERVAL: way}, estimate)
