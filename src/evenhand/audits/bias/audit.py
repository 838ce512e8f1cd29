"""The bias audit: from evidence to a finding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from evenhand.audits.bias import caveats
from evenhand.audits.bias.diagnosis import Signs, in_words, shape, tendency
from evenhand.audits.bias.examples import examples
from evenhand.audits.bias.exhibits import exhibits
from evenhand.audits.bias.intersections import with_intersections
from evenhand.audits.bias.probes import Views, probes
from evenhand.audits.bias.quantities import OF_GROUPS
from evenhand.audits.bias.redraw import Entry, redrawn
from evenhand.audits.bias.view import View
from evenhand.audits.provenance import provenance
from evenhand.audits.settings import Progress, Settings
from evenhand.errors import Undefined
from evenhand.evidence import Evidence, Part
from evenhand.finding import Exhibit, Finding, Measured, Reading
from evenhand.intervals.multiple import holm
from evenhand.measures.bias import rank_spread

QUESTION = "Does the model score groups differently?"
STANDS_OUT = "stands_out"


def audit_bias(evidence: Evidence, settings: Settings, progress: Progress) -> Finding:
    """Measure every group against its background, for every model, on everything and on each slice."""
    declared = evidence.groups
    if settings.intersections:
        evidence = with_intersections(evidence)
    entries: list[Entry] = []
    drawn: list[Exhibit] = []
    whole: Views = {}
    for part in evidence.parts:
        views = _views(evidence, part, settings)
        entries += _measured(evidence, part, views, declared, settings, progress)
        drawn += _exhibits(evidence, part, views, declared)
        whole = whole or views
    finding = Finding("bias", QUESTION, _judged(entries, settings.level), (), provenance(evidence, settings))
    return replace(
        finding,
        exhibits=tuple(drawn),
        readings=tuple(_readings(finding, whole)),
        caveats=caveats.of(evidence, finding, tests=sum(p is not None for *_, p in entries)),
        examples=examples(evidence, whole, declared, settings.examples),
    )


def _views(evidence: Evidence, part: Part, settings: Settings) -> Views:
    thresholds = {
        model: evidence.scale(model).threshold if settings.threshold is None else settings.threshold
        for model in evidence.models
    }
    return {
        model: View(tally, thresholds[model], placed) for model, tally, placed in evidence.tallies(part, thresholds)
    }


def _measured(
    evidence: Evidence, part: Part, views: Views, declared: tuple[str, ...], settings: Settings, progress: Progress
) -> list[Entry]:
    title = "measuring" + (f" {', '.join(part.slice.values())}" if part.slice else "")
    asked = list(probes(evidence.models, part.slice, declared, evidence.groups, paired=evidence.has_rows))
    entries: list[Entry] = []
    for number, probe in enumerate(asked, start=1):
        entries.append((probe, *probe.estimate(views, settings.level)))
        progress(title, number, len(asked))
    if settings.interval == "bootstrap" and evidence.has_rows:
        return redrawn(views, entries, settings, lambda done, of: progress(f"{title}: bootstrap", done, of))
    return entries


def _judged(entries: list[Entry], level: float) -> tuple[Measured, ...]:
    """All estimates; those that stand out among all comparisons made are marked."""
    tested = [(number, p) for number, (*_, p) in enumerate(entries) if p is not None]
    marks = holm([p for _, p in tested], 1.0 - level)
    standing = {number for (number, _), mark in zip(tested, marks, strict=True) if mark}
    return tuple(
        Measured(probe.quantity.name, probe.slice, estimate.flagged(STANDS_OUT) if number in standing else estimate)
        for number, (probe, estimate, _) in enumerate(entries)
    )


def _exhibits(evidence: Evidence, part: Part, views: Views, groups: tuple[str, ...]) -> Iterator[Exhibit]:
    for model, view in views.items():
        for group in groups:
            slice_ = {"model": model, "group": group, **part.slice}
            yield from exhibits(view, group, slice_, evidence.scale(model))


def _readings(finding: Finding, views: Views) -> Iterator[Reading]:
    for model, view in views.items():
        named = {"model": model} if len(views) > 1 else {}
        overall = finding.get("auroc", **named).value
        for group in view.tally.groups:
            estimates = {q.name: finding.get(q.name, **named, group=group) for q in OF_GROUPS}
            signs = Signs(estimates, overall or 0.0, _spreads(view, group), _skewed(finding, named, group))
            letter = shape(signs)
            yield Reading({**named, "group": group}, in_words(signs, letter), letter, tendency(signs, letter))


def _spreads(view: View, group: str) -> tuple[float, float] | None:
    split = view.split(group)
    try:
        return rank_spread(split, violating=True), rank_spread(split, violating=False)
    except Undefined:
        return None


def _skewed(finding: Finding, named: dict[str, str], group: str) -> bool:
    """Mostly violating items, and by far more so than everyone."""
    own = finding.get("positive_share", **named, group=group).value
    everyone = finding.get("positive_share", **named).value
    return own is not None and everyone is not None and own >= max(0.5, everyone + 0.2)
