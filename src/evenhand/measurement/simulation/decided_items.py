"""Labelled items with decisions and parts, read from a file for simulated campaigns as a plan reads them."""

from __future__ import annotations

import numpy as np

from evenhand.errors import InputError
from evenhand.evidence import Declaration, TableSource, checks, open_source
from evenhand.evidence.columns import SourceTable
from evenhand.measurement.items import ItemColumns, ItemSource
from evenhand.measurement.simulation.campaigns import DecidedItems, part_key
from evenhand.measurement.simulation.scenarios import SimulationRequest


def read_decided_items(
    data: TableSource,
    request: SimulationRequest,
    *,
    decision: str | None,
    removes: tuple[str, ...] = (),
    by: tuple[str, ...] = (),
    query: str | None = None,
) -> DecidedItems:
    """The score must be in the file; groups are numbered by their names."""
    if len(request.score) != 1 or len(request.thresholds) != 1:
        raise InputError("campaigns are simulated with one `score` and one label threshold")
    source = open_source(data, query=query)
    roles = ItemColumns(
        score=request.score[0], scale=request.scale or "probability", decision=decision, removes=removes, by=by,
        skip_unscored=request.skip_unscored, where=request.where,
    )  # fmt: skip
    label = request.label or ""
    table = SourceTable(source.name, source.naming([label]).as_written([label]))
    declared = Declaration.of(
        {"label": label, "positive": request.positive or None, "label_threshold": request.thresholds[0]}
    )
    violating, _ = checks.read_violating(table, declared)
    items = ItemSource(source, roles)
    pieces = list(items.pieces())
    score, pool, group = (
        np.concatenate([getattr(piece, name) for piece in pieces]) for name in ("score", "pool", "group")
    )
    rows = np.concatenate([piece.rows(np.arange(len(piece.score))) for piece in pieces])
    names = sorted(items.groups)
    order = np.argsort([items.groups[name] for name in names]) if names else np.zeros(1, dtype=np.int64)
    return DecidedItems(
        score,
        violating[rows],
        None if decision is None else pool == 0,
        order[group] if names else None,
        tuple(names),
        part_key(by) if by else "",
    )
