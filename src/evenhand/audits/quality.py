"""How well a model does on labelled items, before anything is asked about groups: what a model card opens with."""

from __future__ import annotations

from evenhand.audits.probe import Entry, Probe, judged
from evenhand.audits.provenance import provenance
from evenhand.audits.quantities import AUPRC, OF_EVERYTHING
from evenhand.audits.settings import Settings
from evenhand.audits.viewing import thresholds_of, views_of
from evenhand.evidence import Evidence
from evenhand.finding import Finding

QUESTION = "How well does the model tell violating items from others?"


def audit_quality(evidence: Evidence, settings: Settings) -> Finding:
    """Measure every model on everything."""
    thresholds = thresholds_of(evidence, settings)
    views = views_of(evidence, evidence.parts[0], thresholds)
    entries: list[Entry] = []
    for model in evidence.models:
        slice_ = {"model": model} if len(evidence.models) > 1 else {}
        asked = [Probe(quantity, slice_, model) for quantity in (*OF_EVERYTHING, AUPRC)]
        entries += [(probe, *probe.estimate(views, settings.level)) for probe in asked]
    origin = provenance(evidence, settings) | {"thresholds": thresholds}
    return Finding("quality", QUESTION, judged(entries, settings.level), (), origin)
