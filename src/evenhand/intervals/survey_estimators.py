"""Estimators of a share from labels: stratified, clustered, Horvitz–Thompson, Hájek, difference.

A stratified estimate is what is known for certain plus a weighted sum of stratum means, each with its own sampling
variance: the unbiased one, with n − 1, which vanishes where all of a stratum was labelled. Where a model of the labels
is at hand, the variance is the quadratic mean of the sample's and the model's: violations that nobody happened to draw
leave no trace in the first.

Items drawn by thread or author count as one draw per cluster, however many they are. The share is a ratio, violations
over items, and its variance comes from how far each cluster's violations are from what its size would make one expect.

The difference estimate, also called prediction-powered, is what a model expects everywhere plus what labels say beyond.
The Bayesian and the bootstrap interval of a stratified share are the alternatives beside which the default was chosen.
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
from evenhand.intervals.survey import SurveyShare


@dataclass(frozen=True)
class StratifiedSample:
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
    def from_values(cls, values: npt.ArrayLike, strata: npt.ArrayLike, sizes: npt.ArrayLike) -> StratifiedSample:
        """From a value per label, the stratum of each and the items in every stratum."""
        items = arrays.numbers(sizes, "sizes")
        value = arrays.numbers(values, "values")
        codes = arrays.wholes(strata, "strata", size=len(value))
        arrays.refuse(codes >= len(items), "no such stratum", "strata")
        counts = np.bincount(codes, minlength=len(items)).astype(np.float64)
        if (counts == 0.0).any():
            raise InputError(f"stratum {int(np.argmax(counts == 0.0)) + 1} has no labels")
        arrays.refuse(counts > items, "a stratum has more labels than items", "sizes")
        if ((counts == 1.0) & (items > 1.0)).any():
            raise Undefined("a stratum has a single label, so its variance is unknown")
        means = np.bincount(codes, value, minlength=len(items)) / counts
        squares = np.bincount(codes, (value - means[codes]) ** 2, minlength=len(items))
        variances = squares / np.maximum(counts - 1.0, 1.0)
        return cls(items / items.sum(), counts, means, variances, counts / items, float(np.sum(value > 0.0)))

    def scaled(self, part: float, *, known: float = 0.0) -> StratifiedSample:
        """The same strata, making up only a part of an estimate, and what is known beside them."""
        return replace(self, shares=self.shares * part, known=part * self.known + known)

    def only(self, keep: Bools) -> StratifiedSample:
        """Some of the strata."""
        model = None if self.expected is None else self.expected[keep]
        names = ("shares", "counts", "means", "variances", "fractions")
        return replace(self, expected=model, **{name: getattr(self, name)[keep] for name in names})

    def figure(self) -> SurveyShare:
        """The estimate and its variance; degrees of freedom as Satterthwaite has them."""
        scale = self.shares**2 * (1.0 - self.fractions) / self.counts
        own, freedom = _summed_variance(scale * self.variances, np.maximum(self.counts - 1.0, 1.0))
        model = own if self.expected is None else float(scale @ self.expected)
        variance = math.sqrt(0.5 * (own**2 + model**2))
        gain = 1.0 if self.expected is None or own == 0.0 else 4.0 * (variance / own) ** 4  # the model's half is sure
        steady, steady_freedom = _summed_variance(*self._steadied(scale))
        weights = np.abs(self.shares) * (1.0 - self.fractions) / self.counts
        heaviest, mean_weight = float(np.max(weights)), _weighted_mean(weights, np.abs(self.shares))
        value, n = self.known + float(self.shares @ self.means), int(self.counts.sum())
        cautious = max(own, model, steady)
        return SurveyShare(
            value, variance, gain * freedom, n, self.hits, heaviest, cautious, steady_freedom, mean_weight=mean_weight
        )

    def _steadied(self, scale: Floats) -> tuple[Floats, Floats]:
        """The variance of each stratum's part, as if a few more labels had varied as expected; degrees of freedom.

        Two equal labels are no certainty, and a single odd one among many strata is no proof of a wide spread. Where no
        model says what to expect it is the mean of all strata, of which a stratum learns nothing from itself.
        """
        mean, apart = self._mean_variance(scale)
        expected = np.full(len(scale), mean) if self.expected is None else self.expected
        added = EXPECTED_LABELS * (apart if self.expected is None else np.ones(len(scale)))
        freedom = np.maximum(self.counts - 1.0, 0.0) + added
        blended = (np.maximum(self.counts - 1.0, 0.0) * self.variances + added * expected) / np.maximum(freedom, 1e-9)
        return scale * blended, np.maximum(freedom, 1.0)

    def _mean_variance(self, scale: Floats) -> tuple[float, Floats]:
        """Of one label over all strata, by what they weigh; and the part of the weight that others have."""
        total = float(scale.sum())
        if total == 0.0:
            return 0.0, np.zeros(len(scale))
        return float(scale @ self.variances) / total, 1.0 - scale / total


EXPECTED_LABELS = 2.0  # labels that what is expected of a stratum counts for


def _summed_variance(each: Floats, freedom: Floats) -> tuple[float, float]:
    """The sum of the strata's variances, and its degrees of freedom."""
    total, squares = float(each.sum()), float(np.sum(each**2 / freedom))
    return total, total**2 / squares if squares > 0.0 else math.inf


