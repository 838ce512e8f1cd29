"""evenhand report: the harmonised transparency report of the Digital Services Act, and the check of one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import typer

from evenhand.choices import (
    Choice,
    ColumnValue,
    DateValue,
    FilesValue,
    FileValue,
    FlagValue,
    NamesValue,
    NameValue,
    OutputPath,
    PeriodValue,
    RoleOptions,
    TextValue,
    WholeValue,
    without_unset,
)
from evenhand.cli.help import CommandGroup
from evenhand.cli.options import only, option, reads_tables
from evenhand.cli.output import print_answer
from evenhand.errors import InputError

if TYPE_CHECKING:
    from evenhand.exchange.dsa.request import ReportRequest
    from evenhand.store.desk_report import DeskReportSources


class StudyOptions(TypedDict):
    """What the labelled sample is, and what its decisions mean."""

    labels: Annotated[FilesValue, Choice("For a plan: a completed sheet; repeatable.")]
    automated: Annotated[
        NamesValue, Choice("Decisions that are measures taken solely by automated means, comma-separated.")
    ]
    measures: Annotated[
        NamesValue,
        Choice("Other decisions that are measures, taken by people or with their involvement, comma-separated."),
    ]
    language: Annotated[ColumnValue, Choice("Column of languages, as two-letter codes.", default="language")]
    annotator: Annotated[ColumnValue, Choice("For a plan: the column of annotators in the sheets.")]
    annotations: Annotated[FileValue, Choice("Table with columns item, annotator, label, to measure agreement.")]
    notice_labels: Annotated[FileValue, Choice("A labelled sample of notices, with the same columns.")]
    fewest_labels: Annotated[WholeValue, Choice("Smallest number of labels for which a rate is reported (30).")]


class StudyWords(TypedDict):
    """What is said beside the numbers."""

    ground_truth: Annotated[TextValue, Choice("What counts as violating. Default: as in the plan.")]
    codebook: Annotated[TextValue, Choice("The codebook that annotators followed. Default: as in the plan.")]
    population: Annotated[NameValue, Choice("What the items are: all, visible or notified content.")]
    labelled_period: Annotated[PeriodValue, Choice("Period that the labelled items are from. Default: as in the plan.")]


class CensusTables(TypedDict):
    """Tables that everything is counted from."""

    decisions: Annotated[FileValue, Choice("Table of all decisions, with the fields of statements of reasons.")]
    notices: Annotated[FileValue, Choice("Table of all notices.")]
    appeals: Annotated[FileValue, Choice("Table of all complaints and disputes.")]
    values: Annotated[FileValue, Choice("Table of other figures and texts: table, indicator, scope, value, context.")]


class DeskChoices(TypedDict):
    """For a store of the desk."""

    codes: Annotated[
        FileValue, Choice("For a store: TOML file that maps your clauses and actions to codes of the DSA.")
    ]
    verdicts: Annotated[
        NameValue, Choice("For a store: whose verdicts count as the truth, adjudicated (of the panel) or reviewer.")
    ]
    snapshot: Annotated[WholeValue, Choice("For a store: its state after the event with this number.")]


class ProviderWords(TypedDict):
    """Table 1 of the report."""

    name: Annotated[NameValue, Choice("Name of the service provider.")]
    published: Annotated[DateValue, Choice("Date of publication.")]
    previous: Annotated[DateValue, Choice("Date of publication of the previous report.")]


STUDY_ROLES = only("decision", "inclusion", "stratum", "count", "skip", label="Column of adjudicated labels.")


@reads_tables()
def dsa(
    out: Annotated[OutputPath, option("Folder for the tables and the workbook.", "--out", "-o", metavar="FOLDER")],
    provider: Annotated[str, option("Kind of provider: vlop, platform or hosting.", "--provider", metavar="NAME")],
    service: Annotated[str, option("Name of the service.", "--service", metavar="NAME")],
    period: Annotated[str, option("Reporting period, such as 2026-01-01/2026-06-30.", "--period", metavar="PERIOD")],
    columns: Annotated[RoleOptions, STUDY_ROLES],
    study_options: StudyOptions,
    purpose: StudyWords,
    census: CensusTables,
    desk: DeskChoices,
    identification: ProviderWords,
    json: Annotated[FlagValue, Choice("Print a summary as JSON and nothing else.")],
    study: Annotated[
        str | None,
        typer.Argument(
            help="Labelled sample (a plan, a table, a TOML file or findings), or a store of the desk.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write the harmonised tables, with accuracy, precision and recall of automated means from a labelled sample.

    Example: evenhand report dsa labelled.csv --provider vlop --service Forum --period 2026-01-01/2026-06-30 -o report
    """
    from evenhand.exchange.dsa.report import REPORT_FILES, CensusFiles, Identification, make_report
    from evenhand.exchange.dsa.request import ReportRequest
    from evenhand.output_folder import check_folder_writable

    check_folder_writable(out, REPORT_FILES)
    request = ReportRequest.from_options(provider, service, period)
    chosen, words, roles = without_unset(study_options), without_unset(purpose), without_unset(columns)
    counted = CensusFiles(**without_unset(census))
    sources = _desk_sources(study, request, without_unset(desk), words, given={**chosen, **roles})
    made = make_report(
        *(request.provider, request.service, request.period),
        means=request.automated_means(sources.study if sources else study, chosen, words, roles),
        census=sources.census.replaced(counted) if sources else counted,
        identification=Identification(**without_unset(identification)),
        notes=sources.notes if sources else (),
    )
    made.save(out)
    summary = made.summary()
    print_answer(summary, _report_lines(summary, out), as_json=json)


