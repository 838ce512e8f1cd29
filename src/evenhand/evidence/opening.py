"""From a source and a declaration to evidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from evenhand.errors import InputError
from evenhand.evidence import classes, columns
from evenhand.evidence.annotations import open_annotations
from evenhand.evidence.columns import Table
from evenhand.evidence.declaration import OUTCOME, Declaration
from evenhand.evidence.evidence import Evidence, Part
from evenhand.evidence.groups import Groups, categories
from evenhand.evidence.judgements import judgements
from evenhand.evidence.reading import LENGTH, ROW, TERM, read_table
from evenhand.evidence.source import Source, open_source
from evenhand.evidence.table import ClassEvidence, JudgedEvidence, TableEvidence, probability
from evenhand.tally import FloatArray, Membership, Weights
from evenhand.tally.rows import Mask

SHORT = 100  # characters; the paper `bias` looks at shorter comments apart
MOST_GROUPS, MOST_SLICES = 200, 50


def open_evidence(
    data: Any, declaration: Declaration, *, query: str | None = None, items: Any = None, annotators: Any = None
) -> Evidence:
    """Read and validate what was declared. Rows of a Spark frame stay on the cluster.

    Where annotators are declared a row is a label that one of them gave, and what is known of items and of annotators
    may come from tables of their own.
    """
    predicted = bool(declaration.score or declaration.probabilities)
    if declaration.label is None or not (predicted or OUTCOME in declaration.declared):
        raise InputError(
            "declare the label column, and a score column or a column of probabilities for each class; for the audit "
            "'accuracy' the column of decisions, or of inclusion probabilities"
        )
    if declaration.annotator:
        return open_annotations(data, declaration, items=items, annotators=annotators, query=query)
    if items is not None or annotators is not None:
        raise InputError("a table of items or annotators goes with labels by annotators: declare item and annotator")
    if (remote := _on_cluster(data)) is not None:
        if not predicted:
            raise InputError("without scores the rows are needed at hand, not on a cluster: collect them first")
        from evenhand.evidence.spark_opening import open_spark

        return open_spark(remote, declaration)
    source = open_source(data, query=query)
    table = read_table(source, declaration)
    if not predicted:
        return _open_judged(source, table, declaration)
    return (_open_classes if declaration.probabilities else _open_scores)(source, table, declaration)


def open_predictions(source: Source, declaration: Declaration) -> FloatArray:
    """Only what the model said, without the truth: rows × classes, benign and violating for a score."""
    table = read_table(source, declaration)
    if declaration.probabilities:
        return classes.probabilities(table, declaration)[0]
    column, scale = declaration.score[0], declaration.scale_of(0)
    return classes.two_classes(probability(columns.score(table, column, scale, []), scale, source.name, column))


def _open_scores(source: Source, table: Table, declaration: Declaration) -> TableEvidence:
    labels, notes = columns.label(table, declaration)
    scores = {
        column: columns.score(table, column, declaration.scale_of(index), notes)
        for index, column in enumerate(declaration.score)
    }
    return TableEvidence(
        **_held(source, table, declaration),
        notes=tuple(notes),
        scores=scores,
        label=labels,
        unsure={
            model: columns.review(table, column)
            for index, model in enumerate(declaration.score)
            if (column := declaration.uncertainty_of(index))
        },
    )


def _open_classes(source: Source, table: Table, declaration: Declaration) -> ClassEvidence:
    probabilities, notes = classes.probabilities(table, declaration)
    label, more = classes.label(table, declaration)
    return ClassEvidence(
        **_held(source, table, declaration),
        notes=(*notes, *more),
        probabilities=probabilities,
        label=label,
    )


def _open_judged(source: Source, table: Table, declaration: Declaration) -> JudgedEvidence:
    """Without a model: what people found, and what was decided."""
    held = _held(source, table, declaration)
    judged = held["judged"]()
    return JudgedEvidence(**{**held, "judged": lambda: judged}, label=judged.answer, notes=judged.notes)


def _held(source: Source, table: Table, declaration: Declaration) -> dict[str, Any]:
    """What evidence of every kind has."""
    if declaration.id:
        columns.unique(table, declaration.id)
    keeps = _keeps(table, declaration)
    return {
        "name": source.name,
        "declaration": declaration,
        "parts": tuple(Part(slice_, number) for number, slice_ in enumerate([{}, *(slice_ for slice_, _ in keeps)])),
        "members": _groups(table, declaration),
        "weights": _weights(table, declaration) if declaration.score or declaration.probabilities else None,
        "judged": lambda: judgements(table, declaration),
        "keeps": tuple(keep for _, keep in keeps),
        "fingerprint": source.fingerprint,
        "fetch": _fetcher(source, declaration, table),
    }


def _on_cluster(data: Any) -> Any:
    """The frame as Narwhals sees it, if its rows are on a Spark cluster."""
    if not type(data).__module__.startswith("pyspark"):
        return None
    import narwhals.stable.v2 as nw

    return nw.from_native(data)


def _groups(table: Table, declaration: Declaration) -> dict[str, Membership]:
    groups = Groups(table)
    for column in declaration.groups:
        groups.column(column, declaration.group_threshold)
    if declaration.group_by:
        values = categories(table, declaration.group_by, "grouping by its values", MOST_GROUPS)
        if len(values) < 2:
            table.fail("fewer than two different values: there is nothing to compare with", declaration.group_by)
        for name, inside in values.items():
            groups.add(name, inside, declaration.group_by)
    for name in declaration.terms:
        assert declaration.text is not None
        groups.add(name, table.frame[TERM + name], declaration.text)
    groups.check()
    return groups.members


def _weights(table: Table, declaration: Declaration) -> Weights | None:
    return Weights.of(
        count=columns.counts(table, declaration.count) if declaration.count else None,
        inclusion=columns.inclusion(table, declaration.inclusion) if declaration.inclusion else None,
    )


def _keeps(table: Table, declaration: Declaration) -> list[tuple[dict[str, str], Mask]]:
    """The slices beyond everything, with the rows of each."""
    found: list[tuple[dict[str, str], Mask]] = []
    if declaration.text:
        short = (table.frame[LENGTH] < SHORT).fill_null(False).to_numpy()
        if short.any() and not short.all():
            found.append(({"length": "short"}, short))
    for column in declaration.slices:
        most = MOST_SLICES if declaration.score or declaration.probabilities else MOST_GROUPS
        values = categories(table, column, "slicing by its values", most)
        found += [({column: value}, inside.fill_null(False).to_numpy()) for value, inside in values.items()]
    return found


def _fetcher(source: Source, declaration: Declaration, table: Table) -> Callable[[list[int]], list[str]]:
    """Fetches the texts of some rows of the evidence, for those who ask for them."""

    def fetch(rows: list[int]) -> list[str]:
        if not declaration.text:
            raise InputError("examples need the text column: declare text", source=source.name)
        wanted = np.asarray(rows) if table.rows is None else table.rows.to_numpy()[rows]
        text = pl.col(declaration.text).cast(pl.String).fill_null("")
        found = source.collect(
            lambda lazy: lazy.with_row_index(ROW).filter(pl.col(ROW).is_in(wanted.tolist())).select(ROW, text)
        )
        by_row = dict(zip(found[ROW].to_list(), found[declaration.text].to_list(), strict=True))
        return [by_row[int(row)] for row in wanted]

    return fetch
