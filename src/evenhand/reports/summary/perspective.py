"""Whose judgement is shared less, in a sentence a model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.figures.perspective import furthest_first
from evenhand.finding import Finding
from evenhand.reports import sharing
from evenhand.reports.picking import Named, models
from evenhand.reports.summary.point import Point, listed, reach
from evenhand.reports.words import interval, number

NEXT = (
    "Read items where these people and the majority differ, and ask which judgement your rules mean; have more of them "
    "label such items."
)
MORE = "More annotators of the groups that are known least well would narrow this."


def points(finding: Finding) -> Iterator[Point]:
    """Groups that stand out, or how small a difference could have been seen."""
    for title, model in models(finding):
        card = sharing.card(finding, title, model)
        if not card["everybody"].defined:
            yield Point("open", "perspective", title, f"No value: {card['everybody'].note}.")
        elif card["less"] or card["more"] or card["signs"] or (card["clusters"] and card["clusters"]["off"]):
            yield Point("stands_out", "perspective", title, _found(card), _sure(finding, model, card), NEXT)
        else:
            fit = card["poor"]
            though = f" The model fits everybody's labels poorly, though (F1 {number('f1', fit.value)})." if fit else ""
            found = f"No group of annotators stands out.{though}"
            yield Point("quiet", "perspective", title, found, _reach(finding, model), MORE)


def _found(card: dict[str, Any]) -> str:
    less, more = ([group for group, _ in card[way]] for way in ("less", "more"))
    said = [f"shares the judgement of {listed(less)} less than everybody's"] if less else []
    said += [f"shares the judgement of {listed(more)} more than everybody's"] if more else []
    others = [group for group in card["signs"] if group not in (*less, *more)]
    said += [f"sides with or against {listed(others)} in other shares"] if others else []
    text = "; ".join(said) or "annotators whom it fits alike differ in who they are"
    return f"{text[0].upper()}{text[1:]}."


def _sure(finding: Finding, model: Named, card: dict[str, Any]) -> str:
    marked = [*card["less"], *card["more"]]
    if marked:
        group, e = marked[0]
        return f"Mean delta of {group} {number('conformity_delta', e.value)} ({interval('conformity_delta', e)})."
    if card["signs"]:
        group, signs = card["signs"][0], "uncertainty_divergence"
        e = finding.get(signs, **model, annotators=group)
        return f"Uncertainty divergence of {group} {number(signs, e.value or 0.0)} ({interval(signs, e)})."
    return ""


def _reach(finding: Finding, model: Named) -> str:
    found = reach((g, finding.get("conformity_delta", **model, annotators=g)) for g in furthest_first(finding))
    return f"Mean deltas {found}." if found else ""
