"""The bias audit: from evidence to a finding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from evenhand.audits.bias import caveats
from evenhand.audits.bias.diagnosis import Signs, in_words, shape, tendency, widest_by_chance
from evenhand.audits.bias.examples import examples
from evenhand.audits.bias.exhibits import exhibits
from evenhand.audits.bias.intersections import with_intersections
from evenhand.audits.bias.probes import probes
from evenhand.audits.bias.quantities import OF_GROUPS
from evenhand.audits.bias.settings import BiasSettings
from evenhand.audits.probe import Entry, judged
from evenhand.audits.provenance import provenance
from evenhand.audits.redraw import redrawn
from evenhand.audits.view import View, Views
from evenhand.audits.viewing import thresholds_of, views_of
from evenhand.errors import InputError, Undefined
from evenhand.evidence import Evidence, Part
from evenhand.finding import Exhibit, Finding, Reading
from evenhand.measures.bias import rank_spread
from evenhand.progress import Progress

QUESTION = "Does the model score groups differently?"


def audit_bias(evidence: Evidence, settings: BiasSettings, progress: Progress) -> Finding:
    """Measure every group against its background, for every model, on everything and on each slice."""
    declared, thresholds = evidence.groups, thresholds_of(evidence, settings)
    if settings.interval == "bootstrap" and not evidence.has_rows:
        raise InputError("the bootstrap needs the rows at hand, not on a cluster", source=evidence.name)
    if settings.intersections:
        evidence = with_intersections(evidence)
    entries: list[Entry] = []
    drawn: list[Exhibit] = []
    whole: Views = {}
    for part in evidence.parts:
        views = views_of(evidence, part, thresholds)
        entries += _measured(evidence, part, views, declared, settings, progress)
        drawn += _exhibits(evidence, part, views, declared)
        whole = whole or views
    origin = provenance(evidence, settings) | {"thresholds": thresholds}
    finding = Finding("bias", QUESTION, judged(entries, settings.level), (), origin)
    return replace(
        finding,
        exhibits=tuple(drawn),
        readings=tuple(_readings(finding, whole)),
        caveats=caveats.of(evidence, finding, settings, tests=sum(p is not None for *_, p in entries)),
        examples=examples(evidence, whole, declared, settings.examples),
    )


def _measured(
    evidence: Evidence, part: Part, views: Views, declared: tuple[str, ...], settings: BiasSettings, progress: Progress
) -> list[Entry]:
    title = "measuring" + (f" {', '.join(part.slice.values())}" if part.slice else "")
    asked = list(probes(evidence.models, part.slice, declared, evidence.groups, paired=evidence.has_rows))
    entries: list[Entry] = []
    for number, probe in enumerate(asked, start=1):
        entries.append((probe, *probe.estimate(views, settings.level)))
        progress(title, number, len(asked))
    if settings.interval == "bootstrap":
        return redrawn(views, entries, settings, lambda done, of: progress(f"{title}: bootstrap", done, of))
    return entries


def _exhibits(evidence: Evidence, part: Part, views: Views, groups: tuple[str, ...]) -> Iterator[Exhibit]:
    for model, view in views.items():
        for group in groups:
            slice_ = {"model": model, "group": group, **part.slice}
            yield from exhibits(view, group, slice_, evidence.scale(model))


def _readings(finding: Finding, views: Views) -> Iterator[Reading]:
    for model, view in views.items():
        named = {"model": model} if len(views) > 1 else {}
        for group in view.tally.groups:
            estimates = {q.name: finding.get(q.name, **named, group=group) for q in OF_GROUPS}
            try:
                reference = view.reference(group).value
            except Undefined:
                yield Reading(
                    {**named, "group": group}, "Nothing can be said: items of one class only were annotated for it."
                )
                continue
            signs = Signs(estimates, reference, wide=_wide(view, group), skewed=_skewed(finding, named, group))
            letter = shape(signs)
            yield Reading({**named, "group": group}, in_words(signs, letter), letter, tendency(signs, letter))


def _wide(view: View, group: str) -> bool:
    """Whether ranks scatter clearly more widely than those of the background, in both classes."""
    split = view.split(group)
    try:
        return all(rank_spread(split, violating=v) > widest_by_chance(split, violating=v) for v in (True, False))
    except Undefined:
        return False


def _skewed(finding: Finding, named: dict[str, str], group: str) -> bool:
    """Mostly violating items, and by far more so than everyone."""
    own = finding.get("positive_share", **named, group=group).value
    everyone = finding.get("positive_share", **named).value
    return own is not None and everyone is not None and own >= max(0.5, everyone + 0.2)
