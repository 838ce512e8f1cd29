"""Part by part: how much violates, and how much of it was removed; most first."""

from __future__ import annotations

import altair as alt

from evenhand.audits.accuracy.readings import OWN
from evenhand.figures.accuracy.overview import dots, row
from evenhand.figures.figure import MODELS, Figure
from evenhand.figures.naming import TopLevel, figure
from evenhand.finding import Finding

MOST = 40  # parts in one picture


def columns_of(finding: Finding) -> list[str]:
    """The columns that were sliced by, in order of appearance."""
    return [key for key in dict.fromkeys(key for m in finding for key in m.slice) if key not in OWN]


def sorted_parts(finding: Finding, column: str) -> list[str]:
    """The values of a column, highest prevalence first, those without a value last."""
    found = {name: finding.get("prevalence", **{column: name}).value for name in finding.values(column)}
    return sorted(found, key=lambda name: (found[name] is None, -(found[name] or 0.0), name))


def parts(finding: Finding, column: str) -> Figure | None:
    """A row a part; recall beside the prevalence where there are decisions. None when nothing has a value."""
    names = [name for name in sorted_parts(finding, column) if finding.get("prevalence", **{column: name}).defined]
    shown = names[:MOST]
    if not shown:
        return None
    panels = [_panel(finding, column, shown, "prevalence", "violating, per cent of all items")]
    if finding.has("recall") and any(finding.get("recall", **{column: name}).defined for name in shown):
        panels.append(_panel(finding, column, shown, "recall", "recall: per cent of it removed"))
    left = f" The {len(names) - len(shown)} with the lowest are left out." if len(names) > len(shown) else ""
    return figure(
        "accuracy",
        "parts",
        f"By {column}",
        "Dots are estimates, lines their intervals; the highest prevalence comes first. Hollow dots rest on few "
        f"violations, and their intervals are cautious.{left}",
        alt.hconcat(*panels, spacing=30),
        about={"by": column},
    )


def _panel(finding: Finding, column: str, names: list[str], measure: str, title: str) -> TopLevel:
    found = [(name, {column: name}) for name in names]
    rows = [row(n, finding, measure, part) for n, part in found if finding.get(measure, **part).defined]
    hue = MODELS[1] if measure == "prevalence" else MODELS[0]
    domain = None if measure == "prevalence" else [0.0, 100.0]
    return alt.layer(*dots(rows, title, hue, domain)).properties(width=300, height=max(2, len(names)) * 24)
