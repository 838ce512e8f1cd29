"""evenhand audit: from a file to a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from evenhand.cli.options import Number, Text, Whole, listed, option
from evenhand.errors import InputError


def audit(
    file: Annotated[
        str, typer.Argument(help="CSV, TSV, Parquet, JSONL, Arrow, XLSX, a database URL, or a TOML declaration.")
    ],
    audits: Annotated[
        Text, option("Which audits, by commas. Default: bias if groups are declared, perspective if annotators are.")
    ] = None,
    score: Annotated[Text, option("Score column, or several models' separated by commas.", "--score")] = None,
    probabilities: Annotated[
        Text, option("Instead of a score: one column of probabilities for each class, by commas.")
    ] = None,
    classes: Annotated[
        Text, option("The labels these columns stand for, in their order. Default: what their names do not share.")
    ] = None,
    normalise: Annotated[
        bool, option("Divide probabilities that do not sum to one by their sum.", "--normalise")
    ] = False,
    scale: Annotated[Text, option("Scale of the scores: probability (default), percent, logit or rank.")] = None,
    label: Annotated[
        Text, option("Label column: true/false, 0/1, a share of annotators, or words with --positive.")
    ] = None,
    positive: Annotated[
        list[str] | None, option("The label that means violating; may be given more than once.")
    ] = None,
    label_threshold: Annotated[Number, option("Share of annotators from which an item is violating (0.5).")] = None,
    groups: Annotated[
        Text, option("Group columns, separated by commas: true/false, 0/1 or shares of annotators.")
    ] = None,
    group_by: Annotated[Text, option("One column whose values are the groups.")] = None,
    terms: Annotated[Optional[Path], option("File of words; a group is the items whose text has the word.")] = None,  # noqa: UP045
    group_threshold: Annotated[Number, option("Share of annotators from which an item is in a group (0.5).")] = None,
    text: Annotated[Text, option("Text column: for --terms, for short items apart, and for --examples.")] = None,
    id: Annotated[Text, option("Id column; ids must differ.")] = None,
    slices: Annotated[
        Text, option("Columns to look at value by value (language, community), by commas.", "--slice", "--by")
    ] = None,
    count: Annotated[Text, option("Column of counts: the row stands for so many equal rows.")] = None,
    inclusion: Annotated[Text, option("Column of inclusion probabilities: the row was sampled with it.")] = None,
    decision: Annotated[Text, option("Column of decisions: whether the item was removed, yes or no.")] = None,
    removes: Annotated[Text, option("The decisions that take an item down, by commas, where they are words.")] = None,
    stratum: Annotated[Text, option("Column of the stratum of the design that the item was drawn from.")] = None,
    where: Annotated[Text, option("Keep only rows that meet this SQL condition, such as \"lang = 'en'\".")] = None,
    query: Annotated[Text, option("For a database URL: the query whose rows are the items.")] = None,
    uncertainty: Annotated[
        Text, option("Column that says how unsure the model is, or one for each model, by commas.")
    ] = None,
    capacities: Annotated[
        Text, option("What people can review, by commas: 0.01 or 1% of the items, 500 items, or >=0.2.")
    ] = None,
    strategies: Annotated[
        Text, option("How they choose, by commas: uncertainty, toxicity, hybrid:0.3, column:NAME.")
    ] = None,
    bins: Annotated[Whole, option("Bins that probabilities are sorted into (15).")] = None,
    bins_by: Annotated[Text, option("Bins of equal width (default) or of equal mass.")] = None,
    item: Annotated[Text, option("For labels by annotators: the column of items.")] = None,
    annotator: Annotated[Text, option("For labels by annotators: the column of annotators.")] = None,
    annotator_groups: Annotated[
        Text, option("Columns that describe annotators, by commas; groups are their intersections.")
    ] = None,
    items: Annotated[Text, option("File with the score of each item, if it is not beside the labels.")] = None,
    annotators: Annotated[Text, option("File that describes each annotator, if it is not beside the labels.")] = None,
    map: Annotated[
        Optional[Path],  # noqa: UP045
        option('TOML file of spellings: [gender] women = ["female", "F"]; "*" is everything else.', "--map"),
    ] = None,
    within: Annotated[Text, option("Column of annotators (country, batch) within which they are comparable.")] = None,
    skip: Annotated[Text, option("Labels that are no judgement, such as cannot-tell codes, by commas.")] = None,
    duplicates: Annotated[
        Text, option("If somebody labelled an item twice differently: refuse (default), first, last or drop.")
    ] = None,
    majority: Annotated[Text, option("Majority that judges: all (default), others, or the name of a group.")] = None,
    ties: Annotated[Text, option("Tied majorities: drop (default), lowest or highest class.")] = None,
    fewest_labels: Annotated[Whole, option("Labels that an annotator must have given to be clustered (20).")] = None,
    permutations: Annotated[Whole, option("How often groups are shuffled over annotators (999).")] = None,
    smoothing: Annotated[bool, option("Add one half to every cell of a divergence.", "--smoothing")] = False,
    clusters: Annotated[Whole, option("Clusters of annotators. Default: as many as groups.")] = None,
    miss: Annotated[Number, option("Share of labels that prediction sets may miss (0.1).")] = None,
    target: Annotated[Number, option("Share of a prevalence within which to know it, for planning (0.2).")] = None,
    effect: Annotated[Number, option("Change between two periods that should be seen, for planning (0.01).")] = None,
    rank_with: Annotated[Text, option("File of prevalences by community, to hold their order against.")] = None,
    threshold: Annotated[
        Number, option("Items with this score or more are flagged; on the score's own scale (0.5).")
    ] = None,
    level: Annotated[Number, option("Level of the intervals (0.95).")] = None,
    interval: Annotated[Text, option("analytic (default) or bootstrap.")] = None,
    replicates: Annotated[Whole, option("Bootstrap replicates (200).")] = None,
    seed: Annotated[Whole, option("Seed of everything random (0).")] = None,
    intersections: Annotated[
        bool, option("Also look at every pair of groups with more than 100 items in both.", "--intersections")
    ] = False,
    examples: Annotated[Whole, option("Show so many texts per group in the report. None unless asked for.")] = None,
    out: Annotated[
        Path | None,
        option(
            "Folder for the report and its data. Default: evenhand-report; none with --json or --csv.", "--out", "-o"
        ),
    ] = None,
    tables: Annotated[
        Text, option("Also write every table for a paper into the folder: markdown, latex or both, by commas.")
    ] = None,
    compare: Annotated[
        Optional[Path],  # noqa: UP045
        option("The findings.json of an earlier run: also say what has changed since."),
    ] = None,
    json: Annotated[bool, option("Print the findings as JSON and nothing else.", "--json")] = False,
    csv: Annotated[bool, option("Print the estimates as CSV and nothing else.", "--csv")] = False,
) -> None:
    """Audit scores and decisions: how groups fare, what people and model achieve, how honest and accurate they are."""
    from evenhand.cli.audit_run import run

    options = {
        "score": listed(score),
        "probabilities": listed(probabilities),
        "classes": listed(classes),
        "normalise": normalise or None,
        "scale": listed(scale),
        "label": label,
        "positive": positive or None,
        "label_threshold": label_threshold,
        "groups": listed(groups),
        "group_by": group_by,
        "group_threshold": group_threshold,
        "text": text,
        "id": id,
        "slices": listed(slices),
        "count": count,
        "inclusion": inclusion,
        "decision": decision,
        "removes": listed(removes),
        "stratum": stratum,
        "where": where,
        "threshold": threshold,
        "level": level,
        "interval": interval,
        "replicates": replicates,
        "seed": seed,
        "intersections": intersections or None,
        "examples": examples,
        "uncertainty": listed(uncertainty),
        "capacities": listed(capacities),
        "strategies": listed(strategies),
        "item": item,
        "annotator": annotator,
        "annotator_groups": listed(annotator_groups),
        "items": items,
        "annotators": annotators,
        "within": within,
        "skip": listed(skip),
        "duplicates": duplicates,
        "majority": majority,
        "ties": ties,
        "fewest_labels": fewest_labels,
        "permutations": permutations,
        "smoothing": smoothing or None,
        "clusters": clusters,
        "miss": miss,
        "target": target,
        "effect": effect,
        "rank_with": rank_with,
        "bins": bins,
        "bins_by": bins_by,
    }
    if json and csv:
        raise InputError("--json and --csv both print to the same place: choose one")
    shown = "json" if json else "csv" if csv else "table"
    run(
        file,
        options,
        audits=listed(audits),
        query=query,
        compare=compare,
        tables=listed(tables) or (),
        terms=terms,
        spellings=map,
        out=out,
        shown=shown,
    )
