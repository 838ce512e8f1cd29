"""evenhand plan: how many people it takes, and what may be decided without them."""

from __future__ import annotations

from typing import Annotated, TypedDict

import typer

from evenhand.choices import Choice, Number, Roles, Settings, Texts
from evenhand.cli.options import Query, only, with_options
from evenhand.cli.output import Json

Columns = Annotated[
    Roles,
    only(
        *("score", "label", "positive", "label_threshold", "count", "where"),
        uncertainty="Column that says how unsure the model is, for column:NAME.",
    ),
]

SHARED = only(
    "level",
    threshold="Where the model's own predictions are cut (0.5).",
    seed="Seed of the bootstrap (0).",
    strategies="By commas: uncertainty, toxicity, hybrid:0.3, column:NAME.",
)


class Wishes(TypedDict):
    """What to plan for, beside the settings that audits have too."""

    targets: Annotated[
        Texts, Choice("What to reach, as oc_accuracy=0.95 or oc_recall=90%; may be repeated.", flags=("--target",))
    ]
    false_removal: Annotated[Number, Choice("What one false removal costs.")]
    missed_violation: Annotated[Number, Choice("What one missed violation costs.")]
    review: Annotated[Number, Choice("What one review costs.")]
    items_per_day: Annotated[Number, Choice("Items a day (10,000).")]
    seconds_per_review: Annotated[Number, Choice("Seconds that a review takes (30).")]
    hours_per_day: Annotated[Number, Choice("Hours a day in which one person reviews (6).")]
    benign_error: Annotated[Number, Choice("How often a reviewer calls a benign item violating (0).")]
    violating_error: Annotated[Number, Choice("How often a reviewer calls a violating item benign (0).")]
    wrong_removals: Annotated[Number, Choice("Promise: at most this share of automatic removals is wrong.")]
    missed_violations: Annotated[Number, Choice("Promise: at most this share of violations is left alone.")]
    delta: Annotated[Number, Choice("How often a promise may fail (0.1).")]


@with_options
def plan(
    file: Annotated[str, typer.Argument(help="Labelled history: a file, or a database URL.", show_default=False)],
    columns: Columns,
    query: Query,
    wishes: Wishes,
    shared: Annotated[Settings, SHARED],
    json: Json,
) -> None:
    """Plan from labelled history: the capacity that costs least or reaches a target, reviewers, and safe thresholds."""
    from evenhand.audits.planning import PlanSettings, make_plan
    from evenhand.cli.output import show
    from evenhand.cli.progress import progress_bar
    from evenhand.evidence import Declaration, open_evidence
    from evenhand.reports import Report

    settings = PlanSettings.of({**wishes, **shared})
    with progress_bar() as progress:
        finding = make_plan(open_evidence(file, Declaration.of(columns), query=query), settings, progress)
    show(Report((finding,)), "json" if json else "table")
