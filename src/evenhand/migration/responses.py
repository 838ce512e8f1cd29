"""Stored answers of Perspective's AnalyzeComment: the score of one attribute, and the text, as plain columns.

A line of the log is the answer itself, or an object that holds it under `response`, with the request beside it. A field
that a line lacks, such as the scores of a text in a language that the service did not know, is empty.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.errors import InputError, nearest
from evenhand.evidence import Source

ANSWERS = (("attributeScores",), ("response", "attributeScores"))
COMMENTS = (("comment", "text"), ("request", "comment", "text"))
SUMMARY = ("summaryScore", "value")
USUAL_ATTRIBUTE = "TOXICITY"
TEXT = "comment_text"


def has_answers(source: Source) -> bool:
    """Whether its rows are answers of the service rather than a flat table."""
    schema = source.columns()
    return any(_kind_at(schema, path) is not None for path in ANSWERS)


def with_attribute(source: Source, attribute: str) -> Source:
    """The same rows with a column for the score of an attribute, called as it, and one for the text of the comment."""
    schema = source.columns()
    answer = next((path for path in ANSWERS if _kind_at(schema, path) is not None), None)
    if answer is None:
        problem = (
            "no column contains Perspective responses ('attributeScores'): name a column of scores with `old_score`"
        )
        raise InputError(problem, source=source.name)
    known = _names_at(schema, answer)
    if attribute not in known:
        raise InputError(f"there is no attribute '{attribute}'; {nearest(attribute, known)}", source=source.name)
    path = (*answer, attribute, *SUMMARY)
    if _kind_at(schema, path) is None:
        problem = f"'{attribute}' has no summary score ({'.'.join(SUMMARY)})"
        raise InputError(problem, source=source.name, column=answer[0])
    added = {attribute: path}
    comment = next((path for path in COMMENTS if _kind_at(schema, path) == pl.String), None)
    if comment is not None and TEXT not in schema:
        added[TEXT] = comment
    return source.extended(lambda frame: frame.with_columns(**{name: _field(p) for name, p in added.items()}))


def _kind_at(schema: pl.Schema, path: Sequence[str]) -> pl.DataType | None:
    """The type of a nested field; None where there is no such field."""
    kind: pl.DataType | None = schema.get(path[0])
    for name in path[1:]:
        fields = {field.name: field.dtype for field in kind.fields} if isinstance(kind, pl.Struct) else {}
        entry = fields.get(name)
        kind = entry() if isinstance(entry, type) else entry
    return kind


def _names_at(schema: pl.Schema, path: Sequence[str]) -> list[str]:
    kind = _kind_at(schema, path)
    return [field.name for field in kind.fields] if isinstance(kind, pl.Struct) else []


def _field(path: Sequence[str]) -> pl.Expr:
    expression = pl.col(path[0])
    for name in path[1:]:
        expression = expression.struct.field(name)
    return expression
