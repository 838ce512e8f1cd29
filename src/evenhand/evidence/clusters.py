"""Items that belong together: read from declared columns, found as near-duplicates, or noticed where none are declared.

Intervals take items as independent unless it is declared which belong together. So a column that by its name holds
authors or threads, and repeats, is worth a note; so are texts that occur more than once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

from evenhand.arrays import Ints
from evenhand.evidence.columns import SourceTable
from evenhand.evidence.declaration import Declaration
from evenhand.evidence.declaration_checks import NEAR_DUPLICATES
from evenhand.evidence.near_duplicates import near_duplicate_codes
from evenhand.tally import Clusters

REPEATED, SAME_TEXT, WHOLE_TEXT = "\0repeated:", "\0same text", "\0text"  # names no file can hold
ID_LIKE = re.compile(
    r"(^|[_\W])(author|user|account|writer|poster|commenter|speaker|thread|conversation|template)([_\W]?(id|name|hash|key))?$",
    re.IGNORECASE,
)
MOST_NOTED = 3  # columns
REPEATS_STRONGLY = 2.0  # items that share the value of an item, on average over items, itself included
TEXTS_REPEAT = 0.05  # of the items, whose text is that of another
REMEDY = ": set `cluster` to "


def noticed_columns(columns: Mapping[str, pl.DataType], declaration: Declaration) -> list[str]:
    """Columns that by their names may say which items belong together, and have no role."""
    if declaration.cluster or declaration.annotator:
        return []
    used = set(declaration.columns)
    fitting = (n for n, kind in columns.items() if kind == pl.String or kind.is_integer() or kind == pl.Categorical)
    return [name for name in fitting if ID_LIKE.search(name) and name not in used][:MOST_NOTED]


def cluster_expressions(columns: Mapping[str, pl.DataType], declaration: Declaration) -> list[pl.Expr]:
    """What must be read beside the declared columns: hashes, and the texts where near-duplicates are looked for."""
    expressions = [pl.col(name).hash().alias(REPEATED + name) for name in noticed_columns(columns, declaration)]
    if not declaration.text:
        return expressions
    text = pl.col(declaration.text).cast(pl.String).str.strip_chars().str.to_lowercase()
    if NEAR_DUPLICATES in declaration.cluster:
        return [*expressions, text.fill_null("").alias(WHOLE_TEXT)]
    return expressions if declaration.cluster else [*expressions, text.hash().alias(SAME_TEXT)]


def read_clusters(table: SourceTable, declaration: Declaration) -> Clusters | None:
    """The clusters of every row; None where none are declared."""
    if not declaration.cluster:
        return None
    codes = [_codes(table, name) for name in declaration.cluster]
    return Clusters.from_codes(*codes, names=declaration.cluster)


def _codes(table: SourceTable, name: str) -> Ints:
    """A number per row; an item without a value is a cluster by itself."""
    if name == NEAR_DUPLICATES:
        return near_duplicate_codes(table.frame[WHOLE_TEXT])
    words = table.words(name, "clusters")
    codes = words.rank("dense").cast(pl.Int64).fill_null(-1).to_numpy().copy()
    alone = codes < 0
    codes[alone] = codes.max(initial=0) + 1 + np.arange(int(alone.sum()))
    if len(np.unique(codes)) < 2:
        table.fail("all items are of one cluster: an interval needs at least two", name)
    return codes


def cluster_notes(table: SourceTable, declaration: Declaration) -> Iterator[str]:
    """What makes items dependent although nothing says so, and items without a cluster."""
    for column in declaration.cluster_columns:
        if missing := table.words(column, "clusters").null_count():
            yield f"{missing:,} items have no '{column}': each counts as a cluster by itself."
    for name in (one for one in table.frame.columns if one.startswith(REPEATED)):
        sizes = table.frame[name].value_counts()["count"].to_numpy().astype(np.float64)
        if np.sum(sizes**2) / max(np.sum(sizes), 1.0) >= REPEATS_STRONGLY and 1 < len(sizes) <= 0.8 * len(table.frame):
            yield _repeated_note(name.removeprefix(REPEATED), len(sizes), len(table.frame))
    if SAME_TEXT in table.frame.columns:
        yield from _same_text_note(table.frame[SAME_TEXT])


def _repeated_note(column: str, values: int, items: int) -> str:
    return (
        f"The {items:,} items have {values:,} values of '{column}', but intervals and significance treat items as "
        f"independent. If items with the same '{column}' are alike, intervals are too narrow and false results more "
        f"frequent than stated{REMEDY}{column}."
    )


def _same_text_note(hashes: pl.Series) -> Iterator[str]:
    repeated = int(hashes.is_duplicated().sum())
    if repeated >= TEXTS_REPEAT * len(hashes) and hashes.n_unique() > 1:
        yield (
            f"{repeated:,} of {len(hashes):,} items have the text of another item, but intervals and significance "
            f"treat items as independent{REMEDY}{NEAR_DUPLICATES}."
        )
