"""evenhand plan: how many people it takes, and what may be decided without them."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from evenhand.cli.options import Number, Text, listed, option


def plan(
    file: Annotated[str, typer.Argument(help="Labelled history: a file, or a database URL.", show_default=False)],
    score: Annotated[Text, option("Score column, or several models' separated by commas.", "--score")] = None,
    label: Annotated[Text, option("Label column.", "--label")] = None,
    positive: Annotated[list[str] | None, option("The label that means violating.")] = None,
    label_threshold: Annotated[Number, option("Share of annotators from which an item is violating (0.5).")] = None,
    uncertainty: Annotated[Text, option("Column that says how unsure the model is, for column:NAME.")] = None,
    count: Annotated[Text, option("Column of counts: the row stands for so many equal rows.")] = None,
    where: Annotated[Text, option("Keep only rows that meet this SQL condition.")] = None,
    query: Annotated[Text, option("For a database URL: the query whose rows are the items.")] = None,
    strategies: Annotated[Text, option("By commas: uncertainty, toxicity, hybrid:0.3, column:NAME.")] = None,
    target: Annotated[
        list[str] | None,
        option("What to reach, as oc_accuracy=0.95 or oc_recall=90%; may be repeated.", "--target"),
    ] = None,
    false_removal: Annotated[Number, option("What one false removal costs.")] = None,
    missed_violation: Annotated[Number, option("What one missed violation costs.")] = None,
    review: Annotated[Number, option("What one review costs.")] = None,
    items_per_day: Annotated[Number, option("Items a day (10,000).")] = None,
    seconds_per_review: Annotated[Number, option("Seconds that a review takes (30).")] = None,
    hours_per_day: Annotated[Number, option("Hours a day in which one person reviews (6).")] = None,
    benign_error: Annotated[Number, option("How often a reviewer calls a benign item violating (0).")] = None,
    violating_error: Annotated[Number, option("How often a reviewer calls a violating item benign (0).")] = None,
    wrong_removals: Annotated[Number, option("Promise: at most this share of automatic removals is wrong.")] = None,
    missed_violations: Annotated[Number, option("Promise: at most this share of violations is left alone.")] = None,
    delta: Annotated[Number, option("How often a promise may fail (0.1).")] = None,
    threshold: Annotated[Number, option("Where the model's own predictions are cut (0.5).")] = None,
    level: Annotated[Number, option("Level of the intervals (0.95).")] = None,
    seed: Annotated[Optional[int], option("Seed of the bootstrap (0).")] = None,  # noqa: UP045
    json: Annotated[bool, option("Print the finding as JSON and nothing else.", "--json")] = False,
) -> None:
    """Plan from labelled history: the capacity that costs least or reaches a target, reviewers, and safe thresholds."""
    from evenhand.audits.planning import PlanSettings, make_plan
    from evenhand.cli.audit_run import show
    from evenhand.cli.progress import progress_bar
    from evenhand.evidence import Declaration, open_evidence
    from evenhand.reports import Report

    roles = {
        "score": listed(score),
        "label": label,
        "positive": positive or None,
        "label_threshold": label_threshold,
        "uncertainty": listed(uncertainty),
        "count": count,
        "where": where,
    }
    settings = {
        "strategies": listed(strategies),
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
