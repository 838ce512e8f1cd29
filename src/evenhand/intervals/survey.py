"""How sure an estimate from a designed sample is: stratified, Horvitz–Thompson and Hájek, from one or more batches.

An estimate is what is known for certain plus a weighted sum of stratum means, each with its own sampling variance. A
stratum's variance is the unbiased one, with n − 1, and vanishes where all of a stratum was labelled. Where a model of
the labels is at hand, the variance is the quadratic mean of the sample's and the model's: violations that nobody
happened to draw leave no trace in the first. The interval has Wilson's form with the effective number of labels and
Student's quantile. With few violations in the sample it takes the larger variance and is the exact one of Clopper and
Pearson on effective counts (Korn and Graubard's), which is too wide rather than too narrow. docs/sampling.md shows the
coverage.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from evenhand import arrays
from evenhand.arrays import Bools, Floats
from evenhand.errors import InputError, Undefined
from evenhand.estimate import Estimate
from evenhand.intervals.bounded import Bounded, quantile

FEW = 30.0  # violations in the sample, below which the interval is the cautious one and marked
ROUNDING = 1e-12
SCORE, CAUTIOUS, SMALL = "survey_wilson", "korn_graubard", "small"


@dataclass(frozen=True, slots=True)
class Figure:
    """A share of a population, estimated from n labels, of which `hits` are violations.

    `heaviest` is the largest part of the population that a single label stands for; `wary` is a variance for cautious
    statements, no smaller than the variance, and `wary_freedom` are its degrees of freedom.
    """

    value: float
    variance: float
    freedom: float
    n: int
    hits: float
    heaviest: float
    wary: float = 0.0
    wary_freedom: float = math.inf

    @property
    def error(self) -> float:
        """The standard error."""
        return math.sqrt(self.variance)

    def estimate(self, level: float = 0.95) -> Estimate:
        """With the default interval; marked where few violations were seen."""
        arrays.share(level, "the level")
        value = _share(self.value)
        if self.variance == 0.0 and self.heaviest == 0.0:
            return Estimate.exact(value, level=level, n=self.n)
        if self.variance > 0.0 and min(self.hits, self.n - self.hits) >= FEW:
            low, high = score(self, level)
            return Estimate(value, min(low, value), max(high, value), level, SCORE, self.n)
        low, high = cautious(self, level)
        return Estimate(value, min(low, value), max(high, value), level, CAUTIOUS, self.n).flagged(SMALL)


@dataclass(frozen=True)
class Sampled:
    """Strata of a sample: the part of the estimate that each one's mean makes up, its labels, their mean and variance.

    `expected` is the variance of one label by a model, where there is one.
    """

    shares: Floats
    counts: Floats
    means: Floats
    variances: Floats  # of one value
    fractions: Floats  # of the stratum that was labelled
    hits: float
    known: float = 0.0
    expected: Floats | None = None

    @classmethod
    def of(cls, values: npt.ArrayLike, strata: npt.ArrayLike, sizes: npt.ArrayLike) -> Sampled:
        """From a value per label, the stratum of each and the items in every stratum."""
        items = arrays.numbers(sizes, "sizes")
        value = arrays.numbers(values, "values")
        codes = arrays.wholes(strata, "strata", size=len(value))
        arrays.refuse(codes >= len(items), "there is no such stratum", "strata")
        counts = np.bincount(codes, minlength=len(items)).astype(np.float64)
        if (counts == 0.0).any():
            raise InputError(f"stratum {int(np.argmax(counts == 0.0)) + 1} has no labels")
        arrays.refuse(counts > items, "a stratum has more labels than items", "sizes")
        if ((counts == 1.0) & (items > 1.0)).any():
            raise Undefined("a stratum has a single label, so its variance is not known")
        means = np.bincount(codes, value, minlength=len(items)) / counts
        squares = np.bincount(codes, (value - means[codes]) ** 2, minlength=len(items))
        variances = squares / np.maximum(counts - 1.0, 1.0)
        return cls(items / items.sum(), counts, means, variances, counts / items, float(np.sum(value > 0.0)))

    def scaled(self, part: float, *, known: float = 0.0) -> Sampled:
        """The same strata, making up only a part of an estimate, and what is known beside them."""
        return replace(self, shares=self.shares * part, known=part * self.known + known)

    def only(self, keep: Bools) -> Sampled:
        """Some of the strata."""
        model = None if self.expected is None else self.expected[keep]
        names = ("shares", "counts", "means", "variances", "fractions")
        return replace(self, expected=model, **{name: getattr(self, name)[keep] for name in names})

    def figure(self) -> Figure:
        """The estimate and its variance; degrees of freedom as Satterthwaite has them."""
        scale = self.shares**2 * (1.0 - self.fractions) / self.counts
        each = scale * self.variances
        own, squares = float(each.sum()), float(np.sum(each**2 / np.maximum(self.counts - 1.0, 1.0)))
        freedom = own**2 / squares if squares > 0.0 else math.inf
        model = own if self.expected is None else float(scale @ self.expected)
        variance = math.sqrt(0.5 * (own**2 + model**2))
        gain = 1.0 if self.expected is None or own == 0.0 else 4.0 * (variance / own) ** 4  # the model's half is sure
        heaviest = float(np.max(np.abs(self.shares) * (1.0 - self.fractions) / self.counts))
        value, n = self.known + float(self.shares @ self.means), int(self.counts.sum())
        return Figure(value, variance, gain * freedom, n, self.hits, heaviest, max(own, model), freedom)


def together(parts: Sequence[Sampled]) -> Sampled:
    """Batches that make up one estimate; each is already scaled to its part."""
    if not parts:
        raise InputError("there is no batch to estimate from")
    models = [part.expected for part in parts if part.expected is not None]
    return Sampled(
        shares=np.concatenate([part.shares for part in parts]),
        counts=np.concatenate([part.counts for part in parts]),
        means=np.concatenate([part.means for part in parts]),
        variances=np.concatenate([part.variances for part in parts]),
        fractions=np.concatenate([part.fractions for part in parts]),
        hits=sum(part.hits for part in parts),
        known=sum(part.known for part in parts),
        expected=np.concatenate(models) if len(models) == len(parts) else None,
    )


def horvitz_thompson(label: npt.ArrayLike, inclusion: npt.ArrayLike, items: int) -> Figure:
    """Labels over their inclusion probabilities, each item drawn independently of the others."""
    violating, chance = _drawn(label, inclusion)
    value = float(np.sum(violating / chance)) / arrays.whole(items, "the items")
    variance = float(np.sum(violating**2 * (1.0 - chance) / chance**2)) / items**2
    return Figure(value, variance, math.inf, len(chance), float(violating.sum()), _heaviest(chance) / items)


def hajek(label: npt.ArrayLike, inclusion: npt.ArrayLike) -> Figure:
    """The weighted share: the number of items is estimated too, which steadies the ratio."""
    violating, chance = _drawn(label, inclusion)
    total = float(np.sum(1.0 / chance))
    value = float(np.sum(violating / chance)) / total
    variance = float(np.sum((violating - value) ** 2 * (1.0 - chance) / chance**2)) / total**2
    return Figure(value, variance, math.inf, len(chance), float(violating.sum()), _heaviest(chance) / total)


def score(figure: Figure, level: float) -> tuple[float, float]:
    """Wilson's interval on the effective number of labels."""
    value = min(max(figure.value, 0.0), 1.0)
    return Bounded.of(value, figure.variance, freedom=figure.freedom).interval(level)


