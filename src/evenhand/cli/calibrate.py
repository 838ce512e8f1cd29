"""evenhand calibrate: probabilities made honest. Fit a calibrator, apply it, or compare all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, TypedDict

import typer

from evenhand.choices import TEXT, Choice, Roles, Settings, Text, Texts, Whole
from evenhand.cli.options import only, option, with_options
from evenhand.cli.output import Folder, Json

app = typer.Typer(
    help="Make probabilities honest: fit a calibrator, apply it, or compare all of them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

SAID = {
    "score": "For two classes: the score column.",
    "scale": "How they are written: probability (default), percent or logit.",
    "probabilities": "One column of probabilities for each class, by commas.",
}
Predictions = Annotated[Roles, only("classes", "normalise", **SAID)]
Labelled = Annotated[
    Roles,
    only(
        *("classes", "normalise", "label", "label_threshold", "count", "where"),
        **SAID,
        positive="For a score: the label that means violating.",
    ),
]


class Rounds(TypedDict):
    """How calibrators are compared, beside the settings of the audit."""

    run: Annotated[Text, Choice("Column that tells several training runs of the model apart.")]
    seeds: Annotated[Whole, Choice("How often each is fitted, on validation items redrawn (5).")]


@app.command("fit")
@with_options
def fit(
    validation: Annotated[
        str, typer.Argument(help="Labelled items that the model was not trained on.", show_default=False)
    ],
    out: Annotated[Path, option("Where to write the calibrator, as JSON.", "--out", "-o")],
    method: Annotated[
        str, TEXT, Choice("ts, wts, vector, isotonic, histogram; for two classes also platt, beta.", default="ts")
    ],
    columns: Labelled,
    bins: Annotated[Whole, Choice("For histogram: how many bins (15).")],
) -> None:
    """Fit a calibrator on validation data and write it as readable JSON."""
    from evenhand.audits.calibrators import fit_calibrator
    from evenhand.calibrators import METHODS, write
    from evenhand.evidence import Declaration, open_evidence
    from evenhand.files import check_writable

    check_writable(out.parent)
    evidence = open_evidence(validation, Declaration.of(columns))
    found = fit_calibrator(evidence, method, **({} if bins is None else {"bins": bins}))
    write(found, out)
    print(f"{METHODS[found.method].title}, fitted on {sum(found.items):,.0f} items: {out}")
    for warning in (*found.warnings, *evidence.notes):
        print(f"· {warning}")


@app.command("apply")
@with_options
def apply(
    calibrator: Annotated[Path, typer.Argument(help="What `calibrate fit` wrote.", show_default=False)],
    file: Annotated[str, typer.Argument(help="The items to calibrate.", show_default=False)],
    out: Annotated[Path, option("Where to write the items, with calibrated columns beside.", "--out", "-o")],
    columns: Predictions,
) -> None:
    """Apply a calibrator: the same rows with calibrated probabilities beside."""
    from evenhand.audits.calibrators import apply_file
    from evenhand.calibrators import read
    from evenhand.evidence import Declaration

    found = read(calibrator)
    roles = Declaration.of({**columns, "scale": columns["scale"] or found.scale})
    names = apply_file(found, file, out, roles=roles)
    print(f"{out}: {', '.join(names)}")
    other = columns["probabilities"] or columns["score"]
    if other and tuple(other) != found.columns:
        print(f"· fitted on {', '.join(found.columns)}: is this the same model and question?")


@app.command("compare")
@with_options
def compare(
    validation: Annotated[str, typer.Argument(help="Labelled items to fit on.", show_default=False)],
    test: Annotated[str, typer.Argument(help="Other labelled items to measure with.", show_default=False)],
    columns: Labelled,
    rounds: Rounds,
    beside: Annotated[
        Texts, Choice("Another model's test predictions in the same columns, as NAME=FILE; may be repeated.")
    ],
    chosen: Annotated[Settings, only("bins", "bins_by", "seed")],
    out: Folder,
    json: Json,
) -> None:
    """Fit every calibrator on one file, measure all on another, and recommend one."""
    from evenhand.audits.calibrators import ComparisonSettings, compare_calibrators
    from evenhand.cli.output import show
    from evenhand.cli.progress import progress_bar
    from evenhand.evidence import Declaration, open_evidence
    from evenhand.reports import Report

    run = rounds["run"]
    in_runs = Declaration.of({**columns, "slices": [run] if run else None})
    settings = ComparisonSettings.of({**rounds, **chosen})
    others = {name: open_evidence(path, in_runs) for name, path in _named(beside or ())}
    with progress_bar() as progress:
        first, second = (open_evidence(path, in_runs) for path in (validation, test))
        report = Report((compare_calibrators(first, second, settings, beside=others, progress=progress),), second.name)
        if out:
            report.save(out, progress=progress)
    show(report, "json" if json else "table")


def _named(given: Sequence[str]) -> Iterator[tuple[str, str]]:
    from evenhand.errors import InputError

    for part in given:
        name, _, path = part.partition("=")
        if not name or not path:
            raise InputError(f"--beside takes NAME=FILE, not '{name or path}'")
        yield name, path
