"""By which measure a headline says what review is worth: accuracy, or where that says little recall and precision."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.audits.collaboration.readings import says_little
from evenhand.finding import Finding
from evenhand.reports.picking import Named
from evenhand.reports.words import number

PLAIN = (("accuracy", "oc_accuracy"),)
RARE = (("recall", "oc_recall"), ("precision", "oc_precision"))


def ranked(finding: Finding, model: Named, at: str) -> list[str]:
    """Strategies that have a value, the one that is worth most first: by OC-F1 where accuracy says little."""
    right = _values(finding, model, at, "oc_accuracy")
    other = _values(finding, model, at, "oc_f1") if says_little(finding, model) else {}
    return sorted(right, key=lambda name: (-other.get(name, 0.0), -right[name]))


def changes(finding: Finding, model: Named, strategy: str, at: str) -> list[tuple[str, str, str]]:
    """What the headline shows: a measure, its value for the model alone, and with review."""
    chosen = {**model, "strategy": strategy, "capacity": at}
    rare = _known(finding, model, chosen, RARE) if says_little(finding, model) else []
    return rare or _known(finding, model, chosen, PLAIN)


def _known(
    finding: Finding, model: Named, chosen: Named, pairs: Sequence[tuple[str, str]]
) -> list[tuple[str, str, str]]:
    found = [(name, finding.get(name, **model).value, finding.get(oc, **chosen).value) for name, oc in pairs]
    return [
        (name, number(name, alone), number(name, together))
        for name, alone, together in found
        if alone is not None and together is not None
    ]


def _values(finding: Finding, model: Named, at: str, measure: str) -> dict[str, float]:
    found = {
        name: finding.get(measure, **model, strategy=name, capacity=at).value for name in finding.values("strategy")
    }
    return {name: value for name, value in found.items() if value is not None}
