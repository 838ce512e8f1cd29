"""What labels of a plan show: a finding with every measure, over all and by group, and what is unclear about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evenhand.audits.accuracy import QUESTION, measuring
from evenhand.audits.accuracy.measuring import Population, measured, times
from evenhand.audits.measurement import remarks
from evenhand.audits.measurement.comparisons import by_stratum, compared
from evenhand.audits.measurement.figures import Sample
from evenhand.audits.measurement.given import Given
from evenhand.audits.measurement.matching import Labels
from evenhand.audits.provenance import versions
from evenhand.errors import InputError, Undefined
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Measured, Slice
from evenhand.intervals.annotators import Gold, corrected
from evenhand.intervals.pools import QUANTITIES
from evenhand.intervals.survey import Figure
from evenhand.sampling.plan import ALL, Plan, Pool, name_of
from evenhand.sampling.sequential import Sequential
from evenhand.sampling.storage import seal_of

AS_IF = {"cannot tell means yes": 1.0, "cannot tell means no": 0.0}
PLAIN = ("count", "violations", "population")


def estimate(given: Given) -> Finding:
    """All measures as records of the output contract."""
    plan, level = given.plan, given.plan.level
    sample = Sample.of(plan, given.labels, given.rounds)
    found = [*_overall(given, given.labels, {})]
    if given.labels.unclear:
        for name, value in AS_IF.items():
            records = _overall(given, given.labels.as_if(value), {"as_if": name})
            found += [m for m in records if m.measure not in PLAIN]
    for number, group in enumerate(plan.groups):
        found += _of_group(given, sample, number, {" / ".join(plan.columns["by"]): group})
    if given.gold:
        found += _overall(replace(given, gold=None), given.labels, {"estimator": "uncorrected"})
    found += compared(sample, level) + by_stratum(sample, level)
    finding = Finding("accuracy", QUESTION, tuple(found), (), _provenance(given))
    return replace(finding, readings=remarks.readings(finding), caveats=remarks.caveats(given, sample))


def _overall(given: Given, labels: Labels, slice_: Slice) -> list[Measured]:
    plan, sample = given.plan, Sample.of(given.plan, labels, given.rounds)
    if isinstance(plan.design, Sequential):
        return _anytime(plan, sample, labels, slice_)
    figures = {pool.name: _figure(sample, pool, given.gold) for pool in plan.pools}
    return _records(plan, figures, slice_)


def _records(plan: Plan, figures: Mapping[str, tuple[Figure, int]], slice_: Slice) -> list[Measured]:
    """Every measure that the pools allow; of what is visible also how many violations are still there."""
    pools = {name: measuring.Pool(figure, items) for name, (figure, items) in figures.items()}
    if ALL not in pools:
        return list(measured(Population(**pools), plan.level, slice_=slice_))
    found = list(measured(Population(whole=pools[ALL]), plan.level, slice_=slice_))
    share = next(m.estimate for m in found if m.measure == "prevalence")
    return found + _missed(plan, share, pools[ALL].items, slice_)


def _missed(plan: Plan, share: Estimate, items: float, slice_: Slice) -> list[Measured]:
    if plan.measurement.population != "visible":
        return []
    return [Measured("missed", slice_, times(share, items) if share.defined else share)]


def _figure(sample: Sample, pool: Pool, gold: Gold | None) -> tuple[Figure, int]:
    figure = sample.figure(pool)
    return figure if gold is None else corrected(figure, gold), pool.items


def _of_group(given: Given, sample: Sample, group: int, slice_: Slice) -> list[Measured]:
    """The same of one group; undefined, with the reason, where it has too few labels."""
    plan, figures, why = given.plan, {}, ""
    for pool in plan.pools:
        items = int(pool.frame.sizes[pool.frame.groups == group].sum()) if pool.cells else 0
        try:
            figure = sample.figure(pool, group=group)
            figures[pool.name] = (corrected(figure, given.gold) if given.gold else figure, items)
        except (InputError, Undefined) as reason:
            why = str(reason)
    if not figures:
        names = ("prevalence",) if len(plan.pools) == 1 else ("prevalence", "missed", *QUANTITIES)
        unknown = Estimate.undefined(why, level=plan.level, n=0)
        return [Measured(name, slice_, unknown) for name in dict.fromkeys(names)]
    return _records(plan, figures, slice_)


def _anytime(plan: Plan, sample: Sample, labels: Labels, slice_: Slice) -> list[Measured]:
    """The prevalence with an interval that may be looked at any time."""
    (pool,), level = plan.pools, plan.level
    ids = {id_ for one in sample.told[pool.name] for id_ in one.part.ids}
    told = [value for id_, value in labels.values.items() if id_ in ids and value is not None]
    share = sample.bets(pool).estimate(level, n=len(ids))
    numbers = {"count": float(len(told)), "violations": sum(told), "population": float(pool.items)}
    counts = [Measured(name, slice_, Estimate.exact(n, level=level, n=len(told))) for name, n in numbers.items()]
    return [*counts, Measured("prevalence", slice_, share), *_missed(plan, share, pool.items, slice_)]


def _provenance(given: Given) -> dict[str, Any]:
    plan = given.plan
    return {
        "plan": seal_of(plan),
        "measurement": {name: getattr(plan.measurement, name) for name in remarks.NAMED},
        "source": plan.items.file,
        "sha256": plan.items.sha256,
        "rows": plan.items.rows,
        "design": name_of(plan.design),
        "batches": given.rounds,
        "labels": {"files": list(given.files), "sha256": given.labels.digest(given.labels.values)[1]},
        "seed": plan.seed,
        "versions": versions(),
    }
