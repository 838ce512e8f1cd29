"""Has the share of violations moved since items were labelled? From the scores of fresh items that nobody labelled.

If only the share moved, the scores of fresh items are a mixture of those of labelled violating and labelled benign
items. The mean score says in which proportion, and how sure that is. Where no mixture fits the fresh scores, more than
the share has changed, and what was shown on the labelled items does not carry over.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, chdtrc, ndtri

from evenhand import arrays
from evenhand.arrays import Bools, Floats
from evenhand.errors import InputError
from evenhand.formatting import format_share

SHARES = 4_001  # of violations, that are looked at, closer together where they are small
BINS = 5  # of the scores, to see whether a mixture fits
FEWEST_OF_A_CLASS = 10  # labelled items
MISFIT = 0.01  # the significance level at which no mixture fits


@dataclass(frozen=True)
class LabelShift:
    """Labelled items of both classes, and fresh scores."""

    p: Floats
    y: Bools
    fresh: Floats

    @classmethod
    def between(cls, p: Floats, y: Bools, fresh: npt.ArrayLike) -> LabelShift:
        """Checked."""
        scores = arrays.probabilities(fresh, "fresh")
        if min(int(y.sum()), int((~y).sum())) < FEWEST_OF_A_CLASS or len(scores) < FEWEST_OF_A_CLASS:
            raise InputError(
                f"`fresh` needs {FEWEST_OF_A_CLASS} labelled items of each class or more, and as many fresh items"
            )
        return cls(p, y, scores)

    @cached_property
    def share(self) -> float:
        """The share of violations among fresh items that fits their mean score best."""
        apart = float(self.p[self.y].mean() - self.p[~self.y].mean())
        if not apart:
            return float(self.y.mean())
        return min(max(float(self.fresh.mean() - self.p[~self.y].mean()) / apart, 0.0), 1.0)

    def interval(self, level: float) -> tuple[float, float]:
        """All shares that the mean score does not rule out."""
        shares = np.linspace(0.0, 1.0, SHARES) ** 2
        fits = np.abs(self._distance(shares)) <= float(ndtri(0.5 + level / 2.0))
        fits[np.abs(shares - self.share).argmin()] = True
        return float(shares[fits].min()), float(shares[fits].max())

    def most_odds_lost(self, delta: float) -> float:
        """By how much the odds of a violation have fallen at most; with probability delta by more."""
        low, _ = self.interval(1.0 - delta)  # one side: half of delta
        violating = int(self.y.sum())
        then = float(betaincinv(violating + 1.0, len(self.y) - violating, 1.0 - delta / 2.0))
        return float("inf") if low <= 0.0 else then / (1.0 - then) * (1.0 - low) / low

    @cached_property
    def p_value(self) -> float:
        """Of a mixture: small where fresh scores differ in more than the share of violations."""
        edges = np.unique(np.quantile(np.concatenate((self.p, self.fresh)), np.linspace(0.0, 1.0, BINS + 1)[1:-1]))
        bins = len(edges) + 1
        if bins < 3:
            return 1.0
        parts = (self.fresh, self.p[self.y], self.p[~self.y])
        counts = [np.bincount(np.searchsorted(edges, part, side="right"), minlength=bins) for part in parts]
        times = (1.0, -self.share, self.share - 1.0)
        apart, covariance = np.zeros(bins), np.zeros((bins, bins))
        for count, factor in zip(counts, times, strict=True):
            size = float(count.sum())
            chance = (count + 0.5) / (size + 0.5 * bins)
            apart += factor * count / size
            covariance += factor**2 * (np.diag(chance) - np.outer(chance, chance)) / size
        distance = float(apart[1:] @ np.linalg.solve(covariance[1:, 1:], apart[1:]))
        return float(chdtrc(bins - 2, max(distance, 0.0)))

    @property
    def fits(self) -> bool:
        """Whether another share of violations can explain the fresh scores."""
        return self.p_value >= MISFIT

    @property
    def misfit(self) -> str:
        """What is said where it cannot."""
        return (
            "the scores of fresh items differ from those of the labelled ones by more than another share of violations "
            f"would explain (p = {self.p_value:.2g}), so nothing is decided without review; label a random sample of "
            "fresh items"
        )

    def describe(self, allowed: float, limit: float, level: float) -> str:
        """What the shift makes of a limit on wrong removals."""
        low, high = self.interval(level)
        then = float(self.y.mean())
        return (
            f"by the scores of {len(self.fresh):,} fresh items, {format_share(self.share)} of them are violating "
            f"({format_share(low)} to {format_share(high)}), and {format_share(then)} of the labelled ones: to keep "
            f"wrong removals at or below {format_share(allowed)}, at most {format_share(limit)} may be wrong among the "
            "labelled ones"
        )

    def _distance(self, shares: Floats) -> Floats:
        """Standard errors between the mean fresh score and that of each mixture."""
        own, benign = self.p[self.y], self.p[~self.y]
        expected = shares * own.mean() + (1.0 - shares) * benign.mean()
        errors = [float(part.var(ddof=1)) / len(part) for part in (self.fresh, own, benign)]
        variance = errors[0] + shares**2 * errors[1] + (1.0 - shares) ** 2 * errors[2]
        return np.asarray((self.fresh.mean() - expected) / np.sqrt(np.maximum(variance, 1e-300)))


def shifted_limit(limit: float, odds_lost: float) -> float:
    """The share of wrong removals among labelled items that is this limit where violations have become rarer."""
    return 0.0 if np.isinf(odds_lost) else limit / (limit + odds_lost * (1.0 - limit))