def log_odds(figure: Figure, level: float) -> tuple[float, float]:
    """Symmetric on the logit scale."""
    centre = math.log(figure.value / (1.0 - figure.value))
    reach = quantile(level, figure.freedom) * figure.error / (figure.value * (1.0 - figure.value))
    low, high = (1.0 / (1.0 + math.exp(-(centre + side * reach))) for side in (-1.0, 1.0))
    return low, high


def logarithmic(figure: Figure, level: float) -> tuple[float, float]:
    """Symmetric on the logarithmic scale."""
    reach = math.exp(quantile(level, figure.freedom) * figure.error / figure.value)
    return figure.value / reach, min(1.0, figure.value * reach)


def plain(figure: Figure, level: float) -> tuple[float, float]:
    """The normal interval, as papers have it."""
    reach = quantile(level) * figure.error
    return figure.value - reach, figure.value + reach


def cautious(figure: Figure, level: float) -> tuple[float, float]:
    """Clopper and Pearson's on effective counts, from the wary variance."""
    value, tail = _share(figure.value), (1.0 - level) / 2.0
    labels = _effective(figure, value, level)
    hits = value * labels
    low = float(betaincinv(hits, labels - hits + 1.0, tail)) if hits > 0.0 else 0.0
    high = float(betaincinv(hits + 1.0, labels - hits, 1.0 - tail)) if hits < labels else 1.0
    return low, high


def _share(value: float) -> float:
    """From 0 to 1; a sum of shares that is 1 but for rounding is 1, since nothing but violations was seen."""
    return 0.0 if value < ROUNDING else 1.0 if value > 1.0 - ROUNDING else value


def _effective(figure: Figure, value: float, level: float) -> float:
    """Labels drawn at random that would tell as much; where nothing was seen, as many as the heaviest label allows."""
    variance = max(figure.variance, figure.wary)
    if not 0.0 < value < 1.0 or variance == 0.0:
        return 1.0 / figure.heaviest if figure.heaviest > 0.0 else float(figure.n)
    freedom = figure.wary_freedom if figure.wary > 0.0 else figure.freedom
    shrink = (quantile(level, freedom) / quantile(level)) ** 2
    return max(1.0, value * (1.0 - value) / (shrink * variance))


def _drawn(label: npt.ArrayLike, inclusion: npt.ArrayLike) -> tuple[Floats, Floats]:
    chance = arrays.numbers(inclusion, "inclusion")
    if not len(chance):
        raise Undefined("nothing was labelled")
    arrays.refuse((chance <= 0.0) | (chance > 1.0), "an inclusion probability lies above 0 and up to 1", "inclusion")
    return arrays.probabilities(label, "label", size=len(chance)), chance  # a share, where annotators differ


def _heaviest(chance: Floats) -> float:
    return float(np.max((1.0 - chance) / chance))