def _weighted_mean(values: Floats, weights: Floats) -> float:
    total = float(weights.sum())
    return float(values @ weights) / total if total > 0.0 else 0.0


def combine_batches(parts: Sequence[StratifiedSample]) -> StratifiedSample:
    """Batches that make up one estimate; each is already scaled to its part."""
    if not parts:
        raise InputError("no batch to estimate from")
    models = [part.expected for part in parts if part.expected is not None]
    return StratifiedSample(
        shares=np.concatenate([part.shares for part in parts]),
        counts=np.concatenate([part.counts for part in parts]),
        means=np.concatenate([part.means for part in parts]),
        variances=np.concatenate([part.variances for part in parts]),
        fractions=np.concatenate([part.fractions for part in parts]),
        hits=sum(part.hits for part in parts),
        known=sum(part.known for part in parts),
        expected=np.concatenate(models) if len(models) == len(parts) else None,
    )


def horvitz_thompson(label: npt.ArrayLike, inclusion: npt.ArrayLike, items: int) -> SurveyShare:
    """Labels over their inclusion probabilities, each item drawn independently of the others."""
    violating, chance = _drawn(label, inclusion)
    value = float(np.sum(violating / chance)) / arrays.whole(items, "the items")
    variance = float(np.sum(violating**2 * (1.0 - chance) / chance**2)) / items**2
    return SurveyShare(value, variance, math.inf, len(chance), float(violating.sum()), _heaviest(chance) / items)


def hajek(label: npt.ArrayLike, inclusion: npt.ArrayLike) -> SurveyShare:
    """The weighted share: the number of items is estimated too, which steadies the ratio."""
    violating, chance = _drawn(label, inclusion)
    total = float(np.sum(1.0 / chance))
    value = float(np.sum(violating / chance)) / total
    variance = float(np.sum((violating - value) ** 2 * (1.0 - chance) / chance**2)) / total**2
    return SurveyShare(value, variance, math.inf, len(chance), float(violating.sum()), _heaviest(chance) / total)


def _drawn(label: npt.ArrayLike, inclusion: npt.ArrayLike) -> tuple[Floats, Floats]:
    chance = arrays.numbers(inclusion, "inclusion")
    if not len(chance):
        raise Undefined("no item was labelled")
    arrays.refuse((chance <= 0.0) | (chance > 1.0), "an inclusion probability lies above 0 and up to 1", "inclusion")
    return arrays.probabilities(label, "label", size=len(chance)), chance  # a share, where annotators differ


def _heaviest(chance: Floats) -> float:
    return float(np.max((1.0 - chance) / chance))


