"""The file of a migration: old scores and new ones of the same comments, checked, with labels and groups if there are.

New scores stand in a column, or are made here by scoring the texts with a model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import InputError
from evenhand.evidence import Declaration, ScoreScale, Source, TableSource, checks, open_source
from evenhand.evidence.columns import SourceTable, value_masks
from evenhand.evidence.evidence import not_shown
from evenhand.evidence.opening import read_groups
from evenhand.evidence.reading import MOST_SLICES, read_table
from evenhand.evidence.scales import to_probability
from evenhand.finding import SliceKey
from evenhand.loose_values import one_or_several
from evenhand.migration import responses
from evenhand.migration.new_scores import NewScores, score_texts
from evenhand.progress import Progress, silent
from evenhand.tally.order import ScoreArray

PROBABILITY = "probability"
FEWEST_COMMENTS = 50  # half of them are held out
SCORE_REMEDY = "set `scale` to percent or logit if the scores are not probabilities"


@dataclass(frozen=True)
class CommentGroup:
    """Some of the comments: their slice, how a sentence names them, and their rows.

    A group whose column was `named` is shown however few comments it has.
    """

    slice: Mapping[str, str]
    comments: str
    rows: Ints
    named: bool = False


@dataclass(frozen=True)
class ScoreLog:
    """Comments with an old score and a new one. `label` is whether people found them violating, where that is known."""

    name: str
    old: ScoreArray
    new: Floats
    label: Bools | None
    groups: tuple[CommentGroup, ...]
    notes: tuple[str, ...]
    origin: Mapping[str, Any] = field(repr=False)

    @property
    def comments(self) -> int:
        """How many there are."""
        return len(self.old)

    def without_small_groups(self, smallest: int) -> ScoreLog:
        """Without groups and slices of fewer comments, as in audits; groups whose columns were named stay."""
        shown = tuple(group for group in self.groups if group.named or len(group.rows) >= smallest)
        hidden = [group for group in self.groups if not group.named and len(group.rows) < smallest]
        groups = sum(SliceKey.GROUP in group.slice for group in hidden)
        notes = (*not_shown(groups, "group", smallest), *not_shown(len(hidden) - groups, "slice", smallest))
        return replace(self, groups=shown, notes=(*self.notes, *notes))

    def flagged_before(self, threshold: float) -> Bools:
        """By the old model, in the precision of its scores."""
        flagged: Bools = self.old >= self.old.dtype.type(threshold)
        return flagged

    def provenance(self) -> dict[str, Any]:
        """Where the numbers come from."""
        digest = hashlib.sha256(np.ascontiguousarray(self.old).tobytes() + self.new.tobytes())
        if self.label is not None:
            digest.update(np.packbits(self.label).tobytes())
        for group in self.groups:
            digest.update(repr(sorted(group.slice.items())).encode() + group.rows.tobytes())
        return {**self.origin, "rows": self.comments, "evidence": digest.hexdigest()[:16]}


def open_log(
    data: TableSource,
    roles: Mapping[str, Any],
    new: NewScores,
    *,
    old_score: str | None = None,
    attribute: str | None = None,
    query: str | None = None,
    progress: Progress = silent,
) -> ScoreLog:
    """Read a log. `roles` are those of a declaration that have to do with text, label, groups and rows."""
    source = open_source(data, query=query)
    source, old = _old_scores(source, old_score, attribute)
    declared = {name: value for name, value in roles.items() if value is not None}
    if new.model is not None:
        scored = score_texts(
            source, new, text=declared.get("text"), where=declared.get("where"), attribute=attribute, progress=progress
        )
        source, column, about = scored.source, scored.column, scored.about
        declared["text"] = scored.text
    else:
        column, about = str(new.column), {"column": str(new.column)}
    if new.model is not None and "scale" in declared:
        declared["scale"] = [*one_or_several(declared["scale"])[:1], PROBABILITY]  # a model gives probabilities
    declaration = Declaration.of({**declared, "score": [old, column]})
    table = read_table(source, declaration)
    notes = list(table.notes)
    if new.model is not None:
        table = _only_scored(table, column, notes)
    scores = {
        name: _scores(table, name, declaration.scale_of(number), notes) for number, name in enumerate((old, column))
    }
    if len(table.frame) < FEWEST_COMMENTS:
        problem = f"{len(table.frame):,} comments are too few: matching thresholds needs at least {FEWEST_COMMENTS}"
        raise InputError(problem, source=source.name)
    label = None
    if declaration.label:
        label, more = checks.read_labels(table, declaration)
        notes += more
    return ScoreLog(
        source.name,
        scores[old],
        scores[column].astype(np.float64),
        label,
        tuple(_groups(table, declaration)),
        tuple(notes),
        {**source.fingerprint(), "roles": declaration.as_dict(), "old": old, "new": about},
    )


def _old_scores(source: Source, old_score: str | None, attribute: str | None) -> tuple[Source, str]:
    """The column of old scores: the one named, or that of an attribute in stored answers of the service."""
    if old_score is not None:
        return source, old_score
    if attribute is None and not responses.has_answers(source):
        raise InputError("name the column of old scores with `old_score`", source=source.name)
    attribute = attribute or responses.USUAL_ATTRIBUTE
    return responses.with_attribute(source, attribute), attribute


def _only_scored(table: SourceTable, column: str, notes: list[str]) -> SourceTable:
    """Without comments that the model said nothing about."""
    scored = table.frame[column].is_not_null()
    lacking = len(scored) - int(scored.sum())
    if not lacking:
        return table
    if lacking == len(scored):
        raise InputError("the model returned no score for any text", source=table.name)
    notes.append(f"Comments left out because they have no text or no new score: {lacking:,}.")
    return table.only(scored)


def _scores(table: SourceTable, column: str, scale: ScoreScale, notes: list[str]) -> ScoreArray:
    try:
        scores = checks.read_scores(table, column, scale, notes)
    except InputError as error:
        if error.role == "scale":
            raise error.rephrased(error.fault, remedy=SCORE_REMEDY) from None
        raise
    if scale.name != PROBABILITY:
        scores = to_probability(scores, scale, table.name, column)
    if scores.min() == scores.max():
        table.fail(f"all scores are {scores[0]:g}, so thresholds cannot be matched", column)
    return scores


def _groups(table: SourceTable, declaration: Declaration) -> Iterator[CommentGroup]:
    """Declared groups, then the values of columns such as the language."""
    for name, member in read_groups(table, declaration).items():
        rows = member.rows.astype(np.int64)
        yield CommentGroup({SliceKey.GROUP: name}, _comments(declaration, name), rows, name in declaration.groups)
    for column, key in declaration.slice_keys.items():
        for name, inside in value_masks(table, column, "slicing by its values", MOST_SLICES).items():
            rows = inside.fill_null(False).arg_true().to_numpy().astype(np.int64)
            yield CommentGroup({key: name}, f"comments with {column} '{name}'", rows)


def _comments(declaration: Declaration, name: str) -> str:
    """How a sentence names the comments of a group: by what is known of them, and by no more."""
    if declaration.terms:
        return f"comments that mention '{name}'"
    if declaration.group_by:
        return f"comments with {declaration.group_by} '{name}'"
    return f"comments in the group '{name}'"
