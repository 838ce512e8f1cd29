"""The accuracy audit: what moderation removes and what it misses, from a labelled sample, over all and part by part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from evenhand.arrays import Bools
from evenhand.audits.accuracy import caveats, verdicts
from evenhand.audits.accuracy.pools import with_slice
from evenhand.audits.accuracy.quantities import domain_measures, planning_estimates, rank_agreement, visible_share
from evenhand.audits.accuracy.sample import LabelledSample
from evenhand.audits.accuracy.settings import AccuracySettings
from evenhand.audits.composition import judged_composition
from evenhand.audits.settings import provenance
from evenhand.catalogue.accuracy import POPULATION, PREVALENCE, VIOLATIONS
from evenhand.catalogue.shared import COUNT
from evenhand.evidence import JudgedEvidence
from evenhand.finding import Finding, Measured, Slice, SliceKey
from evenhand.progress import Progress, silent

NAME = "accuracy"
QUESTION = "How much violating content is removed, how much is still visible, and how much is removed wrongly?"
MOST_STRATA = 50  # that are shown one by one
STRATUM_MEASURES = (COUNT, VIOLATIONS, POPULATION, PREVALENCE)
_Domain = tuple[Slice, Bools | None]


def audit_accuracy(evidence: JudgedEvidence, settings: AccuracySettings, progress: Progress = silent) -> Finding:
    """Estimate everything on all items, on each slice and group, and on each stratum."""
    judged = evidence.judgements()
    sample = LabelledSample.from_judgements(judged, evidence.name, evidence.clusters)
    measured: list[Measured] = []
    domains = list(_domains(evidence, len(judged.answer)))
    for number, (slice_, rows) in enumerate(domains, start=1):
        measured += domain_measures(sample, rows, slice_, settings.level)
        if (figure := visible_share(sample, rows)) is not None:
            measured += with_slice(planning_estimates(figure[0], settings, figure[1]), slice_)
        progress("estimating", number, len(domains))
    if evidence.declaration.stratum not in evidence.declaration.slices:
        measured += _by_stratum(sample, judged.strata, judged.stratum, settings.level)
    notes: list[str] = []
    measured += rank_agreement(measured, evidence.declaration.slice_keys, settings, notes)
    made_of = judged_composition(evidence, sample.rows, sample.violating, sample.removed, sample.design.weights)
    finding = Finding(NAME, QUESTION, tuple(measured), (), provenance(evidence, settings), exhibits=(made_of,))
    finding = replace(finding, readings=tuple(verdicts.accuracy_readings(finding)))
    return replace(
        finding,
        verdicts=tuple(verdicts.accuracy_verdicts(finding)),
        caveats=(*caveats.accuracy_caveats(finding, sample, evidence, settings), *notes),
    )


def _domains(evidence: JudgedEvidence, rows: int) -> Iterator[_Domain]:
    """Everything, each slice, each group."""
    for part in evidence.parts:
        yield part.slice, evidence.kept(part)
    for name in evidence.groups:
        members = np.zeros(rows, dtype=np.bool_)
        members[evidence.rows_of(name)] = True
        yield {SliceKey.GROUP: name}, members


def _by_stratum(
    sample: LabelledSample, names: tuple[str, ...], stratum: np.ndarray | None, level: float
) -> Iterator[Measured]:
    """The prevalence in each stratum of the design, where they are few enough to look at."""
    if stratum is None or len(names) > MOST_STRATA:
        return
    plain = replace(sample, removed=None, items=None, plan=None)
    for number, name in enumerate(names):
        of_stratum = domain_measures(plain, stratum == number, {SliceKey.STRATUM: name}, level)
        yield from (m for m in of_stratum if m.measure in STRATUM_MEASURES)
