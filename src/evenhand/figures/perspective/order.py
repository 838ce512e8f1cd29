"""Which group of annotators comes first wherever groups are shown."""

from __future__ import annotations

from evenhand.audits.perspective.crowd import MANY
from evenhand.figures.naming import named
from evenhand.finding import Finding


def is_few(finding: Finding, group: str) -> bool:
    """Whether a group has so few annotators that hardly anything can be said of it."""
    return (finding.get("annotator_count", annotators=group).value or 0.0) < MANY


def furthest_first(finding: Finding) -> list[str]:
    """Groups by their highest mean delta in any model, where the model shares least; those of few people come last."""

    def highest(group: str) -> float:
        models = finding.values("model") or (None,)
        found = (finding.get("conformity_delta", **named(model), annotators=group).value for model in models)
        return max((value for value in found if value is not None), default=-2.0)

    return sorted(finding.values("annotators"), key=lambda group: (is_few(finding, group), -highest(group)))
