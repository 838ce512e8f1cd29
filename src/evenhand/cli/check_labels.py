"""evenhand check-labels: labels that a calibrated model doubts most, and how many of them are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypedDict

import typer

from evenhand.choices import Choice, FilesValue, NumberValue, OutputValue, RoleOptions, ShareValue, WholeValue
from evenhand.cli.options import Query, only, reads_tables
from evenhand.cli.output import Json, print_lines

CheckedColumns = Annotated[
    RoleOptions,
    only(
        *("score", "scale", "label", "label_threshold", "id", "skip_unscored", "where"),
        positive="For labels or answers in words: the violating one; repeatable.",
        text="Text column: adds the texts to the list, and is what the sheet shows.",
    ),
]


class ListSettings(TypedDict):
    """What is listed."""

    confidence: Annotated[ShareValue, Choice("Minimum calibrated probability of the other label.", default=0.5)]
    most: Annotated[WholeValue, Choice("Maximum number of items to list.", default=1000)]
    relabel: Annotated[WholeValue, Choice("Number of listed items to draw for a second label.", default=50)]
    seed: Annotated[WholeValue, Choice("Seed of the draw and of the parts.", default=0)]


class RelabelOptions(TypedDict):
    """What people get, and what they answered."""

    sheet: Annotated[
        OutputValue, Choice("Sheet of the drawn items (.csv, .xlsx, or .json for Label Studio), without labels.")
    ]
    answers: Annotated[FilesValue, Choice("Sheet with answers; repeatable. FILE is then the list.")]
    level: Annotated[NumberValue, Choice("Confidence level of the intervals.", default=0.95)]


@reads_tables("file")
def check_labels(
    file: Annotated[
        str, typer.Argument(help="Scored and labelled items; with --answers, the list.", show_default=False)
    ],
    out: Annotated[OutputValue, Choice("List to write, the most doubtful labels first.", flags=("--out", "-o"))],
    columns: CheckedColumns,
    query: Query,
    settings: ListSettings,
    sheets: RelabelOptions,
    json: Json,
) -> None:
    """Labels worth checking: where a calibrated model and the label disagree most, and how many labels are wrong."""
    from evenhand.errors import InputError

    if sheets["answers"]:
        return _estimate(Path(file), sheets, columns, as_json=bool(json))
    if out is None:
        raise InputError("set `out`, the list to write")
    from evenhand.measurement.answers import check_sheet_path
    from evenhand.measurement.label_check import LabelCheck, check_list_file
    from evenhand.measurement.sheets import write_sheet

    check_list_file(out)
    if sheets["sheet"]:
        check_sheet_path(sheets["sheet"])
    chosen: dict[str, Any] = {name: value for name, value in settings.items() if value is not None}
    check = LabelCheck.from_data(file, columns, query=query, **chosen)
    if sheets["sheet"]:
        write_sheet(check.sheet(), sheets["sheet"])
    check.write(out)
    print_lines(*_summary(check, out, sheets["sheet"]))
    return None


def _summary(check: object, out: Path, sheet: Path | None) -> list[str]:
    from evenhand.measurement.label_check import LabelCheck

    assert isinstance(check, LabelCheck)
    listed = len(check.rows)
    beyond = f" The list has the first {listed:,}." if listed < check.disagreeing else ""
    head = (
        f"{check.disagreeing:,} of {check.items:,} labels are worth checking: the other label has a calibrated "
        f"probability of {check.confidence:g} or more.{beyond}"
    )
    if not listed:
        return [head, f"list: {out}", *(f"· {note}" for note in check.notes)]
    drawn = len(check.drawn)
    unknown = (
        f"How many of them are wrong is not known yet; the model may be wrong instead. Have the {drawn:,} drawn items "
        f"labelled again{'' if sheet else ' (--sheet)'}, then run: evenhand check-labels {out} --answers "
        f"{sheet or 'SHEET'}"
    )
    files = [f"list: {out}", *([f"sheet: {sheet}"] if sheet else [])]
    return [head, unknown, *files, *(f"· {note}" for note in check.notes)]


def _estimate(listed: Path, sheets: RelabelOptions, columns: RoleOptions, *, as_json: bool) -> None:
    from evenhand.loose_values import one_or_several
    from evenhand.measurement.label_check import relabelled

    answers = [Path(path) for path in sheets["answers"] or ()]
    positive = tuple(map(str, one_or_several(columns.get("positive") or ())))
    errors = relabelled(listed, answers, positive=positive, level=sheets["level"] or 0.95)
    if as_json:
        import json

        parts = {"label_errors": errors.number, "label_error_share": errors.share}
        names = ("value", "low", "high", "level", "method", "n", "note")
        print_lines(json.dumps({part: {name: getattr(e, name) for name in names} for part, e in parts.items()}))
        return
    print_lines(
        errors.sentence(),
        "· This is about the list alone: labels that are not on it may be wrong too.",
        "· The second labels are taken as correct.",
    )