def clustered_share(
    label: npt.ArrayLike,
    cluster: npt.ArrayLike,
    *,
    clusters: int | None = None,
    strata: npt.ArrayLike | None = None,
    sizes: npt.ArrayLike | None = None,
) -> SurveyShare:
    """From a label and a cluster number per item. `clusters` is how many there are in all, for a finite population.

    With `strata` (one per item; clusters do not cross them) `sizes` are the clusters in each.
    """
    violating = arrays.probabilities(label, "label")  # a share, where annotators differ
    _, code, first = _numbered_clusters(cluster, len(violating))
    hits, items = np.bincount(code, violating), np.bincount(code).astype(np.float64)
    stratum = np.zeros(len(items), dtype=np.int64)
    if strata is not None:
        stratum = arrays.wholes(strata, "strata", size=len(violating))[first]
    counts = np.bincount(stratum).astype(np.float64)
    totals = _cluster_totals(counts, clusters, sizes)
    if (counts[counts > 0] < 2.0).any():
        raise Undefined("a single cluster was drawn, so the variance between clusters is unknown")
    weight = totals / np.maximum(counts, 1.0)
    whole = float(weight[stratum] @ items)
    value = float(weight[stratum] @ hits) / whole
    rest = hits - value * items
    centred = rest - (np.bincount(stratum, rest) / np.maximum(counts, 1.0))[stratum]
    each = np.bincount(stratum, centred**2) / np.maximum(counts - 1.0, 1.0)
    variance = float(np.sum(totals * (totals - counts) / np.maximum(counts, 1.0) * each)) / whole**2
    heaviest = float(np.max((weight[stratum] - 1.0) * items)) / whole
    return SurveyShare(value, variance, float(counts.sum() - len(counts)), len(violating), float(hits.sum()), heaviest)


def design_effect(figure: SurveyShare) -> float:
    """How many times the variance of as many items drawn one by one."""
    alone = figure.value * (1.0 - figure.value) / figure.n
    if alone == 0.0:
        raise Undefined("all labels are the same, so there is no variance to compare")
    return figure.variance / alone


def _numbered_clusters(
    cluster: npt.ArrayLike, size: int
) -> tuple[object, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    names = np.asarray(cluster)
    if len(names) != size:
        raise InputError(f"there are {len(names)} clusters for {size} items", column="cluster")
    if not size:
        raise Undefined("no item was labelled")
    distinct, first, code = np.unique(names, return_index=True, return_inverse=True)
    return distinct, code.astype(np.int64), first.astype(np.int64)


def _cluster_totals(counts: arrays.Floats, clusters: int | None, sizes: npt.ArrayLike | None) -> arrays.Floats:
    """Clusters there are in each stratum; without a number there is no end to them."""
    if sizes is not None:
        totals = arrays.numbers(sizes, "sizes", size=len(counts))
        arrays.refuse(totals < counts, "there are fewer clusters than were drawn", "sizes")
        return totals
    if clusters is not None:
        return np.array([float(arrays.whole(clusters, "the clusters", least=int(counts.sum())))])
    return counts * 1e9


def difference_estimate(
    label: npt.ArrayLike, expected: npt.ArrayLike, mean: float, *, strata: npt.ArrayLike, sizes: npt.ArrayLike
) -> StratifiedSample:
    """From labels and what was expected of the same items; `mean` is what is expected of all items of all strata.

    The expectation must not have seen these labels.
    """
    violating = arrays.labels(label)
    rest = violating - arrays.numbers(expected, "expected", size=len(violating))
    return replace(StratifiedSample.from_values(rest, strata, sizes), known=float(mean), hits=float(violating.sum()))


JEFFREYS_PRIOR = 0.5  # Jeffreys': half a violating and half another item in every stratum


def bayesian_interval(sampled: StratifiedSample, level: float) -> tuple[float, float]:
    """Independent posteriors of the stratum shares; their weighted sum is taken for a beta of its mean and variance."""
    counts = sampled.counts + 2.0 * JEFFREYS_PRIOR
    means = (sampled.means * sampled.counts + JEFFREYS_PRIOR) / counts
    spread = sampled.shares**2 * (1.0 - sampled.fractions) * means * (1.0 - means) / (counts + 1.0)
    value, variance = sampled.known + float(sampled.shares @ means), float(spread.sum())
    size = value * (1.0 - value) / variance - 1.0
    tail = 0.5 * (1.0 - level)
    low, high = betaincinv(value * size, (1.0 - value) * size, [tail, 1.0 - tail])
    return float(low), float(high)


def stratified_bootstrap_interval(
    sampled: StratifiedSample, level: float, rng: np.random.Generator, *, replicates: int = 200
) -> tuple[float, float]:
    """Percentiles of n − 1 labels redrawn from the n of each stratum, which makes the variance the unbiased one."""
    fewer = np.maximum(sampled.counts - 1.0, 1.0)
    means = rng.binomial(fewer.astype(np.int64), sampled.means, (replicates, len(fewer))) / fewer
    still = sampled.fractions >= 1.0
    means[:, still] = sampled.means[still]
    low, high = np.quantile(means @ sampled.shares + sampled.known, [0.5 * (1.0 - level), 0.5 * (1.0 + level)])
    return float(low), float(high)
