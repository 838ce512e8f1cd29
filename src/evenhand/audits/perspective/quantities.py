"""What the perspective audit measures with intervals: agreement of annotators, prediction sets, fit against deltas.

Intervals come from redrawing annotators and items together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from scipy import sparse

from evenhand.arrays import Floats
from evenhand.audits.perspective.assignment import assigned_by_group
from evenhand.audits.perspective.groups import AnnotatorGroups
from evenhand.audits.perspective.settings import PerspectiveSettings
from evenhand.audits.settings import SMALLEST_GROUP, Settings
from evenhand.catalogue.perspective import (
    CONFORMITY_DELTA,
    F1_DELTA_CORRELATION,
    F1_DELTA_T,
    SET_COVERAGE,
    SET_SIZE,
)
from evenhand.catalogue.shared import F1
from evenhand.conformal import KINDS, PredictionSets, calibrate, split_by_item
from evenhand.errors import Undefined
from evenhand.estimate import Estimate
from evenhand.finding import Measured, Slice, SliceKey
from evenhand.intervals import two_way_bootstrap
from evenhand.intervals.two_way_bootstrap import ItemFold, TwoWayBootstrap
from evenhand.intervals.two_way_jackknife import TWO_WAY_JACKKNIFE, TwoWaySums
from evenhand.measures.perspective import ANNOTATION_RATE, Annotations, agreement
from evenhand.measures.perspective.agreement import AC1, ALPHA, KAPPA, coincidences, item_shares
from evenhand.measures.perspective.group_statistics import SumStatistic

DRAWS_PER_REPLICATE = 5  # so that the seed moves an end by less than a twentieth of the width
SumReading = Callable[[Floats], Floats]  # … × groups + 1 × columns: those that a number is made of


@dataclass(frozen=True)
class GroupedLabels:
    """Labels, the groups of those who gave them, and how often to redraw."""

    annotations: Annotations
    annotator_groups: AnnotatorGroups
    settings: Settings

    @cached_property
    def crossing(self) -> TwoWayBootstrap:
        """Who labelled what, to be redrawn."""
        a, s = self.annotations, self.settings
        draws = DRAWS_PER_REPLICATE * s.replicates
        return TwoWayBootstrap(a.annotator, a.item, a.annotators, a.items, draws, s.seed)

    def sums(self, columns: sparse.csc_array) -> TwoWaySums:
        """Of labels by group, and last of everybody."""
        a, annotator_groups = self.annotations, self.annotator_groups
        return TwoWaySums(a.annotator, a.item, annotator_groups.group, len(annotator_groups.names), columns)

    def folds(self, fold: ItemFold) -> tuple[Floats, Floats]:
        """What a measure of agreement counts: as it is, and for every draw."""
        groups = len(self.annotator_groups.names)
        counts = agreement.label_counts(self.annotations, self.annotator_groups.group, groups)
        strata, shape = agreement.label_strata(self.annotations, self.annotator_groups.group, groups)
        return agreement.fold_unweighted(fold, counts), self.crossing.folded(strata, shape, fold)

    def pair_tables(self) -> tuple[Floats, Floats]:
        """Pairs of annotators by group and label: as it is, and for every draw."""
        groups = len(self.annotator_groups.names)
        counts = agreement.label_counts(self.annotations, self.annotator_groups.group, groups)
        strata, shape = agreement.label_strata(self.annotations, self.annotator_groups.group, groups)
        return agreement.fold_unweighted(agreement.pair_tables, counts), self.crossing.pairs(strata, shape)

    @cached_property
    def assigned_by_group(self) -> bool:
        """Whether groups labelled different items, so that they are compared within items."""
        return assigned_by_group(self.annotations, self.annotator_groups, self.settings.seed)

    @cached_property
    def labels(self) -> list[int]:
        """How many labels each group gave, and last everybody."""
        return [int(n) for n in self.annotator_groups.labels(self.annotations)]

    @cached_property
    def worth(self) -> list[float]:
        """Per group, and last of everybody, how many equally busy people or items its labels are worth, if fewer."""
        return [self._worth(number) for number in range(len(self.annotator_groups.names) + 1)]

    def estimate_sum(
        self,
        number: SumStatistic,
        sums: TwoWaySums,
        read: SumReading,
        *,
        group: int,
        bounds: tuple[float, float],
        p_value: float | None = None,
    ) -> Estimate:
        """One number of one group, read from sums; with the p-value of a test, where there was one."""
        level, n = self.settings.level, self.labels[group]
        try:
            value = number.of(read(sums.plain))
            ends = sums.spread(lambda parts: number.formula(read(parts))).interval(level, bounds)
        except Undefined as why:
            return Estimate.undefined(str(why), level=level, n=n)
        ends = min(ends[0], value), max(ends[1], value)
        return Estimate(value, *ends, level, TWO_WAY_JACKKNIFE, n, p_value=p_value)

    def estimate(
        self,
        number: SumStatistic,
        plain: Floats,
        drawn: Floats,
        *,
        group: int,
        bounds: tuple[float, float],
        p_value: float | None = None,
    ) -> Estimate:
        """One number of one group, from its sums and their draws; with the p-value of a test, where there was one."""
        level, n = self.settings.level, self.labels[group]
        try:
            value = number.of(plain)
            size = self.worth[group]
            ends = two_way_bootstrap.two_way_interval(number.drawn(drawn), value, level=level, size=size, bounds=bounds)
        except Undefined as why:
            return Estimate.undefined(str(why), level=level, n=n)
        return Estimate(value, *ends, level, two_way_bootstrap.TWO_WAY_BOOTSTRAP, n, p_value=p_value)

    def _worth(self, number: int) -> float:
        a = self.annotations
        rows = self.annotator_groups.member(number)[a.annotator]
        loads = (np.bincount(a.annotator[rows]), np.bincount(a.item[rows]))
        return min(two_way_bootstrap.effective_number(load) for load in loads) if rows.any() else 0.0


def columns_of_group(group: int, columns: Sequence[int]) -> SumReading:
    """Some columns of the sums of one group."""
    chosen = list(columns)
    return lambda sums: sums[..., group, chosen]


AGREEMENT_BOUNDS = (-1.0, 1.0)


def annotator_agreement(labelled: GroupedLabels, alpha: SumStatistic = ALPHA) -> Iterator[Measured]:
    """κ, α and AC1 of everybody and of each group; κ also between groups."""
    yield from _kappas(labelled, labelled.pair_tables())
    for number, fold in ((alpha, coincidences), (AC1, item_shares)):
        plain, drawn = labelled.folds(fold)
        for group, slice_ in labelled.annotator_groups.slices:
            estimate = labelled.estimate(number, plain[group], drawn[:, group], group=group, bounds=AGREEMENT_BOUNDS)
            yield Measured(number.name, slice_, _if_enough_annotators(labelled, estimate, group, group))


def _kappas(labelled: GroupedLabels, tables: tuple[Floats, Floats]) -> Iterator[Measured]:
    plain, drawn = tables
    for group, slice_ in labelled.annotator_groups.slices:
        estimate = labelled.estimate(
            KAPPA, plain[group, group], drawn[:, group, group], group=group, bounds=AGREEMENT_BOUNDS
        )
        yield Measured(KAPPA.name, slice_, _if_enough_annotators(labelled, estimate, group, group))
    names = labelled.annotator_groups.names
    for one, two in combinations(range(len(names)), 2):
        smaller = min(one, two, key=lambda group: labelled.worth[group])
        estimate = labelled.estimate(KAPPA, plain[one, two], drawn[:, one, two], group=smaller, bounds=AGREEMENT_BOUNDS)
        slice_ = {SliceKey.ANNOTATORS: names[one], SliceKey.WITH: names[two]}
        yield Measured(KAPPA.name, slice_, _if_enough_annotators(labelled, estimate, one, two))


def _if_enough_annotators(labelled: GroupedLabels, estimate: Estimate, one: int, two: int) -> Estimate:
    """Nothing is said of fewer than five people, here those who labelled an item together."""
    people = _annotators_sharing_items(labelled, one, two)
    if people >= SMALLEST_GROUP:
        return estimate
    why = f"fewer than {SMALLEST_GROUP} of these annotators labelled the same items"
    return Estimate.undefined(why, level=estimate.level, n=estimate.n)


def _annotators_sharing_items(labelled: GroupedLabels, one: int, two: int) -> int:
    """How many people of two groups, or of one, share an item with another of them."""
    a, annotator_groups = labelled.annotations, labelled.annotator_groups
    first, second = (annotator_groups.member(group)[a.annotator] for group in (one, two))
    there = [np.bincount(a.item[rows], minlength=a.items) for rows in (first, second)]
    if one == two:
        return len(np.unique(a.annotator[first & (there[0][a.item] > 1)]))
    shared = (first & (there[1][a.item] > 0)) | (second & (there[0][a.item] > 0))
    return len(np.unique(a.annotator[shared]))


def prediction_set_measures(
    labelled: GroupedLabels, p: Floats, named: Slice, settings: PerspectiveSettings
) -> Iterator[Measured]:
    """Calibrated on half of the items, with a promise over all, for each class, or for each group."""
    known = labelled.annotations
    first = split_by_item(known.item, seed=settings.seed)
    fitted, held = known.only(first), known.only(~first)
    if not len(fitted) or not len(held):
        return
    for kind in KINDS:
        group = {
            name: labelled.annotator_groups.group[rows.annotator] for name, rows in (("fitted", fitted), ("held", held))
        }
        made = calibrate(
            p[fitted.item], fitted.label, alpha=settings.miss, kind=kind, group=group["fitted"], item=fitted.item
        )
        sets = made.predict(p[held.item], group=group["held"])
        yield from _coverage_and_size(labelled, held, sets, {**named, SliceKey.SETS: kind}, settings)


def _coverage_and_size(
    labelled: GroupedLabels, held: Annotations, sets: PredictionSets, named: Slice, settings: PerspectiveSettings
) -> Iterator[Measured]:
    """The share that holds the label, and the mean size, of everybody and of each group."""
    here = GroupedLabels(held, labelled.annotator_groups, settings)
    inside, size = sets[np.arange(len(held)), held.label], sets.sum(axis=1)
    sums = here.sums(sparse.csc_array(np.column_stack((inside, size, np.ones(len(held)))).astype(np.float64)))
    for group, slice_ in labelled.annotator_groups.slices:
        for measure, column, most in ((SET_COVERAGE, 0, 1.0), (SET_SIZE, 1, float(held.classes))):
            read = columns_of_group(group, [column, 2])
            estimate = here.estimate_sum(ANNOTATION_RATE, sums, read, group=group, bounds=(0.0, most))
            yield Measured(measure, {**named, **slice_}, estimate)


FEWEST_MODELS = 5  # models, under which a correlation has no interval to speak of
CORRELATION_METHOD = "fisher_z"


def fit_delta_correlation(
    measured: Sequence[Measured], annotator_groups: AnnotatorGroups, level: float
) -> Iterator[Measured]:
    """Spearman's of F1 with the mean delta, and the paper's t-test beside, which is no test of correlation."""
    from scipy import stats  # slow to load

    for _, slice_ in annotator_groups.slices:
        pairs = _f1_and_delta(measured, slice_)
        if len(pairs) < 2:
            return
        f1, delta = np.asarray(pairs).T
        yield Measured(F1_DELTA_CORRELATION, slice_, _spearman_estimate(f1, delta, level))
        if np.ptp(f1 - delta) > 0.0:
            test = stats.ttest_rel(f1, delta)
            estimate = Estimate.tested(
                float(test.statistic), float(test.pvalue), level=level, method="t_test", n=len(f1)
            )
            yield Measured(F1_DELTA_T, slice_, estimate)


def _f1_and_delta(measured: Sequence[Measured], slice_: Slice) -> list[tuple[float, float]]:
    """F1 and mean delta, model by model."""
    found: dict[str, dict[str, float]] = {}
    for m in measured:
        rest = {key: value for key, value in m.slice.items() if key != SliceKey.MODEL}
        wanted = m.measure in (F1, CONFORMITY_DELTA) and SliceKey.MODEL in m.slice and rest == dict(slice_)
        if wanted and m.estimate.value is not None:
            found.setdefault(m.slice[SliceKey.MODEL], {})[m.measure] = m.estimate.value
    return [(both[F1], both[CONFORMITY_DELTA]) for both in found.values() if len(both) == 2]


def _spearman_estimate(f1: Floats, delta: Floats, level: float) -> Estimate:
    """With the interval of Bonett and Wright (2000): Fisher's z with variance (1 + r²/2) / (n − 3)."""
    from scipy import stats

    n = len(f1)
    if n < FEWEST_MODELS:
        return Estimate.undefined(f"a correlation needs at least {FEWEST_MODELS} models", level=level, n=n)
    if not (np.ptp(f1) > 0.0 and np.ptp(delta) > 0.0):
        return Estimate.undefined("all models have the same value", level=level, n=n)
    r = float(stats.spearmanr(f1, delta).statistic)
    z, reach = np.arctanh(np.clip(r, -0.999999, 0.999999)), stats.norm.isf((1.0 - level) / 2.0)
    spread = np.sqrt((1.0 + r * r / 2.0) / (n - 3.0))
    low, high = np.tanh([z - reach * spread, z + reach * spread])
    return Estimate(r, min(float(low), r), max(float(high), r), level, CORRELATION_METHOD, n)
