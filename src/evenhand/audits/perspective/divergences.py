"""Divergences between groups of annotators, tested against groups shuffled over annotators.

Of each group: its mean delta and its signs. Of clusters (annotators whom the model fits alike, by k-means of their
fingerprints): who is in them. Each has a value, its mean under shuffling, and a p-value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from scipy.special import rel_entr

from evenhand.arrays import Floats, Ints
from evenhand.audits.perspective.assignment import expected_deltas, expected_signs
from evenhand.audits.perspective.groups import AnnotatorGroups
from evenhand.audits.perspective.settings import PerspectiveSettings
from evenhand.errors import Undefined
from evenhand.estimate import Estimate
from evenhand.finding import Slice, SliceKey
from evenhand.intervals import permutation
from evenhand.intervals.permutation import PermutationTest, permutation_test, sums_of_groups
from evenhand.measures.perspective import ConformityDeltas, Fingerprints, delta_fingerprints
from evenhand.measures.perspective.conformity import SIGN_KINDS
from evenhand.measures.perspective.divergence import HALF_COUNT, demographic_divergences, divergences

RESTARTS = 10
INERTIA_ANNOTATORS = 5_000  # annotators, for the inertia
INERTIA_BINS = (10, 20, 30, 40, 50, 60, 80, 100)


@dataclass(frozen=True)
class AnnotatorClusters:
    """The cluster of each annotator who has a fingerprint."""

    prints: Fingerprints
    cluster: Ints
    number: int

    @classmethod
    def from_deltas(
        cls, deltas: ConformityDeltas, annotator_groups: AnnotatorGroups, labels: Ints, settings: PerspectiveSettings
    ) -> AnnotatorClusters:
        """As many clusters as groups, unless told otherwise."""
        prints = delta_fingerprints(deltas, fewest=settings.fewest_labels, labels=labels)
        number = settings.clusters or max(2, len(annotator_groups.names))
        if len(prints.annotator) < 2 * number:
            why = f"only {len(prints.annotator)} annotators have {settings.fewest_labels} labels or more"
            raise Undefined(f"{why}: too few for {number} clusters")
        return cls(prints, _k_means(prints, number, settings.seed, RESTARTS)[0], number)


def inertia_by_bins(
    deltas: ConformityDeltas, labels: Ints, number: int, settings: PerspectiveSettings
) -> dict[int, float]:
    """How far annotators are from the middle of their cluster, by the number of bins of a fingerprint."""
    found: dict[int, float] = {}
    for bins in INERTIA_BINS:
        prints = delta_fingerprints(deltas, bins=bins, fewest=settings.fewest_labels, labels=labels)
        some = np.random.default_rng(settings.seed).permutation(len(prints.annotator))[:INERTIA_ANNOTATORS]
        part = Fingerprints(prints.annotator[some], prints.shares[some], prints.left_out)
        found[bins] = _k_means(part, number, settings.seed, 3)[1] / len(some)
    return found


def _k_means(prints: Fingerprints, number: int, seed: int, restarts: int) -> tuple[Ints, float]:
    from sklearn.cluster import KMeans  # type: ignore[import-untyped]

    distinct = len(np.unique(prints.shares, axis=0))
    means = KMeans(min(number, distinct), n_init=restarts, random_state=seed).fit(prints.shares)
    order = np.argsort(-np.bincount(means.labels_, minlength=number), kind="stable")  # the largest first
    place = np.empty(number, dtype=np.int64)
    place[order] = np.arange(number)
    return place[means.labels_], float(means.inertia_)


class PerspectiveReference(StrEnum):
    """What a divergence is held against."""

    SHUFFLED = "shuffled"  # the groups, over the annotators


SHUFFLED: Slice = {SliceKey.AS_IF: PerspectiveReference.SHUFFLED}


class PermutationResult(NamedTuple):
    """A value held against chance, and what chance gives."""

    estimate: Estimate
    shuffled: Estimate


@dataclass(frozen=True)
class ShuffledGroups:
    """A statistic of every group, or of all together, beside its values under shuffling; or `why` there are none."""

    test: PermutationTest | None
    why: str = ""
    within_items: PermutationTest | None = None  # the test that counts, where items were assigned by group

    def p_value(self, number: int) -> float | None:
        """How often shuffling gives as much or more."""
        test = self.within_items or self.test
        return None if test is None else float(test.p[number])

    def result(self, number: int, *, level: float, n: int) -> PermutationResult:
        """One of the values."""
        if self.test is None:
            nothing = Estimate.undefined(self.why, level=level, n=n)
            return PermutationResult(nothing, nothing)
        value, p, drawn = float(self.test.values[number]), self.p_value(number), self.test.drawn[:, number]
        assert p is not None
        estimate = Estimate.tested(value, p, level=level, method=permutation.PERMUTATION, n=n)
        return PermutationResult(estimate, _shuffled_mean(drawn, level=level, n=n))


def _shuffled_mean(drawn: Floats, *, level: float, n: int) -> Estimate:
    """What shuffling gives on average, and the range of most of it."""
    if not np.isfinite(drawn).all():
        return Estimate.undefined("some permutations have no value: use smoothing", level=level, n=n)
    mean = float(drawn.mean())
    low, high = np.quantile(drawn, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return Estimate(mean, min(float(low), mean), max(float(high), mean), level, permutation.PERMUTATION, n)


def permute_signs(
    deltas: ConformityDeltas,
    annotator_groups: AnnotatorGroups,
    settings: PerspectiveSettings,
    *,
    within_items: bool = False,
) -> ShuffledGroups:
    """The uncertainty divergence of every group; `within_items`, p is of its difference from everybody on its items."""
    signs, smoothing = deltas.signs_by_annotator.astype(np.float64), HALF_COUNT if settings.smoothing else 0.0

    def statistic(groups: Ints) -> Floats:
        return divergences(sums_of_groups(signs, groups, len(annotator_groups.names)), smoothing=smoothing)

    plain = _permuted(statistic, annotator_groups.group, annotator_groups.within, settings)
    if not within_items:
        return plain
    both = np.hstack((signs, expected_signs(deltas)))

    def beside_items(groups: Ints) -> Floats:
        return _divergence_from_expected(sums_of_groups(both, groups, len(annotator_groups.names))[:, :-1])

    return replace(
        plain, within_items=_permuted(beside_items, annotator_groups.group, annotator_groups.within, settings).test
    )


def _divergence_from_expected(counts: Floats) -> Floats:
    """Of the signs that everybody has on the items of a group, from those that the group has; along leading axes."""
    known, expected = counts[..., :SIGN_KINDS] + HALF_COUNT, counts[..., SIGN_KINDS:] + HALF_COUNT
    parts = expected / expected.sum(axis=-1, keepdims=True), known / known.sum(axis=-1, keepdims=True)
    return np.asarray(rel_entr(*parts).sum(axis=-1))


def permute_means(
    deltas: ConformityDeltas,
    annotator_groups: AnnotatorGroups,
    settings: PerspectiveSettings,
    *,
    within_items: bool = False,
) -> ShuffledGroups:
    """How far every group's mean delta is from everybody's, either way; `within_items`, from that on its items."""
    values = deltas.values - expected_deltas(deltas) if within_items else deltas.values
    sums = np.zeros((deltas.annotations.annotators, 2))
    sums[:, 0] = np.bincount(deltas.annotations.annotator, values, len(sums))
    sums[:, 1] = deltas.annotations.labels_given

    def statistic(groups: Ints) -> Floats:
        group_sums = sums_of_groups(sums, groups, len(annotator_groups.names))
        labels = group_sums[..., 1]
        means = np.divide(group_sums[..., 0], labels, out=np.zeros_like(labels), where=labels > 0.0)
        return np.asarray(np.abs(means[:, :-1] - means[:, -1:]))

    return _permuted(statistic, annotator_groups.group, annotator_groups.within, settings)


def permute_clusters(
    cluster: Ints, clusters: int, prints: Fingerprints, annotator_groups: AnnotatorGroups, settings: PerspectiveSettings
) -> ShuffledGroups:
    """The demographic divergence of clusters of annotators."""
    within = None if annotator_groups.within is None else annotator_groups.within[prints.annotator]
    members = (cluster[:, None] == np.arange(clusters)).astype(np.float64)

    def statistic(groups: Ints) -> Floats:
        return demographic_divergences(sums_of_groups(members, groups, len(annotator_groups.names))[:, :-1])

    return _permuted(statistic, annotator_groups.group[prints.annotator], within, settings)


def _permuted(
    statistic: Callable[[Ints], Floats],
    group: Ints,
    within: Ints | None,
    settings: PerspectiveSettings,
) -> ShuffledGroups:
    try:
        test = permutation_test(statistic, group, strata=within, permutations=settings.permutations, seed=settings.seed)
    except Undefined as why:
        return ShuffledGroups(None, str(why))
    return ShuffledGroups(test)
