"""How well a model does on labelled items, before anything is asked about groups: what a model card opens with."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.audits.bias.quantities import OF_EVERYTHING
from evenhand.audits.probe import Entry, Probe, judged
from evenhand.audits.provenance import provenance
from evenhand.audits.quantity import Sided, Sure
from evenhand.audits.settings import Settings
from evenhand.audits.view import Scope
from evenhand.audits.viewing import thresholds_of, views_of
from evenhand.evidence import Evidence
from evenhand.finding import Finding
from evenhand.intervals.bounded import Bounded
from evenhand.measures.ranking import average_precision

QUESTION = "How well does the model tell violating items from others?"


@dataclass(frozen=True)
class AveragePrecision(Sided):
    """The area under precision over recall, as sure as a share of the violating items.

    A bootstrap of a handful of them would draw no variance at all where the area is 1.
    """

    name: str = "auprc"

    def value(self, scope: Scope) -> float:
        return average_precision(scope.classes)

    def sure(self, scope: Scope, value: float, level: float) -> Sure:
        found = scope.classes.violating.total
        return Sure(*Bounded(value, found.spread / found.weight**2).interval(level), "wilson_positives")

    def sides(self, scope: Scope) -> tuple[float, ...]:
        return tuple(mass.total.count for mass in scope.classes)


def audit_quality(evidence: Evidence, settings: Settings) -> Finding:
    """Measure every model on everything."""
    thresholds = thresholds_of(evidence, settings)
    views = views_of(evidence, evidence.parts[0], thresholds)
    entries: list[Entry] = []
    for model in evidence.models:
        slice_ = {"model": model} if len(evidence.models) > 1 else {}
        asked = [Probe(quantity, slice_, model) for quantity in (*OF_EVERYTHING, AveragePrecision())]
        entries += [(probe, *probe.estimate(views, settings.level)) for probe in asked]
    origin = provenance(evidence, settings) | {"thresholds": thresholds}
    return Finding("quality", QUESTION, judged(entries, settings.level), (), origin)
