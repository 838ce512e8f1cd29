"""Evidence with a row for each label that somebody gave: labels, annotators, predictions, from one table or three."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl

from evenhand.arrays import Bools, Floats, Int32s, Ints
from evenhand.errors import InputError
from evenhand.evidence import checks, columns, scales
from evenhand.evidence.annotators import Annotators, id_column, positions_of, read_annotators, read_ids
from evenhand.evidence.columns import SourceTable
from evenhand.evidence.declaration import Declaration
from evenhand.evidence.evidence import DeclaredEvidence, EvidencePart
from evenhand.evidence.frames import TableSource
from evenhand.evidence.reading import read_columns, read_table, without_unscored
from evenhand.evidence.scales import BENIGN, VIOLATING, to_probability
from evenhand.evidence.source import Source, open_source


@dataclass(frozen=True, repr=False)
class AnnotationEvidence(DeclaredEvidence):
    """One row per label that somebody gave. Items and annotators are numbers; nobody's id is kept."""

    classes: tuple[str, ...]
    item: Int32s
    annotator: Int32s
    label: Int32s
    annotators: Annotators
    probabilities: Mapping[str, Floats]  # by model: items × classes
    fingerprint: Callable[[], Mapping[str, Any]]

    has_rows: ClassVar[bool] = True

    @property
    def groups(self) -> tuple[str, ...]:
        return ()

    @property
    def size(self) -> int:
        return len(self.label)

    @property
    def items(self) -> int:
        """How many items there are."""
        return len(next(iter(self.probabilities.values())))

    def unannotated(self) -> Mapping[str, int]:
        return {}

    def provenance(self) -> dict[str, Any]:
        digest = hashlib.sha256()
        for values in (self.item, self.annotator, self.label, self.annotators.group, *self.probabilities.values()):
            digest.update(np.ascontiguousarray(values).tobytes())
        roles = self.declaration.as_dict()
        return {**self.fingerprint(), "rows": self.size, "evidence": digest.hexdigest()[:16], "roles": roles}


def open_annotations(
    data: TableSource,
    declaration: Declaration,
    *,
    items: TableSource | None = None,
    annotators: TableSource | None = None,
    query: str | None = None,
) -> AnnotationEvidence:
    """Read the labels, and from the same or other tables the model's word and who the annotators are."""
    if not declaration.annotator_groups:
        raise InputError("name the columns that describe the annotators: set `annotator_groups`")
    sources = {
        name: open_source(part, query=query if name == "annotations" else None)
        for name, part in (("annotations", data), ("items", items), ("annotators", annotators))
        if part is not None
    }
    notes: list[str] = []
    table = _without_skipped(
        read_table(sources["annotations"], _columns_beside_labels(declaration, sources)), declaration, notes
    )
    notes += [*sources["annotations"].notes, *table.notes]
    names, label = _labels(table, declaration, notes)
    ids = {role: read_ids(table, getattr(declaration, role), role) for role in ("item", "annotator")}
    included = _without_duplicates(table, ids, label, declaration, notes)
    predicted = _predictions(sources, table, ids["item"], declaration, notes)
    item = positions_of(ids["item"], predicted.ids)
    included &= _with_prediction(item, ids["item"], notes, sources)
    who, annotator = read_annotators(
        table, ids["annotator"].filter(pl.Series(included)), declaration, sources.get("annotators"), notes
    )
    rows = np.flatnonzero(included)
    used, number = _items_in_order_of_ids(item[rows], predicted.ids)
    ordered = np.lexsort((annotator, number))  # neither items nor labels are in the order of the file
    rows, number, annotator = rows[ordered], number[ordered], annotator[ordered]
    return AnnotationEvidence(
        name=sources["annotations"].name,
        declaration=declaration,
        parts=(EvidencePart({}),),
        notes=tuple(notes),
        classes=names,
        item=number.astype(np.int32),
        annotator=annotator,
        label=label[rows],
        annotators=who,
        probabilities={model: p[used] for model, p in predicted.probabilities.items()},
        fingerprint=lambda: _fingerprint(sources),
    )


def _items_in_order_of_ids(item: Int32s, ids: pl.Series) -> tuple[Ints, Ints]:
    """Where the items that have labels are among all, and the number of the item of each label."""
    used, number = np.unique(item, return_inverse=True)
    order = ids.gather(used).arg_sort().to_numpy().astype(np.int64)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return used[order], rank[number]


def _columns_beside_labels(declaration: Declaration, sources: Mapping[str, Source]) -> Declaration:
    """The columns that are looked for in the table of labels; what has a table of its own is not."""
    if "items" in sources:
        declaration = replace(declaration, score=(), scale=("probability",), probabilities=(), classes=())
    if "annotators" in sources:
        declaration = replace(declaration, annotator_groups=(), within=None, spellings={})
    return declaration


