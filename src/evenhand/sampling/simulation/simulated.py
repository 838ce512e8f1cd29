"""What many samples of one design came to: how many labels it needs, and whether it is right on average."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Floats
from evenhand.estimate import Estimate
from evenhand.sampling.targets import two_sided

METHOD = "monte_carlo"


@dataclass(frozen=True)
class Simulated:
    """The estimates, the labels that one of them took on average, and the truth."""

    values: Floats
    spent: float
    truth: float

    def needed(self, error: float, *, items: int | None = None) -> float:
        """Labels with which the estimate would have this standard error."""
        return scaled(self.spent, float(self.values.var()) / error**2, items)

    def labels(self, error: float, *, level: float, items: int | None = None, least: float = 0.0) -> Estimate:
        """The same with the Monte-Carlo error; no fewer than `least`, which are spent in any case."""
        ratio = float(self.values.var()) / error**2
        factor = math.exp(two_sided(level) * self._unsure())
        ends = (scaled(self.spent, part, items) for part in (ratio, ratio / factor, ratio * factor))
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


def scaled(n: float, ratio: float, items: int | None = None) -> float:
    """Labels that bring a variance down by this ratio: in proportion, unless the items run out on the way."""
    if items is None or ratio == 0.0:
        return n * ratio
    return 1.0 / (1.0 / items + max(1.0 / n - 1.0 / items, 0.0) / ratio)
