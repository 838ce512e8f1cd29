"""Caveats of the calibration audit: numbers of one class, the number of bins, rare classes.

A module of its own although it is short: all five audits have the same file names.
"""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.audits.calibration.sample import ClassedSample
from evenhand.audits.caveats import cluster_caveats, weight_caveats
from evenhand.catalogue.shared import ACCURACY, COUNT
from evenhand.evidence import Evidence
from evenhand.finding import Finding, Slice, SliceKey
from evenhand.intervals.clusters import design_effect

RARE_CLASS = 200  # items of a class, under which its numbers are mostly noise


def calibration_caveats(evidence: Evidence, finding: Finding, sample: ClassedSample | None) -> tuple[str, ...]:
    """Always the same ones, classes of few items, and what was noted about the evidence."""
    return (
        *_clusters(sample),
        *weight_caveats(None if sample is None else sample.classed.weights, evidence.declaration.weight),
        "Class ECE and class ACE use only the items that truly belong to the class. Even a calibrated model is "
        "uncertain about some of them, so these errors are above 0: compare them with the values for a calibrated "
        "model.",
        "Calibration errors depend on the number of bins; the table by number of bins shows how much.",
        *_rare(finding),
        *evidence.notes,
    )


def _clusters(sample: ClassedSample | None) -> Iterator[str]:
    if sample is not None and sample.classed.clusters is not None:
        effect = design_effect(sample.accuracy_influence, sample.classed.clusters)
        yield from cluster_caveats(sample.classed.clusters, ACCURACY.title.lower(), sample.items, effect.factor)


def _rare(finding: Finding) -> list[str]:
    sizes = {m.slice[SliceKey.CLASS]: m.estimate.n for m in finding if m.measure == COUNT and _is_class(m.slice)}
    few = [f"'{name}' ({n:,})" for name, n in sizes.items() if n < RARE_CLASS]
    return (
        [f"Classes with fewer than {RARE_CLASS} items, whose results are uncertain: {', '.join(few)}."] if few else []
    )


def _is_class(slice_: Slice) -> bool:
    return SliceKey.CLASS in slice_ and set(slice_) <= {SliceKey.CLASS, SliceKey.MODEL}
