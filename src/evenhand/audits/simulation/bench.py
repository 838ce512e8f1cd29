"""Where a design is tried: one population, one target; and how what came out is written down."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.audits.simulation.scenes import Scene
from evenhand.audits.simulation.settings import SimulationSettings
from evenhand.estimate import Estimate
from evenhand.finding import Measured, Slice
from evenhand.intervals.survey import Figure
from evenhand.sampling import Within
from evenhand.sampling.simulation import Simulated, coverage

NEEDED, FINITE = "labels_needed", "labels_needed_finite"
BIAS, BIAS_IN_ERRORS = "relative_bias", "bias_in_errors"
COVERAGE, SPENT, VIOLATIONS = "interval_coverage", "labels_spent", "violations_found"


@dataclass(frozen=True)
class Bench:
    """A scene with the standard error that is asked for."""

    scene: Scene
    target: Within
    settings: SimulationSettings

    @cached_property
    def error(self) -> float:
        """The standard error that is just small enough."""
        return self.target.error(self.scene.here.prevalence)

    @property
    def slice(self) -> Slice:
        """What the numbers are about, but for the design."""
        return {**self.scene.slice, "within": f"{self.target.share:g}"}

    @property
    def items(self) -> int:
        """How many there are."""
        return len(self.scene.here)

    def rng(self, design: Slice, *more: str) -> np.random.Generator:
        """Randomness of its own for each design, so that a number does not depend on what else is simulated."""
        named = "|".join((*self.slice.values(), *design.values(), *more))
        return np.random.default_rng([self.settings.seed, zlib.crc32(named.encode())])

    def exact(self, measure: str, design: Slice, value: float) -> Measured:
        """A number without a Monte-Carlo error."""
        return Measured(
            measure, {**self.slice, **design}, Estimate.exact(value, level=self.settings.level, n=self.items)
        )

    def needed(self, design: Slice, found: Simulated, *, least: float = 0.0) -> Measured:
        """Labels needed, without an end of items."""
        estimate = found.labels(self.error, level=self.settings.level, least=least)
        return Measured(NEEDED, {**self.slice, **design}, estimate)

    def needed_finite(self, design: Slice, found: Simulated, *, least: float = 0.0) -> Measured:
        """Labels needed of the items that there are."""
        estimate = found.labels(self.error, level=self.settings.level, items=self.items, least=least)
        return Measured(FINITE, {**self.slice, **design}, estimate)

    def bias(self, design: Slice, found: Simulated) -> Iterator[Measured]:
        """How far off the mean is, as a share and in Monte-Carlo errors."""
        slice_, n = {**self.slice, **design}, len(found.values)
        yield Measured(BIAS, slice_, found.bias(level=self.settings.level))
        errors = Estimate.exact(found.bias_in_errors, level=self.settings.level, n=n)
        yield Measured(BIAS_IN_ERRORS, slice_, errors)

    def covered(self, design: Slice, figures: Sequence[Figure]) -> Iterator[Measured]:
        """How many labels and violations a sample holds, and how often each interval holds the truth."""
        level, slice_ = self.settings.level, {**self.slice, **design}
        for measure, part in ((SPENT, "n"), (VIOLATIONS, "hits")):
            mean = float(np.mean([getattr(figure, part) for figure in figures]))
            yield Measured(measure, slice_, Estimate.exact(mean, level=level, n=len(figures)))
        for way, estimate in coverage(figures, self.scene.here.prevalence, level=level).items():
            yield Measured(COVERAGE, {**slice_, "interval": way}, estimate)
