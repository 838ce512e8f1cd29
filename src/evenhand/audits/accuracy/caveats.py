"""What to beware of when reading the accuracy audit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from evenhand.audits.accuracy.domains import SUMMED
from evenhand.audits.accuracy.sample import Sample
from evenhand.audits.accuracy.settings import AccuracySettings
from evenhand.audits.scarcity import few
from evenhand.evidence import Evidence
from evenhand.finding import Finding
from evenhand.intervals.survey import FEW, SMALL

BLIND = (
    "If the sample was drawn by a classifier's score: violations that score like everything else are found only by the "
    "few labels that go everywhere. The estimate stays unbiased, but with a fifth of them hidden so the interval held "
    "the truth in only 81 to 89 of 100 simulated samples instead of 95."
)
CAUTIOUS = "the interval is a cautious one, too wide rather than too narrow"
WHAT = "Recall and what is still visible rest on"
CENSUS = (
    "No inclusion probability was declared, so every item counts as labelled: the values are plain counts. The "
    "intervals then say how much they would vary over other items like these, not what was left out of a sample."
)
TRUTH = (
    "All of it rests on the labels: what people called violating, by the rules they were given, in this population and "
    "period. Name all three beside the numbers."
)


def of(finding: Finding, sample: Sample, evidence: Evidence, settings: AccuracySettings) -> tuple[str, ...]:
    """What the numbers rest on, in order of weight."""
    return (
        *_rests_on(finding, sample),
        *_unsure(finding, sample),
        CENSUS if sample.design.census else BLIND,
        *_strata(sample),
        *_sizes(finding),
        TRUTH,
        *(["Intervals of this audit are always analytic."] if settings.interval == "bootstrap" else []),
        *evidence.notes,
    )


def _rests_on(finding: Finding, sample: Sample) -> Iterator[str]:
    """How many violations were seen where it counts, of which too few were, over all and in the parts."""
    visible = np.ones(len(sample.rows), dtype=np.bool_) if sample.removed is None else ~sample.removed
    found, labels = int(np.sum(sample.violating & visible)), int(visible.sum())
    what, where = ("The prevalence rests on", "") if sample.removed is None else (WHAT, "visible ")
    yield f"{what} {found:,} violations among {labels:,} labelled {where}items."
    whole = [m for m in finding if not set(m.slice) - {"pool"}]
    if said := few(replace(finding, estimates=tuple(whole))):
        yield f"{' '.join(said)} That is fewer than {FEW:.0f}: {CAUTIOUS}."
    shares = [m for m in finding if m.measure == "prevalence" and m.slice and not {"pool", "stratum"} & set(m.slice)]
    small = sum(SMALL in m.estimate.flags for m in shares)
    if small:
        yield (
            f"In {small} of {len(shares)} parts the prevalence rests on fewer than {FEW:.0f} violations, or on fewer "
            "than that many others: these are marked, and their intervals are the cautious ones."
        )


def _unsure(finding: Finding, sample: Sample) -> Iterator[str]:
    if not sample.unsure:
        return
    asked, share = len(sample.violating) + sample.unsure, finding.get("prevalence").value or 0.0
    least = share * (1.0 - sample.unsure_share)
    yield (
        f"For {sample.unsure:,} of {asked:,} items the answer was that one cannot tell. They are left out, and the "
        f"other labels stand for them. Had none of them violated, {100.0 * least:.3g} % of all items would; had all "
        f"of them, {100.0 * (least + sample.unsure_share):.3g} %."
    )


def _sizes(finding: Finding) -> Iterator[str]:
    """Shares of a part of unknown size have wide intervals, where strata with few labels hold many items."""
    guessed = [
        m for m in finding if m.measure == "population" and m.estimate.method == SUMMED and "pool" not in m.slice
    ]
    if any(m.slice for m in guessed):
        yield (
            "How many items a part has is known only from the labels, which makes its prevalence less sure than its "
            "recall. Put the items that nobody labelled into the evidence too, with an empty label, one by one or "
            "counted: where large strata have few labels, that makes intervals much narrower."
        )


def _strata(sample: Sample) -> Sequence[str]:
    if sample.design.census or sample.design.strata is not None:
        return ()
    return (
        "No stratum was declared, so items count as drawn one by one. For a stratified sample that is usually "
        "cautious; declare its strata for the intervals of the design.",
    )
