"""What the accuracy audit measures: every measure of a part, what the labels allow to plan, and agreement of ranks.

Where it is known how many items were removed and how many are visible (all items are in the evidence, or the strata of
the design are the one or the other), the two pools are combined. Where that is chance too, as in a random sample of
everything, each measure is a share of its own: recall is that of the removed among what violates.

Planning says how many labels a target takes and what change two such samples can show. Ranks are compared with those
of another source, read from a file with a prevalence for each value of a sliced column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from evenhand.arrays import Bools
from evenhand.audits.accuracy.blind_spots import with_robust_intervals
from evenhand.audits.accuracy.pools import (
    ModeratedPopulation,
    NamedEstimate,
    PoolName,
    PoolShare,
    as_items,
    pool_measures,
    with_slice,
)
from evenhand.audits.accuracy.sample import LabelledSample
from evenhand.audits.accuracy.settings import AccuracySettings
from evenhand.catalogue.accuracy import (
    DETECTABLE_EFFECT,
    DETECTABLE_EFFECT_POWER,
    EFFICIENCY,
    FNR,
    KENDALL_TAU,
    LABELS_FOR_EFFECT,
    LABELS_NEEDED,
    LABELS_NEEDED_RANDOM,
    MISSED,
    NPV,
    POPULATION,
    PREVALENCE,
    SPECIFICITY,
    VIOLATIONS,
)
from evenhand.catalogue.shared import ACCURACY, COUNT, F1, FPR, PRECISION, RANK_AGREEMENT, RECALL
from evenhand.errors import InputError, Undefined
from evenhand.estimate import Estimate
from evenhand.evidence import checks, open_source
from evenhand.evidence.reading import read_columns
from evenhand.finding import Measured, Slice, SliceKey
from evenhand.intervals import rank_correlation
from evenhand.intervals.survey import SurveyShare
from evenhand.sampling import (
    EIGHTY_PERCENT_POWER,
    NO_OVERLAP,
    SampleSize,
    Within,
    detectable_effect,
    efficiency,
    range_within,
    size_for_effect,
)

SUMMED_METHOD = "sum_of_weights"
NOTHING_LABELLED: dict[str, str] = {
    PREVALENCE: "no item was labelled",
    PRECISION: "no removed item was labelled",
    RECALL: "no violating item was found",
    F1: "no violating and no removed item was found",
    ACCURACY: "no item was labelled",
    FPR: "no benign item was found",
}


def domain_measures(sample: LabelledSample, rows: Bools | None, slice_: Slice, level: float) -> tuple[Measured, ...]:
    """Of the rows that are kept."""
    population = _population(sample, rows)
    if population is not None and not slice_:
        return with_robust_intervals(population, level, lambda pools: pool_measures(pools, level))
    if population is not None:
        return pool_measures(population, level, slice_=slice_)
    return with_slice(_domain_shares(sample, rows, level), slice_)


def visible_share(sample: LabelledSample, rows: Bools | None) -> tuple[SurveyShare, Slice] | None:
    """The share that matters for planning: of what is visible, or of everything where decisions are not known."""
    decided = sample.removed is not None
    visible = ~sample.removed if sample.removed is not None else np.ones(len(sample.rows), dtype=np.bool_)
    whole = sample.inside(rows) & visible
    if not whole.any():
        return None
    size = sample.size(rows, removed=False if decided else None)
    figure = _pool_share(sample, whole, visible, size).figure
    return figure, {SliceKey.POOL: PoolName.VISIBLE} if decided else {}


def _population(sample: LabelledSample, rows: Bools | None) -> ModeratedPopulation | None:
    """The pools, where their sizes are known; None where they are chance, or one of them has no labels."""
    inside = sample.inside(rows)
    if sample.design.census or not inside.any():
        return None
    removed = np.zeros_like(inside) if sample.removed is None else sample.removed
    parts = {PoolName.REMOVED: inside & removed, PoolName.VISIBLE: inside & ~removed}
    if sample.plan is None and sample.items is None and not all(sample.design.closed(part) for part in parts.values()):
        return None
    if sample.removed is None:
        return ModeratedPopulation(whole=_pool_share(sample, inside, np.ones_like(inside), sample.size(rows)))
    if sample.plan is None and not all(part.any() for part in parts.values()):
        return None
    pools = {
        name: _pool_share(
            sample, part, removed == (name is PoolName.REMOVED), sample.size(rows, removed=name is PoolName.REMOVED)
        )
        for name, part in parts.items()
        if part.any()
    }
    return ModeratedPopulation(**pools, corrected=sample.plan is None and sample.design.partly_certain)


def _pool_share(sample: LabelledSample, inside: Bools, like: Bools, size: float | None) -> PoolShare:
    if sample.plan is not None:
        items, violating = sample.plan.size(inside, like), sample.violating.astype(np.float64)
        figure = sample.plan.labels.share(violating, inside, part=bool((inside != like).any()), items=items)
        return PoolShare(figure, items)
    figure = sample.design.share(sample.violating, inside, items=size, like=like)
    return PoolShare(figure, sample.design.total(inside) if size is None else size)


def _domain_shares(sample: LabelledSample, rows: Bools | None, level: float) -> Iterator[NamedEstimate]:
    inside, bad, removed = sample.inside(rows), sample.violating, sample.removed
    everything, size = np.ones_like(inside), sample.size(rows)
    pools = {} if removed is None else {PoolName.REMOVED: inside & removed, PoolName.VISIBLE: inside & ~removed}
    yield from _domain_counts(sample, rows, [(None, inside), *pools.items()], level)

    def share(name: str, marked: Bools, whole: Bools, like: Bools | None = None, of: float | None = None) -> Estimate:
        try:
            return sample.design.share(marked, whole, items=of, like=like).estimate(level)
        except Undefined:
            return Estimate.undefined(NOTHING_LABELLED[name], level=level, n=int(inside.sum()))

    yield PREVALENCE, {}, share(PREVALENCE, bad, inside, everything, size)
    if removed is None:
        return
    violating = {
        name: share(PREVALENCE, bad, pool, removed == (name is PoolName.REMOVED)) for name, pool in pools.items()
    }
    for name, estimate in violating.items():
        yield PREVALENCE, {SliceKey.POOL: name}, estimate
    recall, wrong = share(RECALL, removed, inside & bad), share(FPR, removed, inside & ~bad)
    yield RECALL, {}, recall
    yield PRECISION, {}, share(PRECISION, bad, pools[PoolName.REMOVED], removed)
    yield F1, {}, _f1_from_jaccard(share(F1, bad & removed, inside & (bad | removed)))
    yield ACCURACY, {}, share(ACCURACY, bad == removed, inside, everything, size)
    yield from ((FPR, {}, wrong), (SPECIFICITY, {}, wrong.complement()), (FNR, {}, recall.complement()))
    yield MISSED, {}, _missed_items(sample, inside & bad & ~removed, level)
    yield NPV, {}, violating[PoolName.VISIBLE].complement()


def _missed_items(sample: LabelledSample, missed: Bools, level: float) -> Estimate:
    """A number of items, not by way of how many the part has: as a share of all that the labels stand for."""
    everything = np.ones_like(missed)
    items = sample.design.total(everything)
    if sample.design.census:  # these items were counted, whatever others would show
        return Estimate.exact(float(missed.sum()), level=level, n=len(missed))
    return as_items(sample.design.share(missed, everything).estimate(level), items)


def _domain_counts(
    sample: LabelledSample, rows: Bools | None, parts: Sequence[tuple[PoolName | None, Bools]], level: float
) -> Iterator[NamedEstimate]:
    """Labels, violations among them, and the items they stand for."""
    for name, inside in parts:
        extra: Slice = {SliceKey.POOL: name} if name else {}
        n = int(inside.sum())
        size = sample.size(rows, removed=None if name is None else name is PoolName.REMOVED)
        yield COUNT, extra, Estimate.exact(float(n), level=level, n=n)
        yield VIOLATIONS, extra, Estimate.exact(float(np.sum(inside & sample.violating)), level=level, n=n)
        items = Estimate.exact(sample.design.total(inside) if size is None else size, level=level, n=n)
        exact = size is not None or sample.design.census
        yield POPULATION, extra, items if exact else replace(items, method=SUMMED_METHOD)


def _f1_from_jaccard(jaccard: Estimate) -> Estimate:
    """F1 rises with hits among hits and errors, whose interval is turned along."""
    if jaccard.value is None:
        return jaccard
    value, low, high = (2.0 * (end or 0.0) / (1.0 + (end or 0.0)) for end in (jaccard.value, jaccard.low, jaccard.high))
    return replace(jaccard, value=value, low=low, high=high)


RANGE_METHOD = "range_over_interval"
PLANNING_MEASURES = (
    LABELS_NEEDED,
    LABELS_NEEDED_RANDOM,
    EFFICIENCY,
    DETECTABLE_EFFECT,
    DETECTABLE_EFFECT_POWER,
    LABELS_FOR_EFFECT,
)
NONE_FOUND = (
    "no violating item was found: show that the prevalence is below a safe level instead (the sample size for `below`)"
)
ALL_VIOLATE = "every labelled item is violating: labels cannot be planned"
CERTAIN = "nothing is left to estimate"


def planning_estimates(figure: SurveyShare, settings: AccuracySettings, extra: Slice) -> Iterator[NamedEstimate]:
    """For labels drawn as these were, and at random; over the interval of the share, as it is known by now."""
    share = figure.estimate(settings.level)
    why = _planning_obstacle(figure, share)
    if why:
        for name in PLANNING_MEASURES:
            yield name, extra, Estimate.undefined(why, level=settings.level, n=figure.n)
        return
    target, variance = Within(settings.target, settings.level), figure.n * figure.variance
    drawn, random = (_sizes_over_interval(share, target, one) for one in (variance, None))
    for name, sizes in ((LABELS_NEEDED, drawn), (LABELS_NEEDED_RANDOM, random)):
        yield name, extra, _range_estimate([size.n for size in sizes], share)
    saved = [efficiency(one, other) for one, other in zip(drawn, random, strict=True)]
    yield EFFICIENCY, extra, _range_estimate(saved, share)
    for name, rule in ((DETECTABLE_EFFECT, NO_OVERLAP), (DETECTABLE_EFFECT_POWER, EIGHTY_PERCENT_POWER)):
        effect = detectable_effect(figure.error, rule=rule)
        yield name, extra, Estimate.exact(effect, level=share.level, n=share.n)
    size = size_for_effect(variance, settings.effect, rule=NO_OVERLAP)
    yield LABELS_FOR_EFFECT, extra, Estimate.exact(float(size.n), level=share.level, n=share.n)


def _planning_obstacle(figure: SurveyShare, share: Estimate) -> str | None:
    """What stands against planning with this share."""
    if figure.hits == 0.0:
        return NONE_FOUND
    if figure.hits == figure.n:
        return ALL_VIOLATE
    return CERTAIN if share.method == "exact" or figure.variance == 0.0 else None


def _sizes_over_interval(
    share: Estimate, target: Within, variance: float | None
) -> tuple[SampleSize, SampleSize, SampleSize]:
    """At the share itself, at the high end and at the low end of its interval."""
    low, value, high = (min(max(end or 0.0, 1e-12), 1.0 - 1e-12) for end in (share.low, share.value, share.high))
    return (
        range_within((value, value), target, variance=variance)[0],
        *range_within((low, high), target, variance=variance),
    )


def _range_estimate(numbers: list[float] | list[int], share: Estimate) -> Estimate:
    value, *_ = (float(number) for number in numbers)
    low, high = float(min(numbers)), float(max(numbers))
    return Estimate(value, low, high, share.level, RANGE_METHOD, share.n, flags=share.flags)


def rank_agreement(
    measured: Sequence[Measured], sliced: Mapping[str, str], settings: AccuracySettings, notes: list[str]
) -> Iterator[Measured]:
    """The agreement of ranks for the sliced column that the other source has; notes on what only one of them has."""
    if settings.rank_with is None:
        return
    column, other = _read_ranking(settings.rank_with, tuple(sliced))
    key = sliced[column]
    here = {
        m.slice[key]: m.estimate.value
        for m in measured
        if m.measure == PREVALENCE and set(m.slice) == {key} and m.estimate.value is not None
    }
    both = [name for name in here if name in other]
    only = sorted((set(here) | set(other)) - set(both))
    if only:
        named = ", ".join(only[:5]) + (", …" if len(only) > 5 else "")
        notes.append(f"Not ranked, because missing from one source: {named}.")
    pairs = [(here[name], other[name]) for name in both]
    tau = rank_correlation.kendall(pairs, settings.level, seed=settings.seed)
    yield Measured(RANK_AGREEMENT, {SliceKey.OF: key}, rank_correlation.spearman(pairs, settings.level))
    yield Measured(KENDALL_TAU, {SliceKey.OF: key}, tau)


def _read_ranking(path: str, sliced: Sequence[str]) -> tuple[str, Mapping[str, float]]:
    source = open_source(path)
    known = list(source.columns())
    named = [column for column in sliced if column in known]
    if not named:
        listed = " or ".join(f"'{column}'" for column in sliced) or "a column named with `slices`"
        raise InputError(f"the source to compare rankings with needs the column {listed}", source=source.name)
    values = [str(PREVALENCE)] if PREVALENCE in known else [column for column in known if column not in sliced]
    if len(values) != 1:
        raise InputError(f"the source to compare rankings with needs the column '{PREVALENCE}'", source=source.name)
    table = read_columns(source, [named[0], values[0]])
    words, amounts = table.words(named[0], "names"), checks.read_amounts(table, values[0])
    table.complete(named[0], words, "the name")
    checks.check_unique(table, named[0])
    return named[0], dict(zip(words.to_list(), amounts.tolist(), strict=True))
