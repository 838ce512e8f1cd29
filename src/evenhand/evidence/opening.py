"""From a source and a declaration to evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from evenhand.arrays import Bools, Floats
from evenhand.errors import InputError
from evenhand.evidence import checks, rules, scales
from evenhand.evidence.annotations import open_annotations
from evenhand.evidence.clusters import cluster_notes, read_clusters
from evenhand.evidence.columns import COUNTED, GroupCollector, SourceTable, value_masks
from evenhand.evidence.condition import ROW
from evenhand.evidence.counted_rows import is_counted, read_counted
from evenhand.evidence.declaration import OUTCOME, Declaration
from evenhand.evidence.evidence import Evidence, EvidencePart
from evenhand.evidence.frames import TableSource
from evenhand.evidence.items import ClassEvidence, JudgementEvidence, ScoreEvidence
from evenhand.evidence.judgements import read_judgements
from evenhand.evidence.reading import LENGTH, MOST_GROUPS, MOST_SLICES, SHORT, read_table
from evenhand.evidence.reviews import read_reviews
from evenhand.evidence.scales import to_probability
from evenhand.evidence.source import Source, open_source
from evenhand.evidence.terms import TERM, ListedTerms, term_notes
from evenhand.finding import SliceKey
from evenhand.tally import Membership, Weights

MOST_NAMED = 12  # columns in a message


def open_evidence(
    data: TableSource,
    declaration: Declaration,
    *,
    query: str | None = None,
    items: TableSource | None = None,
    annotators: TableSource | None = None,
    cuts: Sequence[float] | None = None,
) -> Evidence:
    """Read and validate what was declared. Rows of a Spark frame stay on the cluster.

    For those to whom rows that are alike are one, files of very many rows are counted as they are read
    (`counted_rows`); `cuts` are scores that are told apart then. Without `cuts` every row is there.

    Where annotators are declared a row is a label that one of them gave, and what is known of items and of annotators
    may come from tables of their own.

    >>> table = {"p": [0.9, 0.2, 0.7, 0.4], "toxic": [True, False, True, False]}
    >>> eh.open_evidence(table, eh.Declaration(score="p", label="toxic")).size
    4
    """
    predicted = bool(declaration.score or declaration.probabilities)
    if declaration.label is None or not (predicted or OUTCOME in declaration.declared):
        raise _undeclared(data, declaration, query)
    if declaration.annotator:
        return open_annotations(data, declaration, items=items, annotators=annotators, query=query)
    if items is not None or annotators is not None:
        raise InputError("a table of items or annotators needs labels by annotators: set `item` and `annotator`")
    if (remote := _on_cluster(data)) is not None:
        if not predicted:
            raise InputError("without scores the rows are needed at hand, not on a cluster: collect them first")
        if declaration.skip_unscored:
            raise InputError("rows on a cluster are not left out by `skip_unscored`: filter the frame")
        if declaration.reviews:
            raise InputError("reviews need the rows locally, not on a cluster: collect them first, or omit `reviews`")
        if declaration.cluster:
            raise InputError("clusters need the rows locally, not on a cluster: collect them first, or omit `cluster`")
        from evenhand.evidence.spark import open_spark
        from evenhand.evidence.spark_counts import can_be_counted, counted_evidence

        evidence = open_spark(remote, declaration)
        return counted_evidence(evidence, cuts) if cuts is not None and can_be_counted(evidence) else evidence
    source = open_source(data, query=query).naming(declaration.columns)
    alike = cuts is not None and is_counted(source, declaration)
    counted = read_counted(source, declaration, cuts or ()) if alike else None
    table = counted[0] if counted else read_table(source, declaration)
    notes = (*cluster_notes(table, declaration), *term_notes(table.frame, declaration.terms, COUNTED))
    table = replace(table, notes=(*source.notes, *table.notes, *notes))
    if counted:
        return _with_note(replace(_open_scores(source, table, declaration), counted=counted[1]))
    if not predicted:
        return _open_judgements(source, table, declaration)
    return (_open_classes if declaration.probabilities else _open_scores)(source, table, declaration)


def _undeclared(data: TableSource, declaration: Declaration, query: str | None) -> InputError:
    """Which roles are missing, and which columns there are to fill them."""
    missing = [] if declaration.label else ["`label`, the label column"]
    remedy = ""
    if not (declaration.score or declaration.probabilities or OUTCOME in declaration.declared):
        missing.append("`score`, the score column (or `probabilities`, one column per class)")
        remedy = "; the audit 'accuracy' needs no score, but `decision` or `inclusion`"
    problem = f"set {', and '.join(missing)}{remedy}"
    if _on_cluster(data) is not None:
        return InputError(problem)
    source = open_source(data, query=query)
    names = list(source.columns())
    shown = ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
    return InputError(f"{problem}; the columns are: {shown}", source=source.name)


def _with_note(evidence: ScoreEvidence) -> ScoreEvidence:
    """How exact the numbers are, where scores were taken together."""
    assert evidence.counted is not None
    assert evidence.weights is not None
    (score,) = evidence.scores.values()
    note = evidence.counted.note(score, evidence.label, evidence.weights.count)
    return replace(evidence, notes=(note, *evidence.notes))


class Predictions(NamedTuple):
    """Rows × classes, benign and violating for a score; the rows of the source they are of, where not of all."""

    probabilities: Floats
    rows: pl.Series | None
    notes: tuple[str, ...]


def open_predictions(source: Source, declaration: Declaration) -> Predictions:
    """Only what the model said, without the truth."""
    table = read_table(source, declaration)
    if declaration.probabilities:
        return Predictions(checks.read_class_probabilities(table, declaration)[0], table.rows, table.notes)
    column, scale = declaration.score[0], declaration.scale_of(0)
    score = checks.read_scores(table, column, scale, [])
    p = scales.two_classes(to_probability(score, scale, source.name, column))
    return Predictions(p, table.rows, table.notes)


def _open_scores(source: Source, table: SourceTable, declaration: Declaration) -> ScoreEvidence:
    labels, notes = checks.read_labels(table, declaration)
    scores = {
        column: checks.read_scores(table, column, declaration.scale_of(index), notes)
        for index, column in enumerate(declaration.score)
    }
    return ScoreEvidence(
        **_item_fields(source, table, declaration),
        notes=(*table.notes, *notes),
        scores=scores,
        label=labels,
        reviews=read_reviews(table, declaration, labels),
        unsure={
            model: checks.read_uncertainty(table, column)
            for index, model in enumerate(declaration.score)
            if (column := declaration.uncertainty_of(index))
        },
    )


def _open_classes(source: Source, table: SourceTable, declaration: Declaration) -> ClassEvidence:
    probabilities, notes = checks.read_class_probabilities(table, declaration)
    label, more = checks.read_class_labels(table, declaration)
    return ClassEvidence(
        **_item_fields(source, table, declaration),
        notes=(*table.notes, *notes, *more),
        probabilities=probabilities,
        label=label,
    )


def _open_judgements(source: Source, table: SourceTable, declaration: Declaration) -> JudgementEvidence:
    """Without a model: what people found, and what was decided."""
    fields = _item_fields(source, table, declaration)
    judged = fields["judged"]()
    return JudgementEvidence(**{**fields, "judged": lambda: judged}, label=judged.answer, notes=judged.notes)


def _item_fields(source: Source, table: SourceTable, declaration: Declaration) -> dict[str, Any]:
    """What evidence of every kind has."""
    if declaration.id and COUNTED not in table.frame.columns:
        checks.check_unique(table, declaration.id)
    keeps = _slice_masks(table, declaration)
    return {
        "name": source.name,
        "declaration": declaration,
        "parts": tuple(
            EvidencePart(slice_, number) for number, slice_ in enumerate([{}, *(slice_ for slice_, _ in keeps)])
        ),
        "members": read_groups(table, declaration),
        "weights": _read_weights(table, declaration) if declaration.score or declaration.probabilities else None,
        "clusters": read_clusters(table, declaration),
        "judged": lambda: read_judgements(table, declaration),
        "keeps": tuple(keep for _, keep in keeps),
        "fingerprint": source.fingerprint,
        "fetch": _text_fetcher(source, declaration, table),
    }


def _on_cluster(data: TableSource) -> Any:
    """The frame as Narwhals sees it, if its rows are on a Spark cluster."""
    if not type(data).__module__.startswith("pyspark"):
        return None
    import narwhals.stable.v2 as nw

    return nw.from_native(data)


def read_groups(table: SourceTable, declaration: Declaration) -> dict[str, Membership]:
    """The members of each group, however groups are declared."""
    groups = GroupCollector(table)
    for column in declaration.groups:
        groups.column(column, declaration.group_threshold)
    if declaration.group_by:
        values = value_masks(table, declaration.group_by, "grouping by its values", MOST_GROUPS)
        if len(values) < 2:
            table.fail(rules.NOTHING_TO_COMPARE, declaration.group_by)
        for name, inside in values.items():
            groups.add(name, inside, declaration.group_by)
    for name in declaration.terms:
        assert declaration.text is not None
        groups.add(name, table.frame[TERM + name], declaration.text)
    if isinstance(declaration.terms, ListedTerms):
        groups.leave_out_empty()
    groups.check()
    return groups.members


def _read_weights(table: SourceTable, declaration: Declaration) -> Weights | None:
    if COUNTED in table.frame.columns:
        return Weights.from_columns(count=table.frame[COUNTED].cast(pl.Float64).to_numpy())
    if declaration.weight:
        return Weights.from_importance(checks.read_weights(table, declaration.weight))
    return Weights.from_columns(
        count=checks.read_counts(table, declaration.count) if declaration.count else None,
        inclusion=checks.read_inclusion(table, declaration.inclusion) if declaration.inclusion else None,
    )


def _slice_masks(table: SourceTable, declaration: Declaration) -> list[tuple[dict[str, str], Bools]]:
    """The slices beyond everything, with the rows of each."""
    masks: list[tuple[dict[str, str], Bools]] = []
    if declaration.text:
        short = (table.frame[LENGTH] < SHORT).fill_null(False).to_numpy()
        if short.any() and not short.all():
            masks.append(({SliceKey.LENGTH: "short"}, short))
    for column, key in declaration.slice_keys.items():
        most = MOST_SLICES if declaration.score or declaration.probabilities else MOST_GROUPS
        values = value_masks(table, column, "slicing by its values", most)
        masks += [({key: value}, inside.fill_null(False).to_numpy()) for value, inside in values.items()]
    return masks


def _text_fetcher(source: Source, declaration: Declaration, table: SourceTable) -> Callable[[list[int]], list[str]]:
    """Fetches the texts of some rows of the evidence, for those who ask for them."""

    def fetch(rows: list[int]) -> list[str]:
        if not declaration.text:
            raise InputError("examples need the text column: set `text`", source=source.name)
        wanted = np.asarray(rows) if table.rows is None else table.rows.to_numpy()[rows]
        text = pl.col(declaration.text).cast(pl.String).fill_null("")
        texts = source.collect(
            lambda lazy: lazy.with_row_index(ROW).filter(pl.col(ROW).is_in(wanted.tolist())).select(ROW, text)
        )
        by_row = dict(zip(texts[ROW].to_list(), texts[declaration.text].to_list(), strict=True))
        return [by_row[int(row)] for row in wanted]

    return fetch
