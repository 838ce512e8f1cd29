"""The items that were drawn, fetched from the file in one pass: their ids, and what annotators see of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from evenhand.arrays import Ints
from evenhand.audits.measurement.counting import clusters
from evenhand.audits.measurement.items import Items, Piece, Roles
from evenhand.errors import InputError
from evenhand.evidence import open_source
from evenhand.progress import Progress
from evenhand.sampling.cells import Search
from evenhand.sampling.clusters import ClusterDraw
from evenhand.sampling.plan import Part, Plan

CHANGED = "the items have changed since the plan was made: give the file it was made on, or make a new plan"


def open_items(plan: Plan, folder: Path, given: Path | None) -> Items:
    """The file that the plan was made on: beside the plan, or where it is said to be now."""
    path = given or folder / plan.items.file
    try:
        source = open_source(path)
    except InputError as error:
        if given or error.problem != "there is no such file":
            raise
        problem = "the items of the plan are not there; say where they are with --items"
        raise InputError(problem, source=str(path)) from None
    groups = {name: number for number, name in enumerate(plan.groups)}
    return Items(source, Roles.of(plan.columns), groups, closed=True)


def check_unchanged(plan: Plan, items: Items) -> None:
    """The file must be the very same."""
    if items.source.fingerprint().get("sha256") != plan.items.sha256:
        raise InputError(CHANGED, source=items.source.name)


def at_places(plan: Plan, items: Items, places: Mapping[str, Ints], progress: Progress) -> dict[str, pl.DataFrame]:
    """The items at places of each pool, in the order of the places."""
    searches = {name: Search(plan.pool(name).counted, where) for name, where in places.items()}
    kept: dict[str, list[pl.DataFrame]] = {name: [] for name in places}
    for piece in items.pieces(texts=True, progress=progress):
        for name, search in searches.items():
            inside = np.flatnonzero(piece.pool == items.roles.pools.index(name))
            try:
                rows, slots = search.add(piece.score[inside], piece.group[inside])
            except InputError:
                raise InputError(CHANGED, source=items.source.name) from None
            if len(rows):
                kept[name].append(shown(piece, items.roles, inside[rows]).with_columns(slot=pl.Series(slots)))
    return {name: _in_order(kept[name], len(where), items.source.name) for name, where in places.items()}


def _in_order(pieces: list[pl.DataFrame], wanted: int, source: str) -> pl.DataFrame:
    found = pl.concat(pieces).sort("slot").drop("slot") if pieces else pl.DataFrame()
    if len(found) != wanted:
        raise InputError(CHANGED, source=source)
    return found


def shown(piece: Piece, roles: Roles, rows: Ints) -> pl.DataFrame:
    """What annotators see of some rows; never a score, a stratum or a decision."""
    frame = piece.table.frame
    seen = {"text": roles.text, "context": roles.context, "link": roles.link}
    columns = {
        name: frame[column][rows].cast(pl.String).fill_null("") for name, column in seen.items() if column is not None
    }
    return pl.DataFrame({"id": pl.Series(piece.ids(roles, rows), dtype=pl.String), **columns})


def of_clusters(plan: Plan, items: Items, progress: Progress) -> tuple[tuple[Part, ...], dict[str, pl.DataFrame]]:
    """Whole clusters, one after another in random order; the items of each as they stand in the file."""
    (pool,), column = plan.pools, items.roles.cluster
    assert column is not None
    total, names = clusters(items)
    if total != pool.clusters:
        raise InputError(CHANGED, source=items.source.name)
    chosen = plan.generator(0, 0).choice(total, pool.wanted, replace=False)
    turn = {name: number for number, name in enumerate(names[chosen].to_list())}
    kept: list[pl.DataFrame] = []
    for piece in items.pieces(texts=True, progress=progress):
        cluster = piece.table.frame[column].cast(pl.String)
        rows = np.flatnonzero(cluster.is_in(list(turn)).to_numpy())
        if len(rows):
            of = cluster[rows].replace_strict(turn, return_dtype=pl.Int64)
            kept.append(shown(piece, items.roles, rows).with_columns(row=pl.Series(rows + piece.start), cluster=of))
    found = pl.concat(kept).sort("cluster", "row")
    draw = ClusterDraw(found["row"].to_numpy(), found["cluster"].to_numpy(), pool.wanted, total)
    sheet = found.drop("row", "cluster")
    return (Part(pool.name, tuple(sheet["id"].to_list()), draw),), {pool.name: sheet}
