"""evenhand plan: how many reviewers it takes, and what may be decided without them."""

from __future__ import annotations

from typing import Annotated, TypedDict

import typer

from evenhand.catalogue.collaboration import OC_ACCURACY, OC_RECALL
from evenhand.choices import (
    Choice,
    NameValue,
    NumberValue,
    RoleOptions,
    SettingOptions,
    SettingsValue,
    ShareValue,
)
from evenhand.cli.options import Query, only, reads_tables
from evenhand.cli.output import Json, Png, ReportFolder, print_lines

HistoryColumns = Annotated[
    RoleOptions,
    only(
        *(
            "score",
            "scale",
            "label",
            "positive",
            "label_threshold",
            "count",
            "inclusion",
            "cluster",
            "skip_unscored",
            "where",
        ),
        uncertainty="Column of the model's uncertainty, for column:NAME.",
    ),
]

SHARED_SETTINGS = only(
    "level",
    threshold="Items with this score or more are flagged by the model (0.5).",
    seed="Seed of the bootstrap (0).",
    strategies="Review strategies, comma-separated: uncertainty, toxicity, hybrid:0.3, column:NAME, below-threshold:P.",
)


class PlanTargets(TypedDict):
    """What to plan for, beside the settings that audits have too."""

    reviewers: Annotated[NumberValue, Choice("Number of reviewers you have.")]
    targets: Annotated[
        SettingsValue,
        Choice(f"Target to reach, such as {OC_ACCURACY}=0.95 or {OC_RECALL}=90%; repeatable.", flags=("--target",)),
    ]
    false_removal: Annotated[NumberValue, Choice("Cost of one false removal.")]
    missed_violation: Annotated[NumberValue, Choice("Cost of one missed violation.")]
    review: Annotated[NumberValue, Choice("Cost of one review.")]
    items_per_day: Annotated[NumberValue, Choice("Items per day (10,000).")]
    seconds_per_review: Annotated[NumberValue, Choice("Seconds per review (30).")]
    hours_per_day: Annotated[NumberValue, Choice("Hours per day that one person reviews (6).")]
    benign_error: Annotated[ShareValue, Choice("Reviewers' error rate on benign items (0).")]
    violating_error: Annotated[ShareValue, Choice("Reviewers' error rate on violating items (0).")]
    wrong_removals: Annotated[ShareValue, Choice("Guarantee: largest share of automatic removals that are wrong.")]
    missed_violations: Annotated[ShareValue, Choice("Guarantee: largest share of violations that are missed.")]
    delta: Annotated[ShareValue, Choice("Probability that a guarantee fails (0.1).")]
    labelled: Annotated[
        NameValue,
        Choice("How the history was labelled: random (a random sample) or policy (what a policy sent to review)."),
    ]
    mode: Annotated[
        NameValue, Choice("review (only items that are not removed) or decide (removals may be reviewed too).")
    ]
    measured_share: Annotated[ShareValue, Choice("Share of the reviews drawn at random for measurement (0.05).")]


@reads_tables("file")
def plan(
    file: Annotated[str, typer.Argument(help="Labelled history: a file, or a database URL.", show_default=False)],
    columns: HistoryColumns,
    query: Query,
    goals: PlanTargets,
    shared: Annotated[SettingOptions, SHARED_SETTINGS],
    out: ReportFolder,
    png: Png,
    json: Json,
) -> None:
    """Plan from labelled history: what to remove, what to review, how many reviewers, and what to expect."""
    from evenhand.cli.output import check_report_folder, print_headline, progress_bar, show
    from evenhand.errors import InputError
    from evenhand.evidence import Declaration, open_evidence
    from evenhand.reports import Report
    from evenhand.staffing import StaffingSettings, plan_staffing

    for role in ("score", "label"):
        if not columns.get(role):
            raise InputError(f"set `{role}`, the {role} column", role=role)
    check_report_folder(out)
    settings = StaffingSettings.of({**goals, **shared, "policy": out is not None})
    with progress_bar() as progress:
        evidence = open_evidence(file, Declaration.of(columns), query=query)
        report = Report((plan_staffing(evidence, settings, progress),), evidence.name)
        if out:
            report.save(out, png=bool(png), progress=progress)
    if not json and settings.has_policy:
        print_headline(report)
    show(report, "json" if json else "table")
    if out and not json:
        print_lines("", f"report: {out / 'report.html'}", f"policy: {out / 'policy.json'}")
