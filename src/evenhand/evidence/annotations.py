"""Who labelled what, how annotators describe themselves, and what models say of the items: from one table or three."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from evenhand.errors import InputError
from evenhand.evidence import classes, columns
from evenhand.evidence.annotators import Annotators, ids_of, key_of, people, places
from evenhand.evidence.columns import Table
from evenhand.evidence.declaration import Declaration
from evenhand.evidence.evidence import Evidence, Part
from evenhand.evidence.reading import read_columns, read_table
from evenhand.evidence.source import Source, open_source
from evenhand.evidence.table import BENIGN, VIOLATING, probability
from evenhand.tally import FloatArray, IntArray
from evenhand.tally.rows import Mask


@dataclass(frozen=True)
class AnnotationEvidence(Evidence):
    """One row per label that somebody gave. Items and annotators are numbers; nobody's id is kept."""

    classes: tuple[str, ...]
    item: IntArray
    annotator: IntArray
    label: IntArray
    annotators: Annotators
    probabilities: Mapping[str, FloatArray]  # by model: items × classes
    fingerprint: Callable[[], Mapping[str, Any]]

    has_rows = True

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

    def texts(self, rows: list[int]) -> list[str]:
        raise InputError("texts of annotations are not shown", source=self.name)

    def provenance(self) -> dict[str, Any]:
        digest = hashlib.sha256()
        for values in (self.item, self.annotator, self.label, self.annotators.group, *self.probabilities.values()):
            digest.update(np.ascontiguousarray(values).tobytes())
        roles = self.declaration.as_dict()
        return {**self.fingerprint(), "rows": self.size, "evidence": digest.hexdigest()[:16], "roles": roles}


def open_annotations(
    data: Any, declaration: Declaration, *, items: Any = None, annotators: Any = None, query: str | None = None
) -> AnnotationEvidence:
    """Read the labels, and from the same or other tables the model's word and who the annotators are."""
    if not declaration.annotator_groups:
        raise InputError("say which columns describe the annotators: declare annotator_groups (--annotator-groups)")
    sources = {
        name: open_source(given, query=query if name == "annotations" else None)
        for name, given in (("annotations", data), ("items", items), ("annotators", annotators))
        if given is not None
    }
    notes: list[str] = []
    table = _without_skipped(
        read_table(sources["annotations"], _of_annotations(declaration, sources)), declaration, notes
    )
    names, label = _labels(table, declaration, notes)
    ids = {role: ids_of(table, getattr(declaration, role), role) for role in ("item", "annotator")}
    kept = _once(table, ids, label, declaration, notes)
    predicted = _predictions(sources, table, ids["item"], declaration, notes)
    item = places(ids["item"], predicted.ids)
    kept &= _with_prediction(item, ids["item"], notes, sources)
    who, annotator = people(
        table, ids["annotator"].filter(pl.Series(kept)), declaration, sources.get("annotators"), notes
    )
    rows = np.flatnonzero(kept)
    used, number = np.unique(item[rows], return_inverse=True)
    return AnnotationEvidence(
        name=sources["annotations"].name,
        declaration=declaration,
        parts=(Part({}),),
        notes=tuple(notes),
        classes=names,
        item=number.astype(np.int32),
        annotator=annotator,
        label=label[rows],
        annotators=who,
        probabilities={model: p[used] for model, p in predicted.probabilities.items()},
        fingerprint=lambda: _fingerprint(sources),
    )


def _of_annotations(declaration: Declaration, sources: Mapping[str, Source]) -> Declaration:
    """The columns that are looked for in the table of labels; what has a table of its own is not."""
    if "items" in sources:
        declaration = replace(declaration, score=(), scale=("probability",), probabilities=(), classes=())
    if "annotators" in sources:
        declaration = replace(declaration, annotator_groups=(), within=None, spellings={})
    return declaration


