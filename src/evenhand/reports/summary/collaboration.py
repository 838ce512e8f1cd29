"""What review is worth, in a sentence a model."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.estimate import Estimate
from evenhand.figures.collaboration import headline, looked_at
from evenhand.finding import Finding
from evenhand.reports.picking import Named, models
from evenhand.reports.summary.point import Point
from evenhand.reports.words import number, percent

NEXT = "Decide how much people can review: evenhand plan says how many people a target takes and what it costs."


def points(finding: Finding) -> Iterator[Point]:
    """At the capacity of the headline, by the strategy that ends up right most often."""
    at, strategies = headline(finding.values("capacity")), finding.values("strategy")
    for title, model in models(finding):
        known = [(value, name) for name in strategies if (value := _at(finding, model, name, at).value) is not None]
        if not known:
            why = _at(finding, model, strategies[0], at).note
            yield Point("open", "collaboration", title, f"What review is worth has no value: {why}.")
            continue
        right, strategy = max(known)
        alone = finding.get("accuracy", **model).value or 0.0
        found = (
            f"If people look at {looked_at(at)}, chosen by {strategy}, accuracy goes from {number('accuracy', alone)} "
            f"to {number('oc_accuracy', right)}."
        )
        yield Point("measured", "collaboration", title, found, _pays(finding, model, strategy, at), NEXT)


def _at(finding: Finding, model: Named, strategy: str, at: str) -> Estimate:
    return finding.get("oc_accuracy", **model, strategy=strategy, capacity=at)


def _pays(finding: Finding, model: Named, strategy: str, at: str) -> str:
    e = finding.get("review_effectiveness", **model, strategy=strategy, capacity=at)
    if e.value is None or e.low is None or e.high is None:
        return ""
    return f"That finds {percent(e.value)} of the model's errors ({percent(e.low)} to {percent(e.high)})."
