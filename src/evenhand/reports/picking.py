"""How sections find what they show in a finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evenhand.estimate import Estimate
from evenhand.finding import Finding
from evenhand.reports.section import Row

Named = Mapping[str, str]


def models(finding: Finding) -> list[tuple[str, Named]]:
    """Each model with its slice; one model alone has neither name nor slice."""
    return [(model, {"model": model}) for model in finding.values("model")] or [("", {})]


def get(finding: Finding, measure: str, slice_: Named) -> Estimate | None:
    """The estimate, or None where none was taken."""
    return finding.get(measure, **slice_) if finding.has(measure, **slice_) else None


def row(finding: Finding, title: str, slice_: Named, measures: Sequence[str]) -> Row:
    """The row of a grid: several measures of one slice."""
    return (title, [get(finding, measure, slice_) for measure in measures], None)


def parts(finding: Finding, own: Sequence[str]) -> list[dict[str, str]]:
    """The slices beyond everything, in order of appearance; `own` keys are the section's, not the evidence's."""
    found = [{key: value for key, value in m.slice.items() if key not in own} for m in finding]
    return [dict(part) for part in dict.fromkeys(tuple(part.items()) for part in found) if part]


def slice_name(part: Named) -> str:
    """How a slice of the evidence is called."""
    if dict(part) == {"length": "short"}:
        return "Short items (fewer than 100 characters)"
    return ", ".join(f"{key}: {value}" for key, value in part.items())
