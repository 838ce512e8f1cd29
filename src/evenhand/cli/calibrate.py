"""evenhand calibrate: probabilities made honest. Fit a calibrator, apply it, or compare all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from evenhand.cli.options import Number, Text, Whole, listed, option

app = typer.Typer(
    help="Make probabilities honest: fit a calibrator, apply it, or compare all of them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Probabilities = Annotated[Text, option("One column of probabilities for each class, by commas.", "--probabilities")]
Classes = Annotated[Text, option("The labels these columns stand for, in their order.", "--classes")]
Score = Annotated[Text, option("For two classes: the score column.", "--score")]
Scale = Annotated[Text, option("How they are written: probability (default), percent or logit.", "--scale")]
Label = Annotated[Text, option("Label column.", "--label")]
Positive = Annotated[Optional[list[str]], option("For a score: the label that means violating.", "--positive")]  # noqa: UP045
Threshold = Annotated[Number, option("Share of annotators from which an item is violating (0.5).", "--label-threshold")]
Normalise = Annotated[bool, option("Divide probabilities that do not sum to one by their sum.", "--normalise")]
Count = Annotated[Text, option("Column of counts: the row stands for so many equal rows.", "--count")]
Where = Annotated[Text, option("Keep only rows that meet this SQL condition.", "--where")]


@app.command("fit")
def fit(
    validation: Annotated[
        str, typer.Argument(help="Labelled items that the model was not trained on.", show_default=False)
    ],
    out: Annotated[Path, option("Where to write the calibrator, as JSON.", "--out", "-o")],
    method: Annotated[
        str, typer.Option(help="ts, wts, vector, isotonic, histogram; for two classes also platt, beta.")
    ] = "ts",
    probabilities: Probabilities = None,
    classes: Classes = None,
    score: Score = None,
    scale: Scale = None,
    label: Label = None,
    positive: Positive = None,
    label_threshold: Threshold = None,
    normalise: Normalise = False,
    count: Count = None,
    where: Where = None,
    bins: Annotated[Whole, option("For histogram: how many bins (15).")] = None,
) -> None:
    """Fit a calibrator on validation data and write it as readable JSON."""
    from evenhand.audits.calibrators import fit_calibrator
    from evenhand.calibrators import METHODS, write
    from evenhand.evidence import Declaration, open_evidence
    from evenhand.files import check_writable

    check_writable(out.parent)
    roles = _roles(probabilities, classes, score, scale, normalise) | _truth(
        label, positive, label_threshold, count, where
    )
    evidence = open_evidence(validation, Declaration.of(roles))
    found = fit_calibrator(evidence, method, **({} if bins is None else {"bins": bins}))
    write(found, out)
    print(f"{METHODS[found.method].title}, fitted on {sum(found.items):,.0f} items: {out}")
    for warning in (*found.warnings, *evidence.notes):
        print(f"· {warning}")


@app.command("apply")
def apply(
    calibrator: Annotated[Path, typer.Argument(help="What `calibrate fit` wrote.", show_default=False)],
    file: Annotated[str, typer.Argument(help="The items to calibrate.", show_default=False)],
    out: Annotated[Path, option("Where to write the items, with calibrated columns beside.", "--out", "-o")],
    probabilities: Probabilities = None,
    classes: Classes = None,
    score: Score = None,
    scale: Scale = None,
    normalise: Normalise = False,
) -> None:
    """Apply a calibrator: the same rows with calibrated probabilities beside."""
    from evenhand.audits.calibrators import apply_file
    from evenhand.calibrators import read
    from evenhand.evidence import Declaration

    found = read(calibrator)
    given = _roles(probabilities, classes, score, scale or found.scale, normalise)
    names = apply_file(found, file, out, roles=Declaration.of(given))
    print(f"{out}: {', '.join(names)}")
    other = listed(probabilities or score)
    if other and tuple(other) != found.columns:
        print(f"· fitted on {', '.join(found.columns)}: is this the same model and question?")


@app.command("compare")
def compare(
    validation: Annotated[str, typer.Argument(help="Labelled items to fit on.", show_default=False)],
    test: Annotated[str, typer.Argument(help="Other labelled items to measure with.", show_default=False)],
    probabilities: Probabilities = None,
    classes: Classes = None,
    score: Score = None,
    scale: Scale = None,
    label: Label = None,
    positive: Positive = None,
    label_threshold: Threshold = None,
    normalise: Normalise = False,
    count: Count = None,
    where: Where = None,
    run: Annotated[Text, option("Column that tells several training runs of the model apart.")] = None,
    beside: Annotated[
        Optional[list[str]],  # noqa: UP045
        option("Another model's test predictions in the same columns, as NAME=FILE; may be repeated."),
    ] = None,
    seeds: Annotated[Whole, option("How often each is fitted, on validation items redrawn (5).")] = None,
    bins: Annotated[Whole, option("Bins that probabilities are sorted into (15).")] = None,
    bins_by: Annotated[Text, option("Bins of equal width (default) or of equal mass.")] = None,
    seed: Annotated[Whole, option("Seed of everything random (0).")] = None,
    out: Annotated[Optional[Path], option("Folder for a report; none unless given.", "--out")] = None,  # noqa: UP045
    json: Annotated[bool, option("Print the finding as JSON and nothing else.", "--json")] = False,
) -> None:
    """Fit every calibrator on one file, measure all on another, and recommend one."""
    from evenhand.audits.calibrators import ComparisonSettings, compare_calibrators
    from evenhand.cli.audit_run import show
    from evenhand.cli.progress import progress_bar
    from evenhand.evidence import Declaration, open_evidence
    from evenhand.reports import Report

    roles = _roles(probabilities, classes, score, scale, normalise) | _truth(
        label, positive, label_threshold, count, where
    )
    in_runs = Declaration.of(roles | {"slices": [run] if run else None})
    chosen = {"run": run, "seeds": seeds, "bins": bins, "bins_by": bins_by, "seed": seed}
    settings = ComparisonSettings.of(chosen)
    others = {name: open_evidence(path, in_runs) for name, path in _named(beside or [])}
    with progress_bar() as progress:
        first, second = (open_evidence(path, in_runs) for path in (validation, test))
        report = Report((compare_calibrators(first, second, settings, beside=others, progress=progress),), second.name)
        if out:
            report.save(out, progress=progress)
    show(report, "json" if json else "table")


def _roles(
    probabilities: str | None, classes: str | None, score: str | None, scale: str | None, normalise: bool
) -> dict[str, Any]:
    return {
        "probabilities": listed(probabilities),
        "classes": listed(classes),
        "score": listed(score),
        "scale": scale,
        "normalise": normalise,
    }


def _truth(
    label: str | None, positive: list[str] | None, threshold: float | None, count: str | None, where: str | None
) -> dict[str, Any]:
    return {"label": label, "positive": positive or None, "label_threshold": threshold, "count": count, "where": where}


def _named(given: list[str]) -> list[tuple[str, str]]:
    from evenhand.errors import InputError

    pairs = [tuple(part.partition("=")[::2]) for part in given]
    for name, path in pairs:
        if not name or not path:
            raise InputError(f"--beside takes NAME=FILE, not '{name or path}'")
    return pairs  # type: ignore[return-value]
