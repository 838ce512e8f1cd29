"""The collaboration audit: what a limited number of human looks is worth, by which strategy and at which capacity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from evenhand.audits.collaboration import caveats, readings
from evenhand.audits.collaboration.exhibits import exhibits
from evenhand.audits.collaboration.quantities import PLAIN, Ece, at, of_strategy
from evenhand.audits.collaboration.settings import CollaborationSettings
from evenhand.audits.probe import Entry, Probe, judged
from evenhand.audits.provenance import provenance
from evenhand.audits.quantity import Quantity
from evenhand.audits.redraw import redrawn
from evenhand.audits.view import Views
from evenhand.audits.viewing import thresholds_of, views_of
from evenhand.errors import InputError
from evenhand.evidence import Evidence, Part
from evenhand.finding import Exhibit, Finding, Slice
from evenhand.progress import Progress
from evenhand.routing.strategies import Strategy, Supplied, parse

QUESTION = "What is a limited number of human looks worth, and how should they be spent?"
Asked = list[tuple[Quantity, Slice]]


def audit_collaboration(evidence: Evidence, settings: CollaborationSettings, progress: Progress) -> Finding:
    """Measure every model with every strategy at every capacity: on everything, on each slice, and for each group."""
    if not evidence.has_rows:
        raise InputError("this audit needs the rows at hand, not on a cluster", source=evidence.name)
    thresholds = thresholds_of(evidence, settings)
    strategies = _strategies(evidence, settings)
    entries: list[Entry] = []
    drawn: list[Exhibit] = []
    for part in evidence.parts:
        views = views_of(evidence, part, thresholds)
        entries += _measured(evidence, part, views, strategies, settings, progress)
        if not part.number:
            drawn += exhibits(views, strategies, settings)
    origin = provenance(evidence, settings) | {"thresholds": thresholds, "strategies": [s.name for s in strategies]}
    entire = judged(entries, settings.level)
    finding = Finding("collaboration", QUESTION, entire, (), origin, exhibits=tuple(drawn))
    return replace(
        finding,
        readings=tuple(readings.of(finding, evidence.models, strategies, settings)),
        caveats=caveats.of(evidence, finding, settings),
    )


def _strategies(evidence: Evidence, settings: CollaborationSettings) -> tuple[Strategy, ...]:
    """Those that were asked for, and the supplied column where one is declared."""
    chosen = list(settings.chosen.values())
    for strategy in chosen:
        if isinstance(strategy, Supplied) and strategy.column not in evidence.declaration.uncertainty:
            problem = f"the strategy '{strategy.name}' needs the column declared with --uncertainty {strategy.column}"
            raise InputError(problem, source=evidence.name)
    if evidence.declaration.uncertainty and not any(isinstance(s, Supplied) for s in chosen):
        chosen.append(parse(f"column:{evidence.declaration.uncertainty[0]}"))
    return tuple(chosen)


def _measured(
    evidence: Evidence,
    part: Part,
    views: Views,
    strategies: tuple[Strategy, ...],
    settings: CollaborationSettings,
    progress: Progress,
) -> list[Entry]:
    title = "reviewing" + (f" {', '.join(part.slice.values())}" if part.slice else "")
    asked = list(_probes(evidence, part, strategies, settings))
    entries: list[Entry] = []
    for number, probe in enumerate(asked, start=1):
        entries.append((probe, *probe.estimate(views, settings.level)))
        if not number % 50:
            progress(title, number, len(asked))
    if settings.interval == "bootstrap":
        return redrawn(views, entries, settings, lambda done, of: progress(f"{title}: bootstrap", done, of))
    by_bootstrap = [entry for entry in entries if isinstance(entry[0].quantity, Ece) and entry[0].group is None]
    everybody = {model: replace(view, placed=view.rows.without_groups()) for model, view in views.items()}
    again = iter(redrawn(everybody, by_bootstrap, settings, lambda done, of: progress(f"{title}: bootstrap", done, of)))
    return [next(again) if entry in by_bootstrap else entry for entry in entries]


def _probes(
    evidence: Evidence, part: Part, strategies: tuple[Strategy, ...], settings: CollaborationSettings
) -> Iterator[Probe]:
    groups = (None, *(evidence.groups if not part.number else ()))
    several = len(evidence.models) > 1
    for model in evidence.models:
        for group in groups:
            named = {"model": model if several else None, "group": group}
            base = {key: value for key, value in named.items() if value is not None} | dict(part.slice)
            for quantity, slice_ in _asked(strategies, settings):
                if group is None or not isinstance(quantity, Ece):  # of a small group it is mostly noise
                    yield Probe(quantity, base | dict(slice_), model, group)


def _asked(strategies: tuple[Strategy, ...], settings: CollaborationSettings) -> Asked:
    asked: Asked = [(quantity, {}) for quantity in PLAIN]
    for strategy in strategies:
        named = {"strategy": strategy.name}
        asked += [(quantity, named) for quantity in of_strategy(strategy)]
        for text, capacity in settings.asked.items():
            asked += [(quantity, {**named, "capacity": text}) for quantity in at(strategy, capacity)]
    return asked
