"""evenhand statements: statements of reasons for the DSA Transparency Database, made, submitted and compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.choices import Choice, FlagValue, NumberValue, OutputPath, text_kind
from evenhand.cli.help import CommandGroup
from evenhand.cli.options import option, reads_tables, with_options
from evenhand.cli.output import print_answer, print_lines, progress_bar

if TYPE_CHECKING:
    from evenhand.exchange.dsa.desk_tables import DeskTables, PlatformCodes

UrlValue = Annotated[str | None, text_kind("URL")]
VariableValue = Annotated[str | None, text_kind("VARIABLE")]


@reads_tables()
def write(
    decisions: Annotated[
        Path, typer.Argument(help="Table of decisions, with the fields of statements as columns.", show_default=False)
    ],
    out: Annotated[OutputPath, option("Where to write the statements, a JSON object per line.", "--out", "-o")],
) -> None:
    """Write a statement of reasons for every decision, and check it against all rules. Nothing is sent."""
    from evenhand.exchange.dsa.statements import StatementSource, write_statements

    number = write_statements(StatementSource.read(decisions), out)
    counted = "1 statement" if number == 1 else f"{number:,} statements"
    print_lines(f"{out}: {counted} of reasons, checked against the rules of the Transparency Database.")


@reads_tables()
def prepare(
    export: Annotated[
        str,
        typer.Argument(
            metavar="STORE", help="The store, or the folder that `evenhand store export` wrote.", show_default=False
        ),
    ],
    codes: Annotated[Path, option("TOML file that maps your clauses and actions to codes of the DSA.", "--codes")],
    out: Annotated[
        OutputPath, option("Folder for decisions, notices and appeals as CSV.", "--out", "-o", metavar="FOLDER")
    ],
) -> None:
    """Make the tables for `statements write` and `report dsa` from a store or its export."""
    from evenhand.cli.audit import is_desk_store
    from evenhand.exchange.dsa.desk_tables import CENSUS_FILES, DeskTables, PlatformCodes
    from evenhand.output_folder import check_folder_writable

    check_folder_writable(out, CENSUS_FILES)
    described = PlatformCodes.read(codes)
    made = _of_store(export, described) if is_desk_store(export) else DeskTables.read(Path(export), described)
    made.save(out)
    counts = {name: f"{len(table):,}" for name, table in made.tables.items()}
    print_lines(
        f"{out}: {counts['decisions']} measures, {counts['notices']} notices and {counts['appeals']} appeals.",
        f"Next: evenhand statements write {out / 'decisions.csv'} -o statements.jsonl",
    )


def _of_store(name: str, codes: PlatformCodes) -> DeskTables:
    from evenhand.store import open_store
    from evenhand.store.desk_report import desk_tables

    with open_store(name) as store:
        return desk_tables(store, codes)


@with_options
def submit(
    statements: Annotated[Path, typer.Argument(help="Statements written by `statements write`.", show_default=False)],
    send_to: Annotated[UrlValue, Choice("Host that statements may be sent to, as https://host.")],
    secret: Annotated[VariableValue, Choice("Environment variable that holds the key of the platform.")],
    rate: Annotated[NumberValue, Choice("Maximum number of requests per second (2).")],
    dry_run: Annotated[FlagValue, Choice("Check everything and report what would be sent, without sending it.")],
) -> None:
    """Submit statements in batches of 100. An interrupted run resumes where it stopped and sends none twice."""
    from evenhand.choices import without_unset
    from evenhand.exchange.dsa.statements import read_statements
    from evenhand.exchange.dsa.submission import BATCH, Destination, Ledger, submit_statements

    ledger = Ledger(statements)
    waiting = [one["puid"] not in ledger.puids for one in read_statements(statements)]
    if dry_run:
        batches = -(-sum(waiting) // BATCH)
        print_lines(f"{sum(waiting):,} of {len(waiting):,} statements would be sent, in {batches:,} batches; none was.")
        return
    destination = Destination.named(send_to, secret, **without_unset({"rate": rate}))
    with progress_bar() as progress:
        result = submit_statements(
            read_statements(statements), ledger, destination, number=len(waiting), progress=progress
        )
    print_lines(f"{result.sent:,} statements submitted, {result.known:,} were there before; ledger: {ledger.path}")


@reads_tables()
def compare(
    dumps: Annotated[
        list[Path], typer.Argument(help="Dumps of the Transparency Database, as CSV.", show_default=False)
    ],
    report: Annotated[Path, option("Folder of a report's CSV files.", "--report", metavar="FOLDER")],
    platform: Annotated[str, option("Name of the platform in the dumps.", "--platform", metavar="NAME")],
    period: Annotated[str, option("Reporting period, such as 2026-01-01/2026-06-30.", "--period", metavar="PERIOD")],
    json: Annotated[FlagValue, Choice("Print the comparison as JSON and nothing else.")],
) -> None:
    """Compare the counts of a report with the statements in public dumps."""
    from evenhand.exchange.dsa.dumps import DumpCounts, compare_with_dump
    from evenhand.exchange.dsa.filed_report import read_filed_report
    from evenhand.exchange.dsa.period import ReportingPeriod

    counted = DumpCounts.read(dumps, platform, ReportingPeriod.parse(period))
    comparison = compare_with_dump(read_filed_report(report), counted)
    record = {
        "statements": counted.statements,
        "differences": comparison.differences,
        "inverted_detection": comparison.inverted,
        "counts": [
            {"what": one.what, "reported": one.reported, "dumped": one.dumped, "differs": one.differs}
            for one in comparison.counts
        ],
    }
    share = f"{comparison.differences} of {len(comparison.counts)} counts differ by more than 5 %"
    first = f"{share} from the {counted.statements:,} statements of {platform}."
    print_answer(record, [first, *comparison.notes, *map(str, comparison.counts)], as_json=json)


app = CommandGroup(
    help="Write and submit statements of reasons for the DSA Transparency Database.", no_args_is_help=True
)
app.command("prepare")(prepare)
app.command("write")(write)
app.command("submit")(submit)
app.command("compare")(compare)
