"""The population of a study: what a plan needs of every item, kept with the study as the plan saw it.

Later batches must be drawn from the very items that the plan was made on, whatever becomes of their scores at the desk.
So ids, scores, groups, pools and clusters are kept in pieces, each with its hash in an event; texts are not in them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
import sqlalchemy as sa

from evenhand.documents import parse_json
from evenhand.errors import InputError
from evenhand.evidence import open_source
from evenhand.measurement.draw import check_unchanged
from evenhand.measurement.items import ItemColumns, ItemSource
from evenhand.measurement.plan import REMOVED, PopulationFile, SamplingPlan
from evenhand.store import schema
from evenhand.store.cases import REMOVE
from evenhand.store.ledger import batches

PIECE = 20_000  # items
FILE = "population.parquet"
GROUPINGS = ("language", "community", "item_type")  # columns of items by which a study may estimate
TYPES = {"id": pl.String, "score": pl.Float64, "group": pl.String, "decision": pl.String, "cluster": pl.String}


@dataclass(frozen=True)
class PopulationFilter:
    """Which items of the store a study is about: of a language, a community, received in a period (microseconds)."""

    language: str | None = None
    community: str | None = None
    begin: int | None = None
    end: int | None = None


def write_items(connection: sa.Connection, chosen: PopulationFilter, path: Path) -> int:
    """A table of the items of the store, for a plan; how many. Items that test reviewers are not content."""
    items = schema.items
    names = ("external_id", "score", *GROUPINGS, "action")
    query = sa.select(*(items.c[name] for name in names)).where(items.c.gold.is_(None), *_conditions(chosen))
    rows = connection.execute(query.order_by(items.c.received_at, items.c.id)).all()
    if not rows:
        raise InputError("the store has no items of this kind: nothing can be drawn")
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String) | {"score": pl.Float64}, orient="row")
    removed = pl.when(pl.col("action") == REMOVE).then(pl.lit("yes")).otherwise(pl.lit("no"))
    frame.select(pl.col("external_id").alias("id"), "score", *GROUPINGS, removed.alias("decision")).write_parquet(path)
    return len(frame)


def _conditions(chosen: PopulationFilter) -> Iterator[sa.ColumnElement[bool]]:
    items = schema.items
    for name in ("language", "community"):
        if (value := getattr(chosen, name)) is not None:
            yield items.c[name] == value
    if chosen.begin is not None:
        yield items.c.received_at >= chosen.begin
    if chosen.end is not None:
        yield items.c.received_at < chosen.end


def read_population(plan: SamplingPlan, path: Path) -> pl.DataFrame:
    """What a plan needs of the items of its file, which must be the one that it was made on."""
    roles = ItemColumns.of(plan.columns)
    groups = {name: number for number, name in enumerate(plan.groups)}
    source = ItemSource(open_source(path), roles, groups, closed=True)
    pieces = []
    for piece in source.pieces():
        rows = pl.int_range(len(piece.score), eager=True).to_numpy()
        columns: dict[str, Any] = {"id": piece.ids(roles, rows), "score": piece.score}
        if roles.by:
            columns["group"] = [plan.groups[number] for number in piece.group.tolist()]
        if roles.decision is not None:
            columns["decision"] = ["yes" if roles.pools[number] == REMOVED else "no" for number in piece.pool.tolist()]
        if roles.cluster is not None:
            columns["cluster"] = piece.table.frame[roles.cluster].cast(pl.String)
        pieces.append(pl.DataFrame(columns, schema={name: TYPES[name] for name in columns}))
    check_unchanged(plan, source)
    return pl.concat(pieces)


def population_texts(frame: pl.DataFrame) -> Iterator[str]:
    """The pieces that are kept, as JSON: a list of values for each column."""
    for start in range(0, len(frame), PIECE):
        columns = frame.slice(start, PIECE).to_dict(as_series=False)
        yield json.dumps(columns, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def population_frame(texts: Sequence[str]) -> pl.DataFrame:
    """The items of all pieces, in order."""
    read = [parse_json(text) for text in texts]
    return pl.concat([pl.DataFrame(columns, schema={name: TYPES[name] for name in columns}) for columns in read])


def plan_on_population(plan: SamplingPlan, frame: pl.DataFrame, folder: Path) -> tuple[SamplingPlan, Path]:
    """The plan as one on a file of the kept population, to draw with; its pools, seed and draws are the same."""
    path = folder / FILE
    frame.write_parquet(path)
    score, decision, cluster = (name if name in frame.columns else None for name in ("score", "decision", "cluster"))
    by = ("group",) if "group" in frame.columns else ()
    roles = ItemColumns(id="id", by=by, score=score, decision=decision, cluster=cluster)
    file = PopulationFile(FILE, hashlib.sha256(path.read_bytes()).hexdigest(), len(frame))
    return replace(plan, items=file, columns=roles.as_dict()), path


def desk_items(connection: sa.Connection, ids: Sequence[str]) -> Mapping[str, tuple[str, str | None]]:
    """Of each id its item at the desk and its text; an id that the store does not know is refused."""
    items, known = schema.items, dict[str, tuple[str, str | None]]()
    for batch in batches(list(ids), 500):
        query = sa.select(items.c.external_id, items.c.id, items.c.text).where(items.c.external_id.in_(batch))
        known |= {row.external_id: (row.id, row.text) for row in connection.execute(query)}
    strange = next((id_ for id_ in ids if id_ not in known), None)
    if strange is not None:
        problem = f"the plan has an item '{strange:.100}' that this store does not have"
        raise InputError(f"{problem}: make the plan on an export of this store")
    return known
