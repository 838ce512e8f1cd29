"""Drawing a batch of a plan: which places, which items those are, and the sheet that annotators get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from evenhand.audits.measurement.fetching import at_places, check_unchanged, of_clusters, open_items
from evenhand.progress import Progress, silent
from evenhand.sampling.batches import Batch
from evenhand.sampling.designs import Done
from evenhand.sampling.plan import Clusters, Part, Plan, Pool
from evenhand.sampling.sequential import Answered, Draws, Sequential, draw_next

Sheet = pl.DataFrame  # id and what annotators see, a row an item, in the order in which they see them


@dataclass(frozen=True)
class History:
    """What is known of a pool when its next batch is drawn: labelled batches, or answered draws."""

    done: Done = field(default_factory=Done)
    answered: tuple[Answered, ...] = ()


def draw_round(
    plan: Plan,
    folder: Path,
    histories: Mapping[str, History],
    *,
    items: Path | None = None,
    progress: Progress = silent,
) -> tuple[tuple[Part, ...], Sheet]:
    """The next batch of every pool that has one, and the sheet for annotators."""
    if isinstance(plan.design, Clusters):
        source = open_items(plan, folder, items)
        parts, found = of_clusters(plan, source, progress)
    else:
        drawn = {pool.name: one for pool in plan.pools if (one := _next(plan, pool, histories)) is not None}
        source = open_items(plan, folder, items)
        found = at_places(plan, source, {name: one.places for name, one in drawn.items()}, progress)
        parts = tuple(Part(name, tuple(found[name]["id"].to_list()), one) for name, one in drawn.items())
    check_unchanged(plan, source)
    return parts, mixed(plan, len(plan.rounds), parts, found)


def draw_again(
    plan: Plan, number: int, folder: Path, *, items: Path | None = None, progress: Progress = silent
) -> Sheet:
    """The sheet of a batch that was drawn before."""
    source, old = open_items(plan, folder, items), plan.rounds[number]
    if isinstance(plan.design, Clusters):
        _, found = of_clusters(plan, source, progress)
    else:
        found = at_places(plan, source, {part.pool: part.places for part in old.parts}, progress)
    check_unchanged(plan, source)
    return mixed(plan, number, old.parts, found)


def mixed(plan: Plan, number: int, parts: Sequence[Part], found: Mapping[str, pl.DataFrame]) -> Sheet:
    """One random order over all pools; within a pool that of the draws, which is random too. Each item once."""
    sizes = [len(found[part.pool]) for part in parts]
    rng = plan.generator(number, len(plan.pools))
    turn = rng.permutation(np.repeat(np.arange(len(parts)), sizes))
    starts, rank = np.cumsum(sizes) - sizes, np.zeros(len(turn), dtype=np.int64)
    for part in range(len(parts)):
        rank[turn == part] = np.arange(sizes[part])
    rows: pl.DataFrame = pl.concat([found[part.pool] for part in parts])[starts[turn] + rank]
    earlier = {one for before in plan.rounds[:number] for one in before.ids}
    return rows.filter(~rows["id"].is_in(list(earlier))).unique("id", keep="first", maintain_order=True)


def _next(plan: Plan, pool: Pool, histories: Mapping[str, History]) -> Batch | Draws | None:
    number, history = len(plan.rounds), histories.get(pool.name, History())
    rng = plan.generator(number, [one.name for one in plan.pools].index(pool.name))
    if isinstance(plan.design, Sequential):
        drawn = sum(len(one.label) for one in history.answered)
        size = plan.design.next_size(drawn)
        size = size if plan.promise else min(size, pool.labels - drawn)
        return draw_next(pool.frame, history.answered, size, rng, plan.design) if size > 0 else None
    if number >= len(plan.sizes(pool)):
        return None
    return plan.on_cells.draw(pool.frame, history.done, pool.labels, rng)
