"""evenhand queue: today's items by a policy, the sheet for reviewers, and their answers as evidence."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypedDict

import typer

from evenhand.choices import (
    Choice,
    ColumnValue,
    FilesValue,
    FileValue,
    NumberValue,
    OutputPath,
    OutputValue,
    RoleOptions,
    WholeValue,
    text_kind,
)
from evenhand.cli.options import Query, only, option, reads_tables
from evenhand.cli.output import print_lines

VersionValue = Annotated[str | None, text_kind("VERSION")]


class QueueOptions(TypedDict):
    """How much is reviewed, and how it is drawn."""

    capacity: Annotated[WholeValue, Choice("Reviews today. Default: those of the policy.")]
    measured_share: Annotated[
        NumberValue, Choice("Share of the reviews drawn at random for measurement. Default: that of the policy.")
    ]
    seed: Annotated[WholeValue, Choice("Seed of the draw; use a different one each day.", default=0)]
    model_version: Annotated[
        VersionValue,
        Choice("Version of the model, if the file has no column model_version. Default: the score column."),
    ]


class SheetOptions(TypedDict):
    """What reviewers get, and what they answered."""

    sheet: Annotated[
        OutputValue, Choice("Sheet for reviewers (.csv, .xlsx, or .json for Label Studio): texts and contexts only.")
    ]
    context: Annotated[ColumnValue, Choice("For the sheet: column of preceding text.")]
    answers: Annotated[
        FilesValue,
        Choice("Completed sheet; repeatable. FILE is then the file of an earlier queue, and -o the evidence to write."),
    ]


QueueColumns = Annotated[
    RoleOptions,
    only(
        *("scale", "id", "skip_unscored", "where"),
        score="Score column. Default: that of the policy.",
        text="For the sheet: the text column.",
        positive="For answers in words, such as remove and keep: the violating one; repeatable.",
    ),
]


@reads_tables("file")
def queue(
    file: Annotated[str, typer.Argument(help="Today's scored items: a file, or a database URL.", show_default=False)],
    out: Annotated[OutputPath, option("File to write: every item with its action, rank and reason.", "--out", "-o")],
    policy: Annotated[FileValue, Choice("Policy written by `evenhand plan`: policy.json.")],
    columns: QueueColumns,
    query: Query,
    settings: QueueOptions,
    sheets: SheetOptions,
) -> None:
    """Make today's queue: what to remove, which items to review and in which order, and what to leave up."""
    from evenhand.errors import InputError

    if sheets["answers"]:
        return _take_answers(Path(file), [Path(path) for path in sheets["answers"]], out, columns)
    if policy is None:
        raise InputError("set `policy`, the policy.json that `evenhand plan` wrote")
    from evenhand.measurement.answers import check_sheet_path
    from evenhand.measurement.sheets import write_sheet
    from evenhand.staffing.queue_file import QueuedFile, check_queue_file, read_policy

    check_queue_file(out)
    text = columns.get("text")
    if sheets["sheet"]:
        if not text:
            raise InputError("a sheet needs the text column: set `text`")
        check_sheet_path(sheets["sheet"])
    options = {name: settings[name] for name in ("capacity", "measured_share", "seed")}
    roles = {name: value for name, value in columns.items() if name != "positive"}
    queued = QueuedFile.from_data(file, read_policy(policy), roles, query=query, **options)
    if sheets["sheet"] and text:
        sheet = queued.sheet(id=columns.get("id"), text=text, context=sheets["context"], seed=settings["seed"] or 0)
        write_sheet(sheet, sheets["sheet"])
    queued.write(out, settings["model_version"])
    print_lines(*_summary(queued, out, sheets["sheet"]))
    return None


def _summary(queued: object, out: Path, sheet: Path | None) -> list[str]:
    from evenhand.staffing.queue_file import QueuedFile

    assert isinstance(queued, QueuedFile)
    own = queued.queue
    reviews, drawn, removed = own.reviews, int(own.drawn.sum()), int((own.removed & ~own.reviewed).sum())
    left = len(own.p) - reviews - removed
    lines = [
        f"Of {len(own.p):,} items: remove {removed:,}, review {reviews:,} ({drawn:,} of them drawn for measurement), "
        f"leave {left:,}.",
        f"queue: {out}",
        *([f"sheet: {sheet}"] if sheet else []),
    ]
    return [*lines, *(f"· {note}" for note in (*own.notes(), *queued.notes))]


def _take_answers(queued: Path, paths: list[Path], out: Path, columns: RoleOptions) -> None:
    from evenhand.evidence.formats import check_output_file
    from evenhand.loose_values import one_or_several
    from evenhand.measurement.answers import answers_by_item, read_answers
    from evenhand.staffing.queue_file import queued_ids, write_evidence

    check_output_file(out)
    id_, positive = columns.get("id"), tuple(map(str, one_or_several(columns.get("positive") or ())))
    answers = answers_by_item(read_answers(paths, queued_ids(queued, id_), positive=positive))
    answered, reviews = write_evidence(queued, answers, out, id=id_)
    print_lines(
        f"{answered:,} of {reviews:,} reviews have an answer: {out}",
        "Next step: evenhand audit with --audits accuracy --label label --decision removed --inclusion inclusion "
        "--stratum stratum",
    )
