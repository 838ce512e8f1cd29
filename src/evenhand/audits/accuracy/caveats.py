"""Caveats of the accuracy audit: what its numbers rest on, and where labels are few.

Few violating labels, or few of the others, make an interval cautious; the sentences about that are shared with the
estimates of a labelling campaign.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from evenhand.audits.accuracy.quantities import SUMMED_METHOD
from evenhand.audits.accuracy.sample import LabelledSample
from evenhand.audits.accuracy.settings import AccuracySettings
from evenhand.audits.caveats import cluster_caveats
from evenhand.audits.settings import BOOTSTRAP
from evenhand.catalogue import find_measure
from evenhand.catalogue.accuracy import POPULATION, PREVALENCE, VIOLATIONS
from evenhand.catalogue.shared import COUNT
from evenhand.evidence import Evidence
from evenhand.finding import Finding, Slice, SliceKey
from evenhand.intervals.drawn_clusters import equal_sized_clusters, sizes_are_uneven
from evenhand.intervals.survey import FEW_VIOLATIONS
from evenhand.sampling.score_driven import SCORE_DRIVEN_CAVEAT

# of slices that look at the same labels once more
REPEATED_SLICE_KEYS = {SliceKey.STRATUM, SliceKey.AS_IF, SliceKey.ESTIMATOR}
PARTS_NAMED = 3  # parts that a sentence names
FEW_VIOLATING = "Few violating items were labelled: {}."
FEW_OTHERS = "Few non-violating items were labelled: {}."


def few_label_sentences(finding: Finding) -> list[str]:
    """A sentence each for too few violating and too few other labels: how many, and where. The fewer side counts."""
    few: dict[str, list[str]] = {FEW_VIOLATING: [], FEW_OTHERS: []}
    for slice_, violating, labels in _slices_with_few_labels(finding):
        where = f" ({', '.join(slice_.values())})" if slice_ else ""
        number, sentence = min((violating, FEW_VIOLATING), (labels - violating, FEW_OTHERS), key=lambda pair: pair[0])
        few[sentence].append(f"{number:,.3g} of {labels:,.0f} labels{where}")
    return [sentence.format(_listed_parts(parts)) for sentence, parts in few.items() if parts]


def _slices_with_few_labels(finding: Finding) -> Iterator[tuple[Slice, float, float]]:
    """Slices whose share is marked, with the violating and all labels in them; of a slice with pools, the pools."""
    for m in finding:
        if m.measure != VIOLATIONS or REPEATED_SLICE_KEYS & set(m.slice) or _has_pools(finding, m.slice):
            continue
        if finding.has(PREVALENCE, **m.slice) and finding.get(PREVALENCE, **m.slice).small:
            yield m.slice, m.estimate.value or 0.0, finding.get(COUNT, **m.slice).value or 0.0


def _has_pools(finding: Finding, slice_: Slice) -> bool:
    pools = () if SliceKey.POOL in slice_ else finding.values(SliceKey.POOL)
    return any(finding.has(VIOLATIONS, **slice_, pool=pool) for pool in pools)


def _listed_parts(parts: list[str]) -> str:
    more = f" and {len(parts) - PARTS_NAMED} more parts" if len(parts) > PARTS_NAMED else ""
    return ", ".join(parts[:PARTS_NAMED]) + more


CAUTIOUS_INTERVAL = "the interval is conservative: too wide rather than too narrow"
RECALL_RESTS_ON = "Recall and the number still visible are based on"
CENSUS_CAVEAT = (
    "No inclusion probability was declared, so all items are treated as labelled and values are plain counts. The "
    "intervals describe variation over other items like these, not sampling error."
)
ALWAYS_ANALYTIC = "Intervals of this audit are always analytic; `interval` has no effect."
PLANNED_CLUSTERS = (
    "`cluster` has no effect here: the labels are from a plan, and intervals are those of its design. They describe "
    "the items of the plan, however similar those of a cluster are."
)
UNEVEN_CLUSTERS = (
    "A few clusters have most of the items: together they tell as much as {number:.0f} clusters of equal size. "
    "Intervals allow for one more violating cluster than was labelled, and are wide."
)
LABELS_CAVEAT = (
    "All results depend on the labels. When you publish the results, state who labelled the items, under which "
    "policy, and for which population and period."
)


def accuracy_caveats(
    finding: Finding, sample: LabelledSample, evidence: Evidence, settings: AccuracySettings
) -> tuple[str, ...]:
    """What the numbers rest on, in order of weight."""
    return (
        *_rests_on(finding, sample),
        *_unsure(finding, sample),
        CENSUS_CAVEAT if sample.design.census else SCORE_DRIVEN_CAVEAT,
        *_strata(sample),
        *_sizes(finding),
        LABELS_CAVEAT,
        *_clusters(sample),
        *([ALWAYS_ANALYTIC] if settings.interval == BOOTSTRAP else []),
        *evidence.notes,
    )


def _clusters(sample: LabelledSample) -> Iterator[str]:
    """How much information clustered labels carry about the prevalence, and where a few clusters have most of them."""
    clusters = sample.design.clusters
    if clusters is None:
        return
    if sample.plan is not None:
        yield PLANNED_CLUSTERS
        return
    every = np.ones(len(sample.rows), dtype=np.bool_)
    clustered, alone = (
        design.share(sample.violating, every).variance for design in (sample.design, sample.design.without_clusters())
    )
    factor = clustered / alone if alone > 0.0 else None
    yield from cluster_caveats(clusters, find_measure(PREVALENCE).title.lower(), len(every), factor)
    weights = clusters.ways[0].sums(sample.design.weights)
    if sizes_are_uneven(weights):
        yield UNEVEN_CLUSTERS.format(number=equal_sized_clusters(weights))


def _rests_on(finding: Finding, sample: LabelledSample) -> Iterator[str]:
    """How many violations were seen where it counts, of which too few were, over all and in the parts."""
    visible = np.ones(len(sample.rows), dtype=np.bool_) if sample.removed is None else ~sample.removed
    violating, labels = int(np.sum(sample.violating & visible)), int(visible.sum())
    what, where = ("The prevalence is based on", "") if sample.removed is None else (RECALL_RESTS_ON, "visible ")
    yield f"{what} {violating:,} violating items among {labels:,} labelled {where}items."
    whole = [m for m in finding if not set(m.slice) - {SliceKey.POOL}]
    if few_labels := few_label_sentences(replace(finding, estimates=tuple(whole))):
        yield f"{' '.join(few_labels)} With fewer than {FEW_VIOLATIONS:.0f}, {CAUTIOUS_INTERVAL}."
    apart = {SliceKey.POOL, SliceKey.STRATUM, SliceKey.ESTIMATOR}
    shares = [m for m in finding if m.measure == PREVALENCE and m.slice and not apart & set(m.slice)]
    small = sum(m.estimate.small for m in shares)
    if small:
        yield (
            f"In {small} of {len(shares)} parts, the prevalence is based on fewer than {FEW_VIOLATIONS:.0f} violating "
            "or non-violating items: these are marked, and their intervals are conservative."
        )


def _unsure(finding: Finding, sample: LabelledSample) -> Iterator[str]:
    if not sample.unsure:
        return
    answers, share = len(sample.violating) + sample.unsure, finding.get(PREVALENCE).value or 0.0
    least = share * (1.0 - sample.unsure_share)
    yield (
        f"For {sample.unsure:,} of {answers:,} items, the annotators answered that they cannot tell. These items are "
        f"excluded and represented by the others. If none of them were violating, the prevalence would be "
        f"{100.0 * least:.3g} %; if all of them were, {100.0 * (least + sample.unsure_share):.3g} %."
    )


def _sizes(finding: Finding) -> Iterator[str]:
    """Shares of a part of unknown size have wide intervals, where strata with few labels hold many items."""
    guessed = [
        m
        for m in finding
        if m.measure == POPULATION and m.estimate.method == SUMMED_METHOD and SliceKey.POOL not in m.slice
    ]
    if any(m.slice for m in guessed):
        yield (
            "The sizes of the parts are known only from the labels, which widens the intervals of prevalence. Add the "
            "unlabelled items to the data, with an empty label, as rows or as counts: where large strata have few "
            "labels, the intervals become much narrower."
        )


def _strata(sample: LabelledSample) -> Sequence[str]:
    if sample.design.census or sample.design.strata is not None:
        return ()
    return (
        "No stratum was declared, so items are treated as sampled independently. For a stratified sample this is "
        "usually conservative; declare `stratum` for the intervals of the design.",
    )
