"""Every measure of one part of the evidence: all of it, a language, a community.

Where it is known how many items were removed and how many are visible (all items are in the evidence, or the strata of
the design are the one or the other), the two pools are combined. Where that is chance too, as in a random sample of
everything, each measure is a share of its own: recall is that of the removed among what violates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from evenhand.arrays import Bools
from evenhand.audits.accuracy.measuring import REMOVED, VISIBLE, Entry, Pool, Population, measured, sliced, times
from evenhand.audits.accuracy.sample import Sample
from evenhand.errors import Undefined
from evenhand.estimate import Estimate
from evenhand.finding import Measured, Slice
from evenhand.intervals.survey import Figure

SUMMED = "sum_of_weights"
NOTHING = {
    "prevalence": "nothing of it was labelled",
    "precision": "nothing of what was removed was labelled",
    "recall": "no violating item was found",
    "f1": "no violating item was found, and none that was removed",
    "accuracy": "nothing of it was labelled",
}


def measures(sample: Sample, kept: Bools | None, slice_: Slice, level: float) -> tuple[Measured, ...]:
    """Of the rows that are kept."""
    population = _population(sample, kept)
    if population is not None:
        return measured(population, level, slice_=slice_)
    return sliced(_shares(sample, kept, level), slice_)


def exposed(sample: Sample, kept: Bools | None) -> tuple[Figure, dict[str, str]] | None:
    """The share that matters for planning: of what is visible, or of everything where decisions are not known."""
    decided = sample.removed is not None
    visible = ~sample.removed if sample.removed is not None else np.ones(len(sample.rows), dtype=np.bool_)
    whole = sample.inside(kept) & visible
    if not whole.any():
        return None
    size = sample.size(kept, removed=False if decided else None)
    figure = sample.design.share(sample.violating, whole, items=size, like=visible)
    return figure, {"pool": VISIBLE} if decided else {}


def _population(sample: Sample, kept: Bools | None) -> Population | None:
    """The pools, where their sizes are known; None where they are chance, or one of them has no labels."""
    inside = sample.inside(kept)
    if sample.design.census or not inside.any():
        return None
    removed = np.zeros_like(inside) if sample.removed is None else sample.removed
    parts = {REMOVED: inside & removed, VISIBLE: inside & ~removed}
    if sample.items is None and not all(sample.design.closed(part) for part in parts.values()):
        return None
    if sample.removed is None:
        return Population(whole=_pool(sample, inside, np.ones_like(inside), sample.size(kept)))
    if not all(part.any() for part in parts.values()):
        return None
    pools = {
        name: _pool(sample, part, removed == (name == REMOVED), sample.size(kept, removed=name == REMOVED))
        for name, part in parts.items()
    }
    return Population(**pools)


def _pool(sample: Sample, inside: Bools, like: Bools, size: float | None) -> Pool:
    figure = sample.design.share(sample.violating, inside, items=size, like=like)
    return Pool(figure, sample.design.total(inside) if size is None else size)


def _shares(sample: Sample, kept: Bools | None, level: float) -> Iterator[Entry]:
    inside, bad, removed = sample.inside(kept), sample.violating, sample.removed
    everything, size = np.ones_like(inside), sample.size(kept)
    pools = {} if removed is None else {REMOVED: inside & removed, VISIBLE: inside & ~removed}
    yield from _counts(sample, kept, {"": inside, **pools}, level)

    def share(name: str, marked: Bools, whole: Bools, like: Bools | None = None, of: float | None = None) -> Estimate:
        try:
            return sample.design.share(marked, whole, items=of, like=like).estimate(level)
        except Undefined:
            return Estimate.undefined(NOTHING[name], level=level, n=int(inside.sum()))

    yield "prevalence", {}, share("prevalence", bad, inside, everything, size)
    if removed is None:
        return
    for name, pool in pools.items():
        yield "prevalence", {"pool": name}, share("prevalence", bad, pool, removed == (name == REMOVED))
    yield "recall", {}, share("recall", removed, inside & bad)
    yield "precision", {}, share("precision", bad, pools[REMOVED], removed)
    yield "f1", {}, _harmonic(share("f1", bad & removed, inside & (bad | removed)))
    yield "accuracy", {}, share("accuracy", bad == removed, inside, everything, size)
    yield "missed", {}, _missed(sample, inside & bad & ~removed, level)


def _missed(sample: Sample, missed: Bools, level: float) -> Estimate:
    """A number of items, not by way of how many the part has: as a share of all that the labels stand for."""
    everything = np.ones_like(missed)
    items = sample.design.total(everything)
    if sample.design.census:  # these items were counted, whatever others would show
        return Estimate.exact(float(missed.sum()), level=level, n=len(missed))
    return times(sample.design.share(missed, everything).estimate(level), items)


def _counts(sample: Sample, kept: Bools | None, parts: dict[str, Bools], level: float) -> Iterator[Entry]:
    """Labels, violations among them, and the items they stand for."""
    for name, inside in parts.items():
        extra, n = {"pool": name} if name else {}, int(inside.sum())
        size = sample.size(kept, removed=None if not name else name == REMOVED)
        yield "count", extra, Estimate.exact(float(n), level=level, n=n)
        yield "violations", extra, Estimate.exact(float(np.sum(inside & sample.violating)), level=level, n=n)
        items = Estimate.exact(sample.design.total(inside) if size is None else size, level=level, n=n)
        sure = size is not None or sample.design.census
        yield "population", extra, items if sure else replace(items, method=SUMMED)


def _harmonic(jaccard: Estimate) -> Estimate:
    """F1 rises with hits among hits and errors, whose interval is turned along."""
    if jaccard.value is None:
        return jaccard
    value, low, high = (2.0 * (end or 0.0) / (1.0 + (end or 0.0)) for end in (jaccard.value, jaccard.low, jaccard.high))
    return replace(jaccard, value=value, low=low, high=high)
