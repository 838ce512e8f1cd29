"""The tables of a plan: its policy, other thresholds, other numbers of reviewers, other strategies."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from enum import StrEnum

from evenhand.catalogue.collaboration import MISSED_VIOLATIONS, OC_RECALL, REMOVED, REVIEWED, REVIEWERS, WRONG_REMOVALS
from evenhand.finding import Exhibit
from evenhand.routing.review_policy import on_input_scale
from evenhand.staffing.review_plan import PolicyRow, ReviewPlan


class StaffingExhibit(StrEnum):
    """The tables that travel with the finding."""

    POLICY = "policy"
    FRONTIER = "frontier"
    PEOPLE = "people"
    STRATEGIES = "strategies"


FIGURE_COLUMNS = {
    str(REMOVED): REMOVED,
    "wrong": WRONG_REMOVALS,
    str(REVIEWED): REVIEWED,
    "missed": MISSED_VIOLATIONS,
    "found": OC_RECALL,
}
WITH_INTERVALS = ("wrong", "missed", "found")
PER_DAY = (str(REMOVED), str(REVIEWED))


def review_exhibits(plan: ReviewPlan) -> Iterator[Exhibit]:
    """All tables of one plan."""
    limit = plan.settings.wrong_removals
    content: dict[str, list[float | str | None]] = {"policy": [json.dumps(plan.policy.to_dict())], "limit": [limit]}
    yield Exhibit(StaffingExhibit.POLICY, plan.model, content)
    items = plan.settings.items_per_day
    scores = [None if row.value is None else on_input_scale(row.value, plan.policy.scale) for row in plan.frontier]
    frontier: dict[str, list[float | str | None]] = {**_columns("threshold", plan.frontier, items), "score": [*scores]}
    yield Exhibit(StaffingExhibit.FRONTIER, plan.model, frontier)
    yield Exhibit(StaffingExhibit.PEOPLE, plan.model, _columns(str(REVIEWERS), plan.by_people, items))
    named = {"strategy": [row.name for row in plan.by_strategy]}
    yield Exhibit(StaffingExhibit.STRATEGIES, plan.model, {**named, **_figures(plan.by_strategy, items)})


def _columns(head: str, rows: Sequence[PolicyRow], items: float) -> dict[str, list[float | str | None]]:
    return {head: [row.value for row in rows], **_figures(rows, items)}


def _figures(rows: Sequence[PolicyRow], items: float) -> dict[str, list[float | str | None]]:
    columns: dict[str, list[float | str | None]] = {}
    for name, measure in FIGURE_COLUMNS.items():
        factor = items if name in PER_DAY else 1.0
        estimates = [row.figures[measure] for row in rows]
        columns[f"{name}_per_day" if name in PER_DAY else name] = [
            None if e.value is None else round(factor * e.value, 6) for e in estimates
        ]
        if name in WITH_INTERVALS:
            columns |= {f"{name}_low": [e.low for e in estimates], f"{name}_high": [e.high for e in estimates]}
    columns["chosen"] = [float(row.chosen) for row in rows]
    return columns
