"""Drawing a batch of a plan: which places, which items those are, and the table that annotators get.

The drawn items are fetched from the file in one pass, which must be the very file that the plan was made on. Annotators
see ids, texts, contexts and links; never a score, a stratum or a decision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from evenhand.arrays import Ints
from evenhand.errors import ErrorKind, InputError
from evenhand.evidence import open_source
from evenhand.measurement.item_counts import find_clusters
from evenhand.measurement.items import ItemColumns, ItemPiece, ItemSource
from evenhand.measurement.plan import DrawnPart, PlanPool, SamplingPlan
from evenhand.progress import Progress, silent
from evenhand.sampling.clusters import ClusterDraw
from evenhand.sampling.design import Drawn, DrawnSoFar
from evenhand.sampling.frame import PlaceSearch

ITEMS_CHANGED = "the items have changed since the plan was made: give the original file, or make a new plan"


def open_items(plan: SamplingPlan, folder: Path, moved: Path | None) -> ItemSource:
    """The file that the plan was made on: beside the plan, or where it is said to be now."""
    path = moved or folder / plan.items.file
    try:
        source = open_source(path)
    except InputError as error:
        if moved or error.kind is not ErrorKind.NOT_FOUND:
            raise
        problem = "the plan's file of items was not found; give its path with `items`"
        raise InputError(problem, source=str(path)) from None
    groups = {name: number for number, name in enumerate(plan.groups)}
    return ItemSource(source, ItemColumns.of(plan.columns), groups, closed=True)


def check_unchanged(plan: SamplingPlan, items: ItemSource) -> None:
    """The file must be the very same."""
    if items.source.fingerprint().get("sha256") != plan.items.sha256:
        raise InputError(ITEMS_CHANGED, source=items.source.name)


def check_population(plan: SamplingPlan, folder: Path, moved: Path | None) -> None:
    """Items that are there must be those of the plan; an estimate needs the plan alone, so they need not be there."""
    if moved is not None or (folder / plan.items.file).exists():
        check_unchanged(plan, open_items(plan, folder, moved))


def items_at_places(
    plan: SamplingPlan, items: ItemSource, places: Mapping[str, Ints], progress: Progress
) -> dict[str, pl.DataFrame]:
    """The items at places of each pool, in the order of the places."""
    searches = {name: PlaceSearch(plan.pool(name).counted, where) for name, where in places.items()}
    pieces: dict[str, list[pl.DataFrame]] = {name: [] for name in places}
    for piece in items.pieces(texts=True, progress=progress):
        for name, search in searches.items():
            inside = np.flatnonzero(piece.pool == items.roles.pools.index(name))
            try:
                rows, slots = search.add(piece.score[inside], piece.group[inside])
            except InputError:
                raise InputError(ITEMS_CHANGED, source=items.source.name) from None
            if len(rows):
                pieces[name].append(shown_columns(piece, items.roles, inside[rows]).with_columns(slot=pl.Series(slots)))
    return {name: _in_order(pieces[name], len(where), items.source.name) for name, where in places.items()}


def _in_order(pieces: list[pl.DataFrame], wanted: int, source: str) -> pl.DataFrame:
    ordered = pl.concat(pieces).sort("slot").drop("slot") if pieces else pl.DataFrame()
    if len(ordered) != wanted:
        raise InputError(ITEMS_CHANGED, source=source)
    return ordered


def shown_columns(piece: ItemPiece, roles: ItemColumns, rows: Ints) -> pl.DataFrame:
    """What annotators see of some rows; never a score, a stratum or a decision."""
    frame = piece.table.frame
    seen = {"text": roles.text, "context": roles.context, "link": roles.link}
    columns = {
        name: frame[column][rows].cast(pl.String).fill_null("") for name, column in seen.items() if column is not None
    }
    return pl.DataFrame({"id": pl.Series(piece.ids(roles, rows), dtype=pl.String), **columns})


def items_of_clusters(
    plan: SamplingPlan, items: ItemSource, progress: Progress
) -> tuple[tuple[DrawnPart, ...], dict[str, pl.DataFrame]]:
    """Whole clusters, one after another in random order; the items of each as they stand in the file."""
    (pool,), column = plan.pools, items.roles.cluster
    assert column is not None
    total, names = find_clusters(items)
    if total != pool.clusters:
        raise InputError(ITEMS_CHANGED, source=items.source.name)
    chosen = plan.design.choose_clusters(pool, plan.generator(0, 0))
    turn = {name: number for number, name in enumerate(names[chosen].to_list())}
    pieces: list[pl.DataFrame] = []
    for piece in items.pieces(texts=True, progress=progress):
        cluster = piece.table.frame[column].cast(pl.String)
        rows = np.flatnonzero(cluster.is_in(list(turn)).to_numpy())
        if len(rows):
            of = cluster[rows].replace_strict(turn, return_dtype=pl.Int64)
            pieces.append(
                shown_columns(piece, items.roles, rows).with_columns(row=pl.Series(piece.rows(rows)), cluster=of)
            )
    rows_drawn = pl.concat(pieces).sort("cluster", "row")
    draw = ClusterDraw(rows_drawn["row"].to_numpy(), rows_drawn["cluster"].to_numpy(), len(chosen), total)
    sheet = rows_drawn.drop("row", "cluster")
    return (DrawnPart(pool.name, tuple(sheet["id"].to_list()), draw),), {pool.name: sheet}


BatchSheet = pl.DataFrame  # id and what annotators see, a row an item, in the order in which they see them


def draw_round(
    plan: SamplingPlan,
    folder: Path,
    histories: Mapping[str, DrawnSoFar],
    *,
    items: Path | None = None,
    progress: Progress = silent,
) -> tuple[tuple[DrawnPart, ...], BatchSheet]:
    """The next batch of every pool that has one, and the sheet for annotators."""
    if plan.design.traits.clusters:
        source = open_items(plan, folder, items)
        parts, items_by_pool = items_of_clusters(plan, source, progress)
    else:
        drawn = {pool.name: one for pool in plan.pools if (one := _next(plan, pool, histories)) is not None}
        source = open_items(plan, folder, items)
        items_by_pool = items_at_places(plan, source, {name: one.places for name, one in drawn.items()}, progress)
        parts = tuple(DrawnPart(name, tuple(items_by_pool[name]["id"].to_list()), one) for name, one in drawn.items())
    check_unchanged(plan, source)
    return parts, mix_pools(plan, len(plan.rounds), parts, items_by_pool)


def draw_again(
    plan: SamplingPlan, number: int, folder: Path, *, items: Path | None = None, progress: Progress = silent
) -> BatchSheet:
    """The sheet of a batch that was drawn before."""
    source, old = open_items(plan, folder, items), plan.rounds[number]
    if plan.design.traits.clusters:
        _, items_by_pool = items_of_clusters(plan, source, progress)
    else:
        items_by_pool = items_at_places(plan, source, {part.pool: part.places for part in old.parts}, progress)
    check_unchanged(plan, source)
    return mix_pools(plan, number, old.parts, items_by_pool)


def mix_pools(
    plan: SamplingPlan, number: int, parts: Sequence[DrawnPart], items_by_pool: Mapping[str, pl.DataFrame]
) -> BatchSheet:
    """One random order over all pools; within a pool that of the draws, which is random too. Each item once."""
    sizes = [len(items_by_pool[part.pool]) for part in parts]
    rng = plan.generator(number, len(plan.pools))
    turn = rng.permutation(np.repeat(np.arange(len(parts)), sizes))
    starts, rank = np.cumsum(sizes) - sizes, np.zeros(len(turn), dtype=np.int64)
    for part in range(len(parts)):
        rank[turn == part] = np.arange(sizes[part])
    rows: pl.DataFrame = pl.concat([items_by_pool[part.pool] for part in parts])[starts[turn] + rank]
    earlier = {one for before in plan.rounds[:number] for one in before.ids}
    return rows.filter(~rows["id"].is_in(list(earlier))).unique("id", keep="first", maintain_order=True)


def _next(plan: SamplingPlan, pool: PlanPool, histories: Mapping[str, DrawnSoFar]) -> Drawn | None:
    rng = plan.generator(len(plan.rounds), [one.name for one in plan.pools].index(pool.name))
    return plan.design.next_draw(
        pool, histories.get(pool.name, DrawnSoFar()), rng, until_kept=bool(plan.promise or plan.targets)
    )
