"""From a source and a declaration to evidence."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from evenhand.errors import InputError
from evenhand.evidence import classes, columns, faults
from evenhand.evidence.columns import Table
from evenhand.evidence.condition import condition
from evenhand.evidence.declaration import Declaration
from evenhand.evidence.evidence import Evidence, Part
from evenhand.evidence.groups import Groups, categories
from evenhand.evidence.source import Source, open_source
from evenhand.evidence.table import ClassEvidence, TableEvidence, probability
from evenhand.tally import FloatArray, Membership, Weights
from evenhand.tally.rows import Mask

SHORT = 100  # characters; the paper `bias` looks at shorter comments apart
MOST_GROUPS, MOST_SLICES = 200, 50
LENGTH, TERM, ROW = "\0length", "\0term:", "\0row"  # names no file can hold


def open_evidence(data: Any, declaration: Declaration, *, query: str | None = None) -> Evidence:
    """Read and validate what was declared. Rows of a Spark frame stay on the cluster."""
    if not (declaration.score or declaration.probabilities) or declaration.label is None:
        raise InputError("declare the label column, and a score column or a column of probabilities for each class")
    if (remote := _on_cluster(data)) is not None:
        from evenhand.evidence.spark_opening import open_spark

        return open_spark(remote, declaration)
    source = open_source(data, query=query)
    table = _read(source, declaration)
    return (_open_classes if declaration.probabilities else _open_scores)(source, table, declaration)


def open_predictions(source: Source, declaration: Declaration) -> FloatArray:
    """Only what the model said, without the truth: rows × classes, benign and violating for a score."""
    table = _read(source, declaration)
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
        "weights": _weights(table, declaration),
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


def _read(source: Source, declaration: Declaration) -> Table:
    known = list(source.columns())
    for column in declaration.columns:
        if column not in known:
            raise faults.unknown_column(column, known, source.name)
    wanted = [column for column in declaration.columns if column != declaration.text]
    expressions = [pl.col(column) for column in wanted] + _derived(declaration)
    if declaration.where is None:
        frame, rows = source.collect(lambda lazy: lazy.select(expressions)), None
    else:
        kept = condition(declaration.where, source)
        frame = source.collect(lambda lazy: lazy.with_row_index(ROW).filter(kept).select(pl.col(ROW), *expressions))
        rows = frame[ROW]
    if not len(frame):
        problem = "the file holds no rows" if rows is None else f"no row is left where {declaration.where}"
        raise InputError(problem, source=source.name)
    last = max(declaration.columns, key=known.index)  # where a row that is cut off lacks something
    if source.file and frame[LENGTH if last == declaration.text else last].null_count():
        source.file.check_whole()
    return _without_zeros(Table(source.name, frame, rows), declaration)


def _without_zeros(table: Table, declaration: Declaration) -> Table:
    """A row that is there no times is not there."""
    if not declaration.count:
        return table
    there = columns.counts(table, declaration.count) > 0
    if there.all():
        return table
    rows = table.rows if table.rows is not None else pl.Series(np.arange(len(there)))
    return Table(table.name, table.frame.filter(there), rows.filter(there))


def _derived(declaration: Declaration) -> list[pl.Expr]:
    """What is wanted of a text is its length and whether words occur in it; the text itself stays where it is."""
    if not declaration.text:
        return []
    text = pl.col(declaration.text).cast(pl.String)
    terms = [
        text.str.to_lowercase().str.contains(whole_words(words)).alias(TERM + name)
        for name, words in declaration.terms.items()
    ]
    return [text.str.len_chars().alias(LENGTH), *terms]


def whole_words(words: tuple[str, ...]) -> str:
    """A pattern that finds any of the words in a lower-cased text, standing by itself."""
    return rf"(?:^|\W)(?:{'|'.join(re.escape(word) for word in words)})(?:\W|$)"


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
        values = categories(table, column, "slicing by its values", MOST_SLICES)
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
