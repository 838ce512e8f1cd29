"""The first pass over the items of a plan: how many there are of each pool, group and step of the score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from evenhand.audits.measurement.ids import Ids
from evenhand.audits.measurement.items import Items
from evenhand.errors import InputError
from evenhand.progress import Progress, silent
from evenhand.sampling.cells import Cells, Counting


@dataclass(frozen=True)
class Counted:
    """Rows in all, the groups in order, the cells of each pool, and how many clusters there are."""

    rows: int
    groups: tuple[str, ...]
    pools: dict[str, Cells]
    ids_looked_at: int  # one in so many
    clusters: int = 0


def count(items: Items, progress: Progress = silent) -> Counted:
    """One pass; fails at the first row that is not as it should be."""
    roles, rows = items.roles, 0
    counts = [Counting() for _ in roles.pools]
    ids = Ids(roles.id) if roles.id else None
    for piece in items.pieces(progress=progress):
        rows += len(piece.score)
        if ids:
            ids.add(piece.table)
        for number, counting in enumerate(counts):
            inside = piece.pool == number
            counting.add(piece.score[inside], piece.group[inside])
    if ids:
        ids.check(piece.table for piece in items.pieces())
    names = sorted(items.groups)
    order = [items.groups[name] for name in names] or [0]
    pools = dict(
        zip(roles.pools, (_cells(c, order, name) for c, name in zip(counts, roles.pools, strict=True)), strict=True)
    )
    return Counted(rows, tuple(names), pools, ids.kept_one_in if ids else 1, clusters(items)[0] if roles.cluster else 0)


def _cells(counting: Counting, order: list[int], pool: str) -> Cells:
    try:
        return counting.cells(order)
    except InputError:
        raise InputError(f"no item is {pool}: leave --decision out to measure one pool") from None


def clusters(items: Items) -> tuple[int, pl.Series]:
    """How many clusters there are, and their names in the order in which they first appear."""
    column = items.roles.cluster
    assert column is not None
    name = pl.col(column).cast(pl.String)
    found = items.source.collect(
        lambda lazy: lazy.with_row_index("\0row").group_by(name).agg(pl.col("\0row").min()).sort("\0row")
    )
    missing = found[column].is_null()
    if missing.any():
        row = int(found["\0row"].filter(missing)[0]) + 1
        raise InputError("the cluster is empty", source=items.source.name, column=column, row=row)
    return len(found), found[column]


def chosen(total: int, count: int, rng: np.random.Generator) -> list[int]:
    """Some of the clusters, by number, in random order."""
    return [int(number) for number in rng.choice(total, count, replace=False)]
