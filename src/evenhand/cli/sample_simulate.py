"""evenhand sample simulate: what each design would need on a labelled file of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from evenhand.cli.options import Number, Text, Whole, listed, option

Shares = Optional[list[float]]  # noqa: UP045 (typer reads annotations at run time)
Words = Optional[list[str]]  # noqa: UP045


def simulate(
    file: Annotated[str, typer.Argument(help="Labelled items: a file, or a database URL.", show_default=False)],
    score: Annotated[Text, option("Score column, or several models' separated by commas.", "--score")] = None,
    scale: Annotated[Text, option("How scores are written: probability (default), percent or logit.")] = None,
    label: Annotated[Text, option("Label column: true/false, 0/1, a share of annotators, or words.", "--label")] = None,
    positive: Annotated[Words, option("The label that means violating; may be repeated.", "--positive")] = None,
    label_threshold: Annotated[
        Shares,
        option("Share of annotators from which an item is violating (0.5); repeat it for rarer prevalences."),
    ] = None,
    where: Annotated[Text, option("Keep only rows that meet this SQL condition.")] = None,
    query: Annotated[Text, option("For a database URL: the query whose rows are the items.")] = None,
    text: Annotated[Text, option("Instead of a score: the text column, to train a classifier on.")] = None,
    train_share: Annotated[Number, option("Share of the rows to train on; the others are simulated on (0.1).")] = None,
    train_where: Annotated[Text, option("Instead of a share: train on rows that meet this SQL condition.")] = None,
    method: Annotated[str, option("How to train: linear (default) or unigram.")] = "linear",
    within: Annotated[Shares, option("How sure: within this share of the prevalence (0.2); may be repeated.")] = None,
    strata: Annotated[Text, option("Numbers of strata, by commas (2,4,8,16,32).")] = None,
    pilots: Annotated[Text, option("Pilot labels in each stratum, by commas (20,50,100).")] = None,
    pilot_totals: Annotated[Text, option("Pilot labels over all strata, by commas (128,256,512,1024).")] = None,
    setting: Annotated[
        Words, option("A setting of the default design to try, as first=50,strata=20; may be repeated.")
    ] = None,
    simulations: Annotated[Whole, option("Samples of each design (2000).")] = None,
    quick: Annotated[bool, option("A first look: 200 samples, fewer designs.", "--quick")] = False,
    level: Annotated[Number, option("Level of the intervals (0.95).")] = None,
    per_hour: Annotated[Number, option("Items that an annotator labels in an hour (600).")] = None,
    seed: Annotated[Whole, option("Seed of everything random (0).")] = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        option("Folder for the report and its data. Default: evenhand-simulation; none with --json or --csv."),
    ] = None,
    json: Annotated[bool, option("Print the finding as JSON and nothing else.", "--json")] = False,
    csv: Annotated[bool, option("Print the estimates as CSV and nothing else.", "--csv")] = False,
) -> None:
    """Simulate each design on labelled items: labels needed, bias and coverage, as figures, tables and a report."""
    from evenhand.audits.simulation import QUICK, Asked, SimulationSettings
    from evenhand.cli.sample_simulate_run import run, wholes
    from evenhand.errors import InputError

    if json and csv:
        raise InputError("--json and --csv both print to the same place: choose one")
    asked = Asked(
        label=label,
        score=tuple(listed(score) or ()),
        scale=scale,
        positive=tuple(positive or ()),
        thresholds=tuple(label_threshold or (0.5,)),
        where=where,
        text=text,
        train_share=train_share,
        train_where=train_where,
        method=method,
    )
    given = {
        "within": within or None,
        "strata": wholes(strata, "--strata"),
        "pilots": wholes(pilots, "--pilots"),
        "pilot_totals": wholes(pilot_totals, "--pilot-totals"),
        "variants": setting or None,
        "simulations": simulations,
        "level": level,
        "per_hour": per_hour,
        "seed": seed,
    }
    base = dict(QUICK) if quick else {}
    settings = SimulationSettings.of(base | {name: value for name, value in given.items() if value is not None})
    run(file, asked, settings, query=query, out=out, shown="json" if json else "csv" if csv else "table")
