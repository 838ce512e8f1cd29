"""The estimate from labels of a plan: a finding with every measure, overall, by group and by stratum.

Beside the design's own estimator stand others from the same labels (Horvitz–Thompson, Hájek, difference), and the range
over items labelled "cannot tell".
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import islice
from typing import Any

import numpy as np
from scipy.special import expit

from evenhand.arrays import Floats
from evenhand.audits.accuracy import NAME, QUESTION
from evenhand.audits.accuracy.blind_spots import with_robust_intervals
from evenhand.audits.accuracy.pools import ModeratedPopulation, PoolName, PoolShare, as_items, pool_measures
from evenhand.audits.accuracy.verdicts import ADJUDICATED, AccuracyTopic, accuracy_verdicts
from evenhand.audits.composition import Composition, score_bands
from evenhand.audits.settings import SMALLEST_GROUP, versions
from evenhand.catalogue.accuracy import MISSED, POPULATION, PREVALENCE, VIOLATIONS
from evenhand.catalogue.shared import COUNT
from evenhand.errors import InputError, Undefined
from evenhand.estimate import Estimate, Flag
from evenhand.evidence.evidence import not_shown
from evenhand.finding import Exhibit, Finding, Measured, Reading, Slice, SliceKey
from evenhand.intervals.pools import POOL_QUANTITIES
from evenhand.intervals.survey import GoldCounts, SurveyShare
from evenhand.intervals.survey_estimators import StratifiedSample
from evenhand.measurement import verdicts
from evenhand.measurement.blind_spots import find_blind_spot
from evenhand.measurement.labels import ItemLabels
from evenhand.measurement.panel import Adjudication
from evenhand.measurement.plan import ALL, PlanPool, SamplingPlan
from evenhand.measurement.plan_file import seal_of
from evenhand.measurement.sample import CampaignSample, CollectedLabels
from evenhand.sampling.design import Estimator, FixedStratum

MOST_STRATA = 200  # that are shown one by one


def other_estimates(sample: CampaignSample, level: float) -> list[Measured]:
    """The prevalence of each pool by other estimators, as far as the design allows them."""
    plan, measured = sample.plan, []
    for pool in plan.pools:
        slice_: Slice = {} if pool.name == ALL else {SliceKey.POOL: pool.name}
        for name, share in plan.design.other_shares(pool, sample.past(pool)):
            measured.append(Measured(PREVALENCE, {**slice_, SliceKey.ESTIMATOR: name}, share.estimate(level)))
    return measured


def estimates_by_stratum(sample: CampaignSample, level: float, hidden: Collection[int] = ()) -> list[Measured]:
    """The share in each stratum, where the strata were there before any label; without those of `hidden` groups."""
    measured = []
    for pool in sample.plan.pools:
        for stratum in islice(sample.plan.design.strata(pool, sample.past(pool)), MOST_STRATA):
            if hidden and int(pool.frame.groups[stratum.first]) in hidden:
                continue
            name = stratum_name(sample.plan, pool, stratum)
            share = _stratum_share(stratum.label, stratum.items, level)
            measured.append(Measured(PREVALENCE, {SliceKey.STRATUM: name}, share))
    return measured


def _small_groups(plan: SamplingPlan, smallest: int) -> frozenset[int]:
    """Groups with fewer items than this; a cluster plan, which has no numbers by group, has none."""
    if any(pool.cells is None for pool in plan.pools):
        return frozenset()
    groups = len(plan.groups)
    sizes = np.sum([pool.items_by_group(groups) for pool in plan.pools], axis=0)
    return frozenset(number for number in range(groups) if sizes[number] < smallest)


def _stratum_share(label: Floats, items: int, level: float) -> Estimate:
    if not len(label):
        return Estimate.undefined("no item in it has a label", level=level, n=0)
    try:
        return StratifiedSample.from_values(label, np.zeros(len(label)), [items]).figure().estimate(level)
    except Undefined as reason:
        return Estimate.undefined(str(reason), level=level, n=len(label))


def stratum_name(plan: SamplingPlan, pool: PlanPool, stratum: FixedStratum) -> str:
    """By pool, group and the scores that are in it."""
    low, high = expit(pool.frame.logits[[stratum.first, stratum.last]])
    of = "" if pool.name == ALL else f"{pool.name}, "
    group = f"{plan.groups[pool.frame.groups[stratum.first]]}: " if plan.groups else ""
    return f"{of}{group}score {low:.3g} to {high:.3g}"


class UnclearCase(StrEnum):
    """What is assumed about items labelled "cannot tell"."""

    VIOLATING = "cannot tell means yes"
    BENIGN = "cannot tell means no"


UNCLEAR_LABELS = {UnclearCase.VIOLATING: 1.0, UnclearCase.BENIGN: 0.0}
COUNT_MEASURES = (COUNT, VIOLATIONS, POPULATION)
VISIBLE_CONTENT = "visible"  # the population of a measurement of what is still there
UnlabelledPools = Mapping[str, tuple[Estimate, int]]  # pools of a group: why there is no number, and how many items


def estimate_measures(collected: CollectedLabels, *, smallest_group: int = SMALLEST_GROUP) -> Finding:
    """All measures as records of the output contract; groups of fewer items than `smallest_group` are not shown."""
    plan, level = collected.plan, collected.plan.level
    sample = CampaignSample.from_labels(plan, collected.labels, collected.rounds)
    measured = [*_overall(collected, collected.labels, {})]
    if collected.labels.unclear:
        for name, value in UNCLEAR_LABELS.items():
            records = _overall(collected, collected.labels.as_if(value), {SliceKey.AS_IF: name})
            measured += [m for m in records if m.measure not in COUNT_MEASURES]
    hidden = _small_groups(plan, smallest_group)
    for number, group in enumerate(plan.groups):
        if number not in hidden:
            measured += _group_records(collected, sample, number, {plan.group_key: group})
    if collected.gold:
        measured += _overall(
            replace(collected, gold=None), collected.labels, {SliceKey.ESTIMATOR: Estimator.UNCORRECTED}
        )
    measured += _adjudicated(collected)
    measured += other_estimates(sample, level) + estimates_by_stratum(sample, level, hidden)
    made_of = _composition(sample)
    finding = Finding(NAME, QUESTION, tuple(measured), (), _provenance(collected), exhibits=made_of)
    finding = _with_blind_spot(finding, sample, hidden)
    finding = replace(
        finding,
        readings=verdicts.measurement_readings(finding, plan.measurement),
        caveats=(
            *verdicts.measurement_caveats(collected, sample),
            *not_shown(len(hidden), "group", smallest_group),
        ),
    )
    return replace(finding, verdicts=tuple(accuracy_verdicts(finding)))


def _adjudicated(collected: CollectedLabels) -> list[Measured]:
    """The same measures by the verdict of the panel, where there is one."""
    if collected.panel is None:
        return []
    panel = Adjudication(collected, collected.panel)
    shares = {pool.name: PoolShare(panel.share(pool), pool.items) for pool in collected.plan.pools}
    return _records(collected.plan, _population(shares), ADJUDICATED)


def _composition(sample: CampaignSample) -> tuple[Exhibit, ...]:
    """What labelled items are made of, by group, score and pool; nothing of clusters or sequential draws."""
    plan = sample.plan
    if plan.design.traits.open_ended or any(pool.cells is None for pool in plan.pools):
        return ()
    parts = [_pool_rows(sample, pool) for pool in plan.pools]
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    place, band, label, weight = (column.astype(np.float64) for column in columns[:4])
    codes = place.astype(np.int64), band.astype(np.int64)
    kinds = label, columns[4].astype(np.bool_)
    return (Composition.from_rows(plan.groups or ("",), codes, kinds, (weight, weight**2)).exhibit({}),)


def _pool_rows(sample: CampaignSample, pool: PlanPool) -> list[Floats]:
    """Of each label of a pool: group, band of the score, label, the items it stands for, whether they were removed."""
    parts = sample.parts[pool.name]
    cells = pool.frame.cell_of(np.concatenate([one.part.places[one.known] for one in parts]))
    label, weight = np.concatenate([one.label for one in parts]), sample.weights(pool).weights
    scored = sample.plan.design.traits.score
    bands = score_bands(expit(pool.frame.logits[cells]) if scored else None, len(cells))
    groups = pool.frame.groups[cells] if sample.plan.groups else np.zeros(len(cells), dtype=np.int64)
    return [groups, bands, label, weight, np.full(len(cells), pool.name == PoolName.REMOVED)]


def _with_blind_spot(finding: Finding, sample: CampaignSample, hidden: Collection[int]) -> Finding:
    """With what can hide where the score is low, where the intervals disagree."""
    flagged = any(Flag.BLIND_SPOT in m.estimate.flags for m in finding)
    blind_spot = find_blind_spot(sample, sample.plan.level, hidden) if flagged else None
    if blind_spot is None:
        return finding
    texts = (blind_spot.sentence(), blind_spot.advice())
    readings = tuple(Reading({}, text, topic=AccuracyTopic.BLIND_SPOT) for text in texts)
    return replace(finding, readings=readings, provenance={**finding.provenance, "blind_spot": blind_spot.record()})


def _overall(collected: CollectedLabels, labels: ItemLabels, slice_: Slice) -> list[Measured]:
    plan, sample = collected.plan, CampaignSample.from_labels(collected.plan, labels, collected.rounds)
    shares = {pool.name: PoolShare(_corrected(sample.share(pool), collected.gold), pool.items) for pool in plan.pools}
    population = _population(shares)
    if slice_ or not plan.design.traits.score:
        return _records(plan, population, slice_)
    return list(with_robust_intervals(population, plan.level, lambda pools: _records(plan, pools, {})))


def _population(pools: Mapping[str, PoolShare]) -> ModeratedPopulation:
    if ALL in pools:
        return ModeratedPopulation(whole=pools[ALL])
    return ModeratedPopulation(removed=pools.get(PoolName.REMOVED), visible=pools.get(PoolName.VISIBLE))


def _records(plan: SamplingPlan, population: ModeratedPopulation, slice_: Slice) -> list[Measured]:
    """Every measure that the pools allow; of what is visible also how many violations are still there."""
    measured = list(pool_measures(population, plan.level, slice_=slice_))
    if population.whole is None:
        return measured
    share = next(m.estimate for m in measured if m.measure == PREVALENCE)
    return measured + _missed(plan, share, population.whole.items, slice_)


def _missed(plan: SamplingPlan, share: Estimate, items: float, slice_: Slice) -> list[Measured]:
    if plan.measurement.population != VISIBLE_CONTENT:
        return []
    return [Measured(MISSED, slice_, as_items(share, items) if share.defined else share)]


def _corrected(share: SurveyShare, gold: GoldCounts | None) -> SurveyShare:
    return share if gold is None else share.corrected(gold)


def _group_records(collected: CollectedLabels, sample: CampaignSample, group: int, slice_: Slice) -> list[Measured]:
    """The same of one group; undefined, with the reason, where it has too few labels."""
    plan, shares, lacking = collected.plan, {}, {}
    for pool in plan.pools:
        items = int(pool.frame.sizes[pool.frame.groups == group].sum()) if pool.cells else 0
        try:
            shares[pool.name] = PoolShare(_corrected(sample.share(pool, group=group), collected.gold), items)
        except (InputError, Undefined) as reason:
            lacking[pool.name] = (Estimate.undefined(str(reason), level=plan.level, n=0), items)
    if not shares:
        names = (PREVALENCE,) if len(plan.pools) == 1 else (PREVALENCE, MISSED, *POOL_QUANTITIES)
        unknown, _ = list(lacking.values())[-1]
        items = sum(items for _, items in lacking.values())
        counts = {COUNT: 0.0, VIOLATIONS: 0.0, POPULATION: float(items)}
        known = [Measured(name, slice_, Estimate.exact(n, level=plan.level, n=0)) for name, n in counts.items()]
        return [*known, *(Measured(name, slice_, unknown) for name in dict.fromkeys(names))]
    return [
        *_with_all_items(_records(plan, _population(shares), slice_), lacking, slice_),
        *_unlabelled_records(lacking, slice_),
    ]


def _unlabelled_records(lacking: UnlabelledPools, slice_: Slice) -> Iterator[Measured]:
    """Pools of a group of which nothing can be said but how many items they have."""
    for name, (unknown, items) in lacking.items():
        part = {**slice_, SliceKey.POOL: name}
        yield Measured(POPULATION, part, Estimate.exact(float(items), level=unknown.level, n=0))
        yield Measured(PREVALENCE, part, unknown)


def _with_all_items(measured: Sequence[Measured], lacking: UnlabelledPools, slice_: Slice) -> Iterator[Measured]:
    """The same records, with the items of all pools in the population."""
    more = sum(items for _, items in lacking.values())
    for m in measured:
        if m.measure == POPULATION and m.slice == slice_:
            items = (m.estimate.value or 0.0) + more
            yield replace(m, estimate=Estimate.exact(items, level=m.estimate.level, n=m.estimate.n))
        else:
            yield m


def _provenance(collected: CollectedLabels) -> dict[str, Any]:
    plan = collected.plan
    return {
        "plan": seal_of(plan),
        "measurement": {name: getattr(plan.measurement, name) for name in verdicts.MEASUREMENT_FIELDS},
        "source": plan.items.file,
        "sha256": plan.items.sha256,
        "rows": plan.items.rows,
        "design": plan.design.name,
        "batches": collected.rounds,
        "labels": {"files": list(collected.files), "sha256": collected.labels.digest(collected.labels.values)[1]},
        "seed": plan.seed,
        "versions": versions(),
    }
