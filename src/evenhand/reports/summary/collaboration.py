"""What review is worth, in a sentence a model."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.figures.collaboration import headline, looked_at
from evenhand.finding import Finding
from evenhand.reports.picking import Named, models
from evenhand.reports.summary.point import Point
from evenhand.reports.words import percent
from evenhand.reports.worth import changes, ranked

NEXT = "Decide how much people can review: evenhand plan says how many people a target takes and what it costs."


def points(finding: Finding) -> Iterator[Point]:
    """At the capacity of the headline, by the strategy that is worth most there."""
    at, strategies = headline(finding.values("capacity")), finding.values("strategy")
    for title, model in models(finding):
        known = ranked(finding, model, at)
        if not known:
            why = finding.get("oc_accuracy", **model, strategy=strategies[0], capacity=at).note
            yield Point("open", "collaboration", title, f"What review is worth has no value: {why}.")
            continue
        moved = " and ".join(
            f"{name} goes from {alone} to {together}" for name, alone, together in changes(finding, model, known[0], at)
        )
        found, strategy = f"If people look at {looked_at(at)}, chosen by {known[0]}, {moved}.", known[0]
        yield Point("measured", "collaboration", title, found, _pays(finding, model, strategy, at), NEXT)


def _pays(finding: Finding, model: Named, strategy: str, at: str) -> str:
    e = finding.get("review_effectiveness", **model, strategy=strategy, capacity=at)
    if e.value is None or e.low is None or e.high is None:
        return ""
    return f"That finds {percent(e.value)} of the model's errors ({percent(e.low)} to {percent(e.high)})."
