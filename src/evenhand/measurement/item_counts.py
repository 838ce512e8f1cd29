"""The first pass over the items: how many there are of each pool, group and step of the score, and that ids are unique.

Ids are compared as hashes, on disk where they are many, so that memory is bounded whatever the number of items.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl

from evenhand.errors import InputError
from evenhand.evidence.columns import SourceTable
from evenhand.evidence.text_layout import logger
from evenhand.measurement.id_hashes import HashRanges
from evenhand.measurement.items import ItemSource
from evenhand.progress import Progress, silent
from evenhand.sampling.frame import CellCounter, CellCounts


class IdCheck:
    """Ids seen so far, as hashes; nothing needs to be compared as long as ids rise."""

    def __init__(self, column: str) -> None:
        self.column = column
        self._hashes = HashRanges()
        self._rising, self._last = True, pl.Series([], dtype=pl.Null)

    def add(self, table: SourceTable) -> None:
        """One piece; fails where an id is missing."""
        values = ids_of(table, self.column)
        if values.null_count():
            table.fail("the id is empty", self.column, values.is_null())
        if self._rising:
            follows = not len(self._last) or bool(self._last[0] < values[0])
            self._rising = follows and bool((values.slice(1) > values.slice(0, len(values) - 1)).all())
            self._last = values.tail(1)
        self._hashes.add(values.hash(seed=0).to_numpy())

    def check(self, tables: Iterable[SourceTable]) -> None:
        """Fail if an id occurs twice; `tables` are the same pieces again, read only if one seems to."""
        if self._rising:
            self._hashes.close()
            return
        suspects = self._hashes.repeated()  # two ids may by a small chance have one hash
        if not len(suspects):
            return
        seen: set[object] = set()
        for table in tables:
            values = ids_of(table, self.column)
            for row in np.flatnonzero(np.isin(values.hash(seed=0).to_numpy(), suspects)).tolist():
                if values[row] in seen:
                    again = pl.Series(np.arange(len(values)) == row)
                    table.fail(f"the id '{values[row]}' occurs twice; ids must be unique", self.column, again)
                seen.add(values[row])


def ids_of(table: SourceTable, column: str) -> pl.Series:
    """The ids of a piece; blank ones are missing."""
    values = table.frame[column]
    if values.dtype.is_nested() or values.dtype.is_float():
        table.fail(f"ids must be whole numbers or text, not {values.dtype}", column)
    return values.set(values.str.strip_chars() == "", None) if values.dtype == pl.String else values


@dataclass(frozen=True)
class CountedItems:
    """Rows in all, the groups in order, the cells of each pool, and how many clusters there are."""

    rows: int
    groups: tuple[str, ...]
    pools: dict[str, CellCounts]
    clusters: int = 0


def count_items(items: ItemSource, progress: Progress = silent) -> CountedItems:
    """One pass; fails at the first row that is not as it should be."""
    roles, rows = items.roles, 0
    counts = [CellCounter() for _ in roles.pools]
    ids = IdCheck(roles.id) if roles.id else None
    for piece in items.pieces(progress=progress):
        rows += len(piece.score)
        if ids:
            ids.add(piece.table)
        group = piece.group if roles.by else None
        if len(counts) == 1:
            counts[0].add(piece.score, group)
            continue
        for number, counting in enumerate(counts):
            inside = piece.pool == number
            counting.add(piece.score[inside], None if group is None else group[inside])
    if items.unscored:
        note = f"{items.unscored:,} of {rows + items.unscored:,} rows have no score and are left out"
        logger.warning(f"{items.source.name}: {note}")
    if ids:
        ids.check(piece.table for piece in items.pieces())
    names = sorted(items.groups)
    order = [items.groups[name] for name in names] or [0]
    pools = dict(
        zip(roles.pools, (_cells(c, order, name) for c, name in zip(counts, roles.pools, strict=True)), strict=True)
    )
    return CountedItems(rows, tuple(names), pools, find_clusters(items)[0] if roles.cluster else 0)


def _cells(counting: CellCounter, order: list[int], pool: str) -> CellCounts:
    try:
        return counting.cells(order)
    except InputError:
        raise InputError(f"no item is {pool}: leave out `decision` to measure a single pool") from None


def find_clusters(items: ItemSource) -> tuple[int, pl.Series]:
    """How many clusters there are, and their names in the order in which they first appear."""
    column = items.roles.cluster
    assert column is not None
    name = pl.col(column).cast(pl.String)
    clusters = items.source.collect(
        lambda lazy: lazy.with_row_index("\0row").group_by(name).agg(pl.col("\0row").min()).sort("\0row")
    )
    missing = clusters[column].is_null()
    if missing.any():
        row = int(clusters["\0row"].filter(missing)[0]) + 1
        raise InputError("the cluster is empty", source=items.source.name, column=column, row=row)
    return len(clusters), clusters[column]
