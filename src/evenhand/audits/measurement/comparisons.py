"""Other estimates from the same labels, for comparison; and the share in each stratum of a stratified plan."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import expit

from evenhand.arrays import Floats
from evenhand.audits.measurement.figures import Sample
from evenhand.errors import Undefined
from evenhand.estimate import Estimate
from evenhand.finding import Measured
from evenhand.intervals.survey import Figure, Sampled, hajek, horvitz_thompson
from evenhand.sampling.designs import Adaptive, by_labels
from evenhand.sampling.estimation import difference_of_batches
from evenhand.sampling.frame import Frame
from evenhand.sampling.plan import ALL, Clusters, Pool
from evenhand.sampling.sequential import Sequential
from evenhand.sampling.stratifying import Stratified

MOST_STRATA = 200  # that are shown one by one


def compared(sample: Sample, level: float) -> list[Measured]:
    """Horvitz–Thompson, Hájek and the difference estimate of the prevalence of each pool."""
    plan, found = sample.plan, []
    if isinstance(plan.design, Sequential | Clusters):
        return []
    for pool in plan.pools:
        slice_ = {} if pool.name == ALL else {"pool": pool.name}
        for name, figure in _others(sample, pool):
            found.append(Measured("prevalence", {**slice_, "estimator": name}, figure.estimate(level)))
    return found


def _others(sample: Sample, pool: Pool) -> Iterator[tuple[str, Figure]]:
    past, design = sample.past(pool), sample.plan.on_cells
    label, inclusion = np.concatenate([done.label for done in past]), inclusions(weights(sample, pool))
    yield "horvitz_thompson", horvitz_thompson(label, inclusion, pool.items)
    yield "hajek", hajek(label, inclusion)
    if isinstance(design, Adaptive):
        yield "difference", difference_of_batches(pool.frame, past, by_labels(past)).figure()


def weights(sample: Sample, pool: Pool) -> Floats:
    """The items that each label stands for."""
    found: Floats = np.concatenate(sample.plan.on_cells.weights(pool.frame, sample.past(pool)))
    return found


def inclusions(weight: Floats) -> Floats:
    """One over the items that each label stands for; not more than 1."""
    return 1.0 / np.maximum(weight, 1.0)


def by_stratum(sample: Sample, level: float) -> list[Measured]:
    """The share in each stratum, where the strata were there before any label."""
    design, found = sample.plan.design, []
    if not isinstance(design, Stratified):
        return []
    for pool in sample.plan.pools:
        past, firsts = sample.past(pool), design.firsts(pool.frame)
        strata, label = (
            np.concatenate(parts) for parts in zip(*((d.batch.draw.strata, d.label) for d in past), strict=True)
        )
        names = stratum_names(sample, pool)
        for number, items in enumerate(np.add.reduceat(pool.frame.sizes, firsts)[:MOST_STRATA].tolist()):
            share = _share(label[strata == number], items, level)
            found.append(Measured("prevalence", {"stratum": names[number]}, share))
    return found


def _share(label: Floats, items: int, level: float) -> Estimate:
    if not len(label):
        return Estimate.undefined("nothing of it has a label", level=level, n=0)
    try:
        return Sampled.of(label, np.zeros(len(label)), [items]).figure().estimate(level)
    except Undefined as reason:
        return Estimate.undefined(str(reason), level=level, n=len(label))


def stratum_names(sample: Sample, pool: Pool) -> list[str]:
    """By pool, group and the scores that are in it."""
    design, frame = sample.plan.design, pool.frame
    assert isinstance(design, Stratified)
    firsts = design.firsts(frame)
    ends = np.append(firsts[1:], len(frame.sizes)) - 1
    of = "" if pool.name == ALL else f"{pool.name}, "
    return [of + _name(sample.plan.groups, frame, first, end) for first, end in zip(firsts, ends, strict=True)]


def _name(groups: tuple[str, ...], frame: Frame, first: int, end: int) -> str:
    low, high = expit(frame.logits[[first, end]])
    of = f"{groups[frame.groups[first]]}: " if groups else ""
    return f"{of}score {low:.3g} to {high:.3g}"