def _without_skipped(table: SourceTable, declaration: Declaration, notes: list[str]) -> SourceTable:
    """Without labels that are no judgement, such as "cannot tell"."""
    if not declaration.skip:
        return table
    assert declaration.label is not None
    words = columns.label_words(table, declaration.label)
    skipped = words.is_in(pl.Series(declaration.skip).implode()).fill_null(False)
    for value in declaration.skip:
        if not (words == value).any():
            table.fail(f"no label is '{value}', which was to be skipped", declaration.label)
    listed = " or ".join(f"'{value}'" for value in declaration.skip)
    notes.append(f"{int(skipped.sum()):,} labels of {len(words):,} are {listed} and were left out.")
    return table.only(~skipped)


def _labels(table: SourceTable, declaration: Declaration, notes: list[str]) -> tuple[tuple[str, ...], Int32s]:
    """The classes, and each label as the number of one."""
    if declaration.probabilities:
        label, more = checks.read_class_labels(table, declaration)
        notes += more
        return declaration.class_names, label
    violating, more = checks.read_labels(table, declaration)
    notes += more
    return (BENIGN, VIOLATING), violating.astype(np.int32)


def _without_duplicates(
    table: SourceTable, ids: Mapping[str, pl.Series], label: Int32s, declaration: Declaration, notes: list[str]
) -> Bools:
    """Which rows stay, so that nobody labels an item twice."""
    pairs = pl.DataFrame({"item": ids["item"], "annotator": ids["annotator"], "label": label})
    by = ["item", "annotator"]
    several = pairs.select(pl.len().over(by) > 1).to_series()
    if not several.any():
        return np.ones(len(pairs), dtype=bool)
    conflict = pairs.select(pl.col("label").n_unique().over(by) > 1).to_series()
    pair = pairs.select(pl.struct(by)).to_series()
    first, last = pair.is_first_distinct(), pair.is_last_distinct()
    if conflict.any() and declaration.duplicates == "refuse":
        problem = (
            f"{pairs.filter(conflict).select(by).n_unique()} times somebody gave one item two different labels; "
            "say which counts with `duplicates` first, last or drop"
        )
        table.fail(problem, declaration.annotator or "", conflict)
    included = {"first": first, "last": last, "drop": first & ~conflict, "refuse": first}[declaration.duplicates]
    notes.append(f"{int((~included).sum()):,} labels that somebody gave an item again were left out.")
    return np.array(included.to_numpy())


@dataclass(frozen=True)
class ItemPredictions:
    """Items by id, and each model's probabilities of them."""

    ids: pl.Series
    probabilities: Mapping[str, Floats]


def _predictions(
    sources: Mapping[str, Source], table: SourceTable, item: pl.Series, declaration: Declaration, notes: list[str]
) -> ItemPredictions:
    assert declaration.item is not None
    if "items" not in sources:
        return _predictions_beside_labels(table, item, declaration, notes)
    key = id_column(sources["items"], declaration.item)
    own = without_unscored(
        read_columns(sources["items"], [key, *declaration.score, *declaration.probabilities]), declaration
    )
    notes += own.notes
    checks.check_unique(own, key)
    return ItemPredictions(read_ids(own, key, "item"), _model_probabilities(own, declaration, notes))


def _predictions_beside_labels(
    table: SourceTable, item: pl.Series, declaration: Declaration, notes: list[str]
) -> ItemPredictions:
    """From the table of labels, where every label of an item must have the same beside it."""
    probabilities = _model_probabilities(table, declaration, notes)
    first = item.is_first_distinct().to_numpy()
    ids = item.filter(pl.Series(first))
    place = positions_of(item, ids)
    for model, p in probabilities.items():
        other = (p != p[first][place]).any(axis=1)
        if other.any():
            column = model if model in table.frame.columns else declaration.probabilities[0]
            table.fail("this item has another prediction in an earlier row", column, pl.Series(other))
    return ItemPredictions(ids, {model: p[first] for model, p in probabilities.items()})


def _model_probabilities(table: SourceTable, declaration: Declaration, notes: list[str]) -> dict[str, Floats]:
    if declaration.probabilities:
        probabilities, more = checks.read_class_probabilities(table, declaration)
        notes += more
        return {"probabilities": probabilities}
    models: dict[str, Floats] = {}
    for index, column in enumerate(declaration.score):
        scale = declaration.scale_of(index)
        score = checks.read_scores(table, column, scale, notes)
        models[column] = scales.two_classes(to_probability(score, scale, table.name, column))
    return models


def _with_prediction(item: Int32s, ids: pl.Series, notes: list[str], sources: Mapping[str, Source]) -> Bools:
    lacking = item < 0
    if lacking.all():
        name = sources["items"].name
        raise InputError(f"no item of the labels is in it, such as '{ids[0]}'", source=name)
    if lacking.any():
        number = ids.filter(pl.Series(lacking)).n_unique()
        notes.append(f"{int(lacking.sum()):,} labels of {number:,} items without a prediction were left out.")
    return ~lacking


def _fingerprint(sources: Mapping[str, Source]) -> dict[str, Any]:
    prints = {name: source.fingerprint() for name, source in sources.items()}
    return {**prints.pop("annotations"), **prints}
