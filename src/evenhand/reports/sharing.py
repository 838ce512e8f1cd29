"""Whose judgement a model shares less, how sure that is, and what to do next: the card of the perspective section."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evenhand.audits.perspective.readings import POOR
from evenhand.estimate import Estimate
from evenhand.figures.perspective import furthest_first, is_few
from evenhand.finding import Finding, Reading
from evenhand.reports.picking import Named, get, models

DELTA, SIGNS, CLUSTERS = "conformity_delta", "uncertainty_divergence", "demographic_divergence"


def card(finding: Finding, title: str, model: Named) -> dict[str, Any]:
    """Which groups stand out and how, what the clusters say, and so what to do next."""
    groups = furthest_first(finding)
    everybody = finding.get(DELTA, **model)
    marked = [(group, e) for group, e in _found(finding, DELTA, model, groups) if _stands_out(e)]
    return {
        "model": title,
        "key": title or None,
        "people": finding.get("annotator_count").value,
        "everybody": everybody,
        "less": [(group, e) for group, e in marked if _above(e, everybody)],
        "more": [(group, e) for group, e in marked if not _above(e, everybody)],
        "range": _range(finding, model, groups),
        "signs": [group for group, e in _found(finding, SIGNS, model, groups) if _stands_out(e)],
        "clusters": _clusters(finding, model),
        "poor": poor(finding, model),
    }


def poor(finding: Finding, model: Named) -> Estimate | None:
    """The F1 against everybody's labels, where the model fits them poorly."""
    fit = finding.get("f1", **model)
    return fit if fit.value is not None and fit.value < POOR else None


def general(finding: Finding) -> str:
    """How often people differ from the majority, and how far they agree: the same for all models."""
    return next((reading.text for reading in finding.readings if not reading.slice), "")


def lines(finding: Finding, title: str, model: Named) -> list[str]:
    """The same as sentences for a terminal."""
    found = card(finding, title, model)
    said = [reading.text for reading in _readings(finding, model)]
    if found["signs"]:
        said.append(f"By uncertainty divergence stand out: {', '.join(found['signs'])}.")
    return [f"{title}: {text}" if title else text for text in said]


def few(finding: Finding) -> str:
    """Of which groups little can be said; empty where there are none."""
    named = [
        f"{group} ({finding.get('annotator_count', annotators=group).value:,.0f})"
        for group in furthest_first(finding)
        if is_few(finding, group) and not _anywhere(finding, group)
    ]
    said = "Too few annotators to say much of: {}; a difference there would hardly be seen."
    return said.format(", ".join(named)) if named else ""


def _anywhere(finding: Finding, group: str) -> bool:
    """Whether a group stands out in any model."""
    return any(_stands_out(finding.get(DELTA, **model, annotators=group)) for _, model in models(finding))


def _readings(finding: Finding, model: Named) -> Sequence[Reading]:
    """What was read of one model: its groups, then its clusters. The first of all is about people."""
    return [r for r in finding.readings[1:] if r.slice.items() >= model.items()]


def _clusters(finding: Finding, model: Named) -> dict[str, Any] | None:
    e, shuffled = get(finding, CLUSTERS, model), get(finding, CLUSTERS, {**model, "as_if": "shuffled"})
    return None if e is None else {"found": e, "shuffled": shuffled, "off": _stands_out(e)}


def _found(finding: Finding, measure: str, model: Named, groups: Sequence[str]) -> list[tuple[str, Estimate]]:
    """The groups that have a value."""
    found = [(group, finding.get(measure, **model, annotators=group)) for group in groups]
    return [(group, e) for group, e in found if e.defined]


def _range(finding: Finding, model: Named, groups: Sequence[str]) -> list[tuple[str, Estimate]]:
    """The lowest and the highest mean delta of groups that are not few."""
    known = _found(finding, DELTA, model, groups)
    enough = [pair for pair in known if not is_few(finding, pair[0])] or known
    order = sorted(enough, key=lambda pair: pair[1].value or 0.0)
    return [order[0], order[-1]] if order else []


def _above(e: Estimate, everybody: Estimate) -> bool:
    return (e.value or 0.0) > (everybody.value or 0.0)


def _stands_out(e: Estimate) -> bool:
    return "stands_out" in e.flags
