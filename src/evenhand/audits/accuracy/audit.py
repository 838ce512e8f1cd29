"""The accuracy audit: what moderation removes and what it misses, from a labelled sample, over all and part by part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from evenhand.arrays import Bools
from evenhand.audits.accuracy import caveats, readings
from evenhand.audits.accuracy.domains import exposed, measures
from evenhand.audits.accuracy.measuring import sliced
from evenhand.audits.accuracy.planning import planned
from evenhand.audits.accuracy.ranking import ranked
from evenhand.audits.accuracy.sample import Sample
from evenhand.audits.accuracy.settings import AccuracySettings
from evenhand.audits.provenance import provenance
from evenhand.evidence import Evidence
from evenhand.finding import Finding, Measured, Slice
from evenhand.progress import Progress

QUESTION = "How much of what violates is removed, how much is still visible, and how much was removed wrongly?"
MOST_STRATA = 50  # that are shown one by one
OF_STRATA = ("count", "violations", "population", "prevalence")
Domain = tuple[Slice, Bools | None]


def audit_accuracy(evidence: Evidence, settings: AccuracySettings, progress: Progress) -> Finding:
    """Estimate everything on all items, on each slice and group, and on each stratum."""
    judged = evidence.judgements()
    sample = Sample.of(judged, evidence.name)
    found: list[Measured] = []
    domains = list(_domains(evidence, len(judged.answer)))
    for number, (slice_, kept) in enumerate(domains, start=1):
        found += measures(sample, kept, slice_, settings.level)
        if (figure := exposed(sample, kept)) is not None:
            found += sliced(planned(figure[0], settings, figure[1]), slice_)
        progress("estimating", number, len(domains))
    if "stratum" not in evidence.declaration.slices:
        found += _by_stratum(sample, judged.strata, judged.stratum, settings.level)
    notes: list[str] = []
    found += ranked(found, evidence.declaration.slices, settings, notes)
    finding = Finding("accuracy", QUESTION, tuple(found), (), provenance(evidence, settings))
    return replace(
        finding,
        readings=tuple(readings.of(finding)),
        caveats=(*caveats.of(finding, sample, evidence, settings), *notes),
    )


def _domains(evidence: Evidence, rows: int) -> Iterator[Domain]:
    """Everything, each slice, each group."""
    for part in evidence.parts:
        yield part.slice, evidence.kept(part)
    for name in evidence.groups:
        kept = np.zeros(rows, dtype=np.bool_)
        kept[evidence.rows_of(name)] = True
        yield {"group": name}, kept


def _by_stratum(sample: Sample, names: tuple[str, ...], stratum: np.ndarray | None, level: float) -> Iterator[Measured]:
    """The prevalence in each stratum of the design, where they are few enough to look at."""
    if stratum is None or len(names) > MOST_STRATA:
        return
    plain = replace(sample, removed=None, items=None)
    for number, name in enumerate(names):
        of_stratum = measures(plain, stratum == number, {"stratum": name}, level)
        yield from (m for m in of_stratum if m.measure in OF_STRATA)
