"""The section on a plan: the answer, what it finds, other thresholds and numbers of reviewers, and the policy file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from typing import Any

from evenhand.catalogue.collaboration import (
    COST_PER_DAY,
    LEFT,
    MISSED_VIOLATIONS,
    OC_ACCURACY,
    OC_PRECISION,
    OC_RECALL,
    REMOVE_FROM,
    REMOVED,
    REVIEWED,
    REVIEWERS,
    WRONG_REMOVALS,
)
from evenhand.figures.plan import PlanFigure
from evenhand.finding import Exhibit, Finding, Slice, SliceKey
from evenhand.formatting import format_share, significant_digits
from evenhand.reports.section import EstimateGrid, EstimateRow, Section, find_estimate
from evenhand.routing.review_policy import threshold_in_words
from evenhand.staffing.exhibits import StaffingExhibit
from evenhand.staffing.review_plan import THIS_PLAN

PLAN_MEASURES = (REVIEWERS, REMOVED, REVIEWED, LEFT, WRONG_REMOVALS, OC_RECALL, OC_PRECISION, COST_PER_DAY)
GLOSSARY = (*PLAN_MEASURES, MISSED_VIOLATIONS, OC_ACCURACY)
HEADS = {
    StaffingExhibit.FRONTIER: ("threshold", "Remove from"),
    StaffingExhibit.PEOPLE: (str(REVIEWERS), REVIEWERS.title),
    StaffingExhibit.STRATEGIES: ("strategy", "Review by"),
}
FILE_NAMES = {StaffingExhibit.FRONTIER: "frontier", StaffingExhibit.PEOPLE: str(REVIEWERS)}


def template_context(finding: Finding) -> dict[str, Any]:
    """Everything that the template needs."""
    return {
        "has_policy": has_policy(finding),
        "models": [_model_context(finding, name, slice_) for name, slice_ in finding.models],
        "figures": PlanFigure,
        "glossary": [m for m in GLOSSARY if any(measured.measure == m for measured in finding)],
    }


def has_policy(finding: Finding) -> bool:
    """Whether the plan is a policy for the day, not single answers."""
    return any(exhibit.kind == StaffingExhibit.POLICY for exhibit in finding.exhibits)


def _model_context(finding: Finding, name: str, slice_: Slice) -> dict[str, Any]:
    exhibits = {e.kind: e for e in finding.exhibits if e.slice == slice_}
    scale = _scale(finding, slice_)
    return {
        "name": name,
        "verdicts": [verdict for verdict in finding.verdicts if verdict.slice == slice_],
        "readings": [reading.text for reading in finding.readings if reading.slice == slice_],
        "figures": _figure_grid(finding, slice_),
        "tables": {kind.value: _table(exhibits[kind], *HEADS[kind], scale) for kind in HEADS if kind in exhibits},
    }


def _figure_grid(finding: Finding, slice_: Slice) -> EstimateGrid:
    own = {**slice_, SliceKey.TARGET: THIS_PLAN}
    measures = tuple(m for m in PLAN_MEASURES if finding.has(m, **own))
    upper = find_estimate(finding, REMOVE_FROM, own)
    name = "remove nothing"
    if upper is not None and upper.value is not None:
        name = f"remove from {threshold_in_words(upper.value, _scale(finding, slice_))}"
    row: EstimateRow = (name, [find_estimate(finding, measure, own) for measure in measures], None)
    brief = (REVIEWERS, WRONG_REMOVALS, OC_RECALL)
    return EstimateGrid("This plan", measures, [row], brief=brief)


def _scale(finding: Finding, slice_: Slice) -> str:
    """That of the scores the plan was made from."""
    policies = (e for e in finding.exhibits if e.slice == slice_ and e.kind == StaffingExhibit.POLICY)
    return next((str(json.loads(str(e.columns["policy"][0]))["scale"]) for e in policies), "")


def _table(exhibit: Exhibit, head: str, title: str, scale: str) -> dict[str, Any]:
    """Rows of words, for a page."""
    heads = [title, "Removed a day", "Wrong", "Reviewed a day", "Violations missed", "Violations found"]
    names = list(exhibit.columns)
    rows = []
    for values in zip(*exhibit.columns.values(), strict=True):
        row = dict(zip(names, values, strict=True))
        named = _named(row[head], scale if head == "threshold" else "")
        shares = [_share(row, part) for part in ("wrong", "missed", "found")]
        cells = [named, _whole(row["removed_per_day"]), shares[0], _whole(row["reviewed_per_day"]), *shares[1:]]
        rows.append({"cells": cells, "chosen": bool(row["chosen"])})
    return {"heads": heads, "rows": rows}


def _named(value: float | str | None, scale: str) -> str:
    """What a row is about: a strategy, a number of people, or a threshold on the scale of the scores."""
    if isinstance(value, str) or value is None:
        return value or "nothing"
    return threshold_in_words(value, scale) if scale else f"{value:g}"


def _whole(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"


def _share(row: Mapping[str, Any], part: str) -> str:
    if row[part] is None:
        return "–"
    low, high = (significant_digits(100.0 * row[f"{part}_{end}"], 3) for end in ("low", "high"))
    return f"{format_share(row[part])} ({low} to {high})"


def _terminal_grids(finding: Finding) -> list[EstimateGrid]:
    return [_figure_grid(finding, slice_) for _, slice_ in finding.models] if has_policy(finding) else []


def _terminal_lines(finding: Finding) -> list[str]:
    """The readings, and what to do next."""
    sentences = [(r.slice, r.text) for r in finding.readings]
    if not has_policy(finding):
        sentences = sentences or [(v.slice, f"{v.statement} {v.certainty}".strip()) for v in finding.verdicts]
    lines = [f"{name}: {text}" if (name := ", ".join(slice_.values())) else text for slice_, text in sentences]
    return [*lines, *dict.fromkeys(f"Next step: {v.action}" for v in finding.verdicts if v.action)]


def plan_files(finding: Finding) -> Mapping[str, str]:
    """The policy as JSON, other thresholds and numbers of reviewers as CSV; numbered if there are several models."""
    files: dict[str, str] = {}
    for number, (name, slice_) in enumerate(finding.models, start=1):
        suffix = f"_{number}" if name else ""
        for exhibit in finding.exhibits:
            if exhibit.slice != slice_:
                continue
            if exhibit.kind == StaffingExhibit.POLICY:
                policy = json.loads(str(exhibit.columns["policy"][0]))
                files[f"policy{suffix}.json"] = json.dumps(policy, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
            elif exhibit.kind in (StaffingExhibit.FRONTIER, StaffingExhibit.PEOPLE):
                files[f"{FILE_NAMES[StaffingExhibit(exhibit.kind)]}{suffix}.csv"] = _as_csv(exhibit)
    return files


def _as_csv(exhibit: Exhibit) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(exhibit.columns)
    writer.writerows(
        ["" if value is None else value for value in row] for row in zip(*exhibit.columns.values(), strict=True)
    )
    return text.getvalue()


SECTION = Section("plan.html", template_context, _terminal_grids, _terminal_lines, files=plan_files)