def _desk_sources(
    study: str | None, request: ReportRequest, desk: dict[str, Any], words: dict[str, str], given: dict[str, Any]
) -> DeskReportSources | None:
    """What a store gives; None where the study is none, and nothing may be asked of a store then."""
    from evenhand.cli.audit import is_desk_store
    from evenhand.exchange.dsa.request import study_purpose

    if study is None or not is_desk_store(study):
        if desk:
            raise InputError(f"`{min(desk)}` is for a store of the desk", source=study)
        return None
    from evenhand.store import open_store
    from evenhand.store.desk_report import DeskReportSources

    if known := sorted(set(given) - {"fewest_labels", "notice_labels", "language"}):
        raise InputError(f"`{known[0]}` is for a labelled sample in a file: a store knows its own", source=study)
    with open_store(study) as store:
        return DeskReportSources.read(store, request.period, purpose=study_purpose(words), **desk)


def _report_lines(summary: dict[str, Any], out: Path) -> list[str]:
    rates = f"{summary['rates_with_value']} of {summary['rates']} rates of table 8 have a value"
    return [
        f"{out}: 11 tables and report.xlsx for {summary['service']}, {summary['period']}.",
        f"{rates}; the context of the others says why they have none.",
        *summary["notes"],
        "The text of table 11 is a draft for legal review.",
    ]


def lint(
    folder: Annotated[Path, typer.Argument(help="Folder of a report's CSV files.", show_default=False)],
    json: Annotated[bool, typer.Option("--json", help="Print the problems as JSON and nothing else.")] = False,
) -> None:
    """Check a completed report, your own or another provider's. Exits with code 1 if there is an error."""
    from evenhand.exchange.dsa.lint import lint_report
    from evenhand.exchange.dsa.lint_problem import Severity
    from evenhand.formatting import format_count

    problems = lint_report(folder)
    errors = sum(problem.severity is Severity.ERROR for problem in problems)
    counts = {"errors": errors, "warnings": len(problems) - errors}
    numbers = f"{format_count(errors, 'error')} and {format_count(counts['warnings'], 'warning')}."
    lines = [numbers, *map(str, problems)]
    print_answer({**counts, "problems": [problem.record() for problem in problems]}, lines, as_json=json)
    if errors:
        raise typer.Exit(1)


app = CommandGroup(help="Write and check transparency reports of the Digital Services Act.", no_args_is_help=True)
app.command("dsa")(dsa)
app.command("lint")(lint)
