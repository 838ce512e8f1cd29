"""evenhand calibrate file, fit, apply and compare: calibrated probabilities from labelled validation items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, TypedDict

import typer

from evenhand.choices import (
    NAME,
    Choice,
    ColumnValue,
    NameValue,
    OutputPath,
    OutputValue,
    RoleOptions,
    SettingOptions,
    WholeValue,
    repeated_kind,
    text_kind,
)
from evenhand.cli.help import CommandGroup
from evenhand.cli.options import Query, only, option, reads_tables
from evenhand.cli.output import Json, ReportFolder, print_lines

app = CommandGroup(
    help="Calibrate probabilities: a file in one step, or fit a calibrator, apply it, compare all of them.",
    no_args_is_help=True,
)

PREDICTION_HELP = {
    "score": "For two classes: the score column.",
    "scale": "Scale: probability (default), percent or logit.",
    "probabilities": "A probability column per class, comma-separated.",
}
PredictionColumns = Annotated[RoleOptions, only("classes", "normalise", "skip_unscored", "where", **PREDICTION_HELP)]
LabelledColumns = Annotated[
    RoleOptions,
    only(
        *("classes", "normalise", "label", "label_threshold", "count", "skip_unscored", "where"),
        **PREDICTION_HELP,
        positive="For a score: the label that means violating.",
    ),
]


class CalibratorRounds(TypedDict):
    """How calibrators are compared, beside the settings of the audit."""

    run: Annotated[ColumnValue, Choice("Column of training runs, if there are several.")]
    seeds: Annotated[WholeValue, Choice("Number of fits on resampled validation items (5).")]


class OneStepOptions(TypedDict):
    """What to fit on, and what the result is for."""

    split: Annotated[
        Annotated[str | None, text_kind("COLUMN=VALUE")],
        Choice("Rows to fit on: column=value, or a share such as 0.5. Default: each row by a fit on other rows."),
    ]
    purpose: Annotated[
        NameValue, Choice("Use of the scores: queue, thresholds or reporting.", flags=("--for",), default="queue")
    ]
    method: Annotated[NameValue, Choice("Calibrator. Default: the one recommended for this use.")]
    calibrator: Annotated[OutputValue, Choice("Where to write the calibrator for other items, as JSON.")]
    seed: Annotated[WholeValue, Choice("Seed of the split.", default=0)]


@app.command("file")
@reads_tables("file")
def calibrate_file(
    file: Annotated[str, typer.Argument(help="Labelled, scored items: a file, or a database URL.", show_default=False)],
    out: Annotated[OutputPath, option("File to write: the items with a calibrated column added.", "--out", "-o")],
    columns: Annotated[
        RoleOptions, only("score", "scale", "label", "positive", "label_threshold", "count", "skip_unscored", "where")
    ],
    query: Query,
    steps: OneStepOptions,
) -> None:
    """Calibrate a labelled file in one step: choose a calibrator, fit it, write the calibrated scores."""
    from evenhand.calibrators import write
    from evenhand.files import check_writable
    from evenhand.recalibration.one_file import calibrate_one_file

    calibrator_file = steps["calibrator"]
    if calibrator_file:
        check_writable(calibrator_file)
    done = calibrate_one_file(
        file,
        out,
        dict(columns),
        query=query,
        split=steps["split"],
        purpose=steps["purpose"] or "queue",
        method=steps["method"],
        seed=steps["seed"] or 0,
    )
    if calibrator_file and done.calibrator:
        write(done.calibrator, calibrator_file)
    print_lines(
        done.sentence,
        f"{out}: {done.column}",
        *([f"calibrator: {calibrator_file}"] if calibrator_file and done.calibrator else []),
    )
    print_lines(*(f"· {note}" for note in done.notes))


@app.command("fit")
@reads_tables("validation")
def fit(
    validation: Annotated[
        str, typer.Argument(help="Labelled items that the model was not trained on.", show_default=False)
    ],
    out: Annotated[OutputPath, option("Where to write the calibrator, as JSON.", "--out", "-o")],
    method: Annotated[
        str, NAME, Choice("ts, wts, vector, isotonic, histogram; for two classes also platt, beta.", default="ts")
    ],
    columns: LabelledColumns,
    bins: Annotated[WholeValue, Choice("For histogram: number of bins (15).")],
) -> None:
    """Fit a calibrator on validation data and write it as readable JSON."""
    from evenhand.calibrators import METHODS, write
    from evenhand.evidence import Declaration, open_evidence
    from evenhand.files import check_writable
    from evenhand.recalibration.fitting import fit_calibrator

    check_writable(out)
    evidence = open_evidence(validation, Declaration.of(columns))
    fitted = fit_calibrator(evidence, method, **({} if bins is None else {"bins": bins}))
    write(fitted, out)
    print_lines(f"{METHODS[fitted.method].title}, fitted on {sum(fitted.items):,.0f} items: {out}")
    print_lines(*(f"· {warning}" for warning in (*fitted.warnings, *evidence.notes)))


@app.command("apply")
@reads_tables("file")
def apply(
    calibrator: Annotated[Path, typer.Argument(help="Calibrator written by `calibrate fit`.", show_default=False)],
    file: Annotated[str, typer.Argument(help="The items to calibrate.", show_default=False)],
    out: Annotated[OutputPath, option("File to write: the items with calibrated columns added.", "--out", "-o")],
    columns: PredictionColumns,
) -> None:
    """Apply a calibrator: write the same rows with calibrated probabilities added."""
    from evenhand.calibrators import read
    from evenhand.recalibration.fitting import apply_file

    calibrated = apply_file(read(calibrator), file, out, roles=columns)
    print_lines(f"{out}: {', '.join(calibrated.columns)}", *(f"· {note}" for note in calibrated.notes))


@app.command("compare")
@reads_tables("validation")
def compare(
    validation: Annotated[str, typer.Argument(help="Labelled items to fit on.", show_default=False)],
    test: Annotated[str, typer.Argument(help="Other labelled items to test on.", show_default=False)],
    columns: LabelledColumns,
    rounds: CalibratorRounds,
    beside: Annotated[
        Annotated[Sequence[str] | None, repeated_kind("NAME=FILE")],
        Choice("Another model's test predictions in the same columns, as NAME=FILE; repeatable."),
    ],
    shared: Annotated[SettingOptions, only("bins", "bins_by", "seed")],
    out: ReportFolder,
    json: Json,
) -> None:
    """Fit every calibrator on one file, measure all on another, and recommend one."""
    from evenhand.cli.output import check_report_folder, progress_bar, show
    from evenhand.evidence import Declaration, open_evidence
    from evenhand.recalibration.comparison import RecalibrationSettings, compare_calibrators
    from evenhand.reports import Report

    check_report_folder(out)
    run = rounds["run"]
    in_runs = Declaration.of({**columns, "slices": [run] if run else None})
    settings = RecalibrationSettings.of({**rounds, **shared})
    others = {name: open_evidence(path, in_runs) for name, path in _named_files(beside or ())}
    with progress_bar() as progress:
        first, second = (open_evidence(path, in_runs) for path in (validation, test))
        report = Report((compare_calibrators(first, second, settings, beside=others, progress=progress),), second.name)
        if out:
            report.save(out, progress=progress)
    show(report, "json" if json else "table")


def _named_files(pairs: Sequence[str]) -> Iterator[tuple[str, str]]:
    from evenhand.errors import InputError

    for pair in pairs:
        name, _, path = pair.partition("=")
        if not name or not path:
            raise InputError(f"--beside takes NAME=FILE, not '{name or path}'")
        yield name, path