def _without_skipped(table: Table, declaration: Declaration, notes: list[str]) -> Table:
    """Without labels that are no judgement, such as "cannot tell"."""
    if not declaration.skip:
        return table
    assert declaration.label is not None
    words = classes.words_of(table, declaration.label)
    skipped = words.is_in(pl.Series(declaration.skip).implode()).fill_null(False)
    for value in declaration.skip:
        if not (words == value).any():
            table.fail(f"no label is '{value}', which was to be skipped", declaration.label)
    told = " or ".join(f"'{value}'" for value in declaration.skip)
    notes.append(f"{int(skipped.sum()):,} labels of {len(words):,} are {told} and were left out.")
    return table.only(~skipped)


def _labels(table: Table, declaration: Declaration, notes: list[str]) -> tuple[tuple[str, ...], IntArray]:
    """The classes, and each label as the number of one."""
    if declaration.probabilities:
        label, more = classes.label(table, declaration)
        notes += more
        return declaration.class_names, label
    violating, more = columns.label(table, declaration)
    notes += more
    return (BENIGN, VIOLATING), violating.astype(np.int32)


def _once(
    table: Table, ids: Mapping[str, pl.Series], label: IntArray, declaration: Declaration, notes: list[str]
) -> Mask:
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
            "say which counts with --duplicates first, last or drop"
        )
        table.fail(problem, declaration.annotator or "", conflict)
    kept = {"first": first, "last": last, "drop": first & ~conflict, "refuse": first}[declaration.duplicates]
    notes.append(f"{int((~kept).sum()):,} labels that somebody gave an item again were left out.")
    return np.array(kept.to_numpy())


@dataclass(frozen=True)
class Predicted:
    """Items by id, and each model's probabilities of them."""

    ids: pl.Series
    probabilities: Mapping[str, FloatArray]


def _predictions(
    sources: Mapping[str, Source], table: Table, item: pl.Series, declaration: Declaration, notes: list[str]
) -> Predicted:
    assert declaration.item is not None
    if "items" not in sources:
        return _repeated(table, item, declaration, notes)
    key = key_of(sources["items"], declaration.item)
    own = read_columns(sources["items"], [key, *declaration.score, *declaration.probabilities])
    columns.unique(own, key)
    return Predicted(ids_of(own, key, "item"), _models(own, declaration, notes))


def _repeated(table: Table, item: pl.Series, declaration: Declaration, notes: list[str]) -> Predicted:
    """From the table of labels, where every label of an item must have the same beside it."""
    found = _models(table, declaration, notes)
    first = item.is_first_distinct().to_numpy()
    ids = item.filter(pl.Series(first))
    place = places(item, ids)
    for model, p in found.items():
        other = (p != p[first][place]).any(axis=1)
        if other.any():
            column = model if model in table.frame.columns else declaration.probabilities[0]
            table.fail("this item has another prediction in an earlier row", column, pl.Series(other))
    return Predicted(ids, {model: p[first] for model, p in found.items()})


def _models(table: Table, declaration: Declaration, notes: list[str]) -> dict[str, FloatArray]:
    if declaration.probabilities:
        found, more = classes.probabilities(table, declaration)
        notes += more
        return {"probabilities": found}
    models: dict[str, FloatArray] = {}
    for index, column in enumerate(declaration.score):
        scale = declaration.scale_of(index)
        score = columns.score(table, column, scale, notes)
        models[column] = classes.two_classes(probability(score, scale, table.name, column))
    return models


def _with_prediction(item: IntArray, ids: pl.Series, notes: list[str], sources: Mapping[str, Source]) -> Mask:
    lacking = item < 0
    if lacking.all():
        name = sources["items"].name
        raise InputError(f"no item of the labels is in it, such as '{ids[0]}'", source=name)
    if lacking.any():
        number = ids.filter(pl.Series(lacking)).n_unique()
        notes.append(f"{int(lacking.sum()):,} labels of {number:,} items without a prediction were left out.")
    return ~lacking


def _fingerprint(sources: Mapping[str, Source]) -> dict[str, Any]:
    found = {name: source.fingerprint() for name, source in sources.items()}
    return {**found.pop("annotations"), **found}
