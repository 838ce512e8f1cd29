"""evenhand plan: how many people it takes, and what may be decided without them."""

from __future__ import annotations

from typing import Annotated, Any, Optional

import typer

Text = Optional[str]  # noqa: UP045 (typer reads annotations at run time)
Number = Optional[float]  # noqa: UP045


def _option(help_: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=help_, show_default=False, **more)


def plan(
    file: Annotated[str, typer.Argument(help="Labelled history: a file, or a database URL.", show_default=False)],
    score: Annotated[str, _option("Score column, or several models' separated by commas.", "--score")],
    label: Annotated[str, _option("Label column.", "--label")],
    positive: Annotated[list[str] | None, _option("The label that means violating.")] = None,
    label_threshold: Annotated[Number, _option("Share of annotators from which an item is violating (0.5).")] = None,
    uncertainty: Annotated[Text, _option("Column that says how unsure the model is, for column:NAME.")] = None,
    count: Annotated[Text, _option("Column of counts: the row stands for so many equal rows.")] = None,
    where: Annotated[Text, _option("Keep only rows that meet this SQL condition.")] = None,
    query: Annotated[Text, _option("For a database URL: the query whose rows are the items.")] = None,
    strategies: Annotated[Text, _option("By commas: uncertainty, toxicity, hybrid:0.3, column:NAME.")] = None,
    target: Annotated[
        list[str] | None, _option("What to reach, as oc_accuracy=0.95; may be given more than once.", "--target")
    ] = None,
    false_removal: Annotated[Number, _option("What one false removal costs.")] = None,
    missed_violation: Annotated[Number, _option("What one missed violation costs.")] = None,
    review: Annotated[Number, _option("What one review costs.")] = None,
    items_per_day: Annotated[Number, _option("Items a day (10,000).")] = None,
    seconds_per_review: Annotated[Number, _option("Seconds that a review takes (30).")] = None,
    hours_per_day: Annotated[Number, _option("Hours a day in which one person reviews (6).")] = None,
    benign_error: Annotated[Number, _option("How often a reviewer calls a benign item violating (0).")] = None,
    violating_error: Annotated[Number, _option("How often a reviewer calls a violating item benign (0).")] = None,
    wrong_removals: Annotated[Number, _option("Promise: at most this share of automatic removals is wrong.")] = None,
    missed_violations: Annotated[Number, _option("Promise: at most this share of violations is left alone.")] = None,
    delta: Annotated[Number, _option("How often a promise may fail (0.1).")] = None,
    threshold: Annotated[Number, _option("Where the model's own predictions are cut (0.5).")] = None,
    level: Annotated[Number, _option("Level of the intervals (0.95).")] = None,
    seed: Annotated[Optional[int], _option("Seed of the bootstrap (0).")] = None,  # noqa: UP045
    json: Annotated[bool, _option("Print the finding as JSON and nothing else.", "--json")] = False,
) -> None:
    """Plan from labelled history: the capacity that costs least or reaches a target, reviewers, and safe thresholds."""
    from evenhand.audits.planning import PlanSettings, make_plan
    from evenhand.cli.audit_run import show
    from evenhand.cli.progress import progress_bar
    from evenhand.evidence import Declaration, open_evidence
    from evenhand.reports import Report

    roles = {
        "score": _listed(score),
        "label": label,
        "positive": positive or None,
        "label_threshold": label_threshold,
        "uncertainty": _listed(uncertainty),
        "count": count,
        "where": where,
    }
    settings = {
        "strategies": _listed(strategies),
        "targets": target or None,
        "false_removal": false_removal,
        "missed_violation": missed_violation,
        "review": review,
        "items_per_day": items_per_day,
        "seconds_per_review": seconds_per_review,
        "hours_per_day": hours_per_day,
        "benign_error": benign_error,
        "violating_error": violating_error,
        "wrong_removals": wrong_removals,
        "missed_violations": missed_violations,
        "delta": delta,
        "threshold": threshold,
        "level": level,
        "seed": seed,
    }
    chosen = PlanSettings.of(settings)
    with progress_bar() as progress:
        finding = make_plan(open_evidence(file, Declaration.of(roles), query=query), chosen, progress)
    show(Report((finding,)), "json" if json else "table")


def _listed(text: str | None) -> list[str] | None:
    return [part.strip() for part in text.split(",") if part.strip()] if text else None
