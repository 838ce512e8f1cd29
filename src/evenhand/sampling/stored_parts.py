"""What was drawn, as plain data and back: strata with their items, independent draws, or whole clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.sampling.batches import Batch
from evenhand.sampling.clusters import ClusterDraw
from evenhand.sampling.drawing import Draw
from evenhand.sampling.plan import Drawn, Part, Plan
from evenhand.sampling.recalibration import Recalibration
from evenhand.sampling.sequential import Draws

WHOLE = ("place", "stratum", "row", "cluster", "first_cell", "items", "labels")
ONE_VALUE = ("low", "high", "stake", "mean")


def part_of(part: Part) -> dict[str, Any]:
    """As plain data: beside ids, columns with a value each."""
    plain = _plain(part.drawn)
    return {"pool": part.pool, **plain, "items": {"id": list(part.ids), **plain["items"]}}


def part_from(content: Mapping[str, Any]) -> Part:
    """From plain data."""
    ids = tuple(content["items"]["id"])
    if not all(isinstance(id_, str) for id_ in ids):
        raise TypeError
    return Part(str(content["pool"]), ids, _drawn(content, len(ids)))


def check(plan: Plan) -> None:
    """Everything that was drawn is of a pool of the plan, and lies in it; `ValueError` where it does not."""
    for part in (part for one in plan.rounds for part in one.parts):
        pool, drawn, places = plan.pool(part.pool), part.drawn, part.places
        if isinstance(drawn, ClusterDraw) == bool(pool.cells):
            raise ValueError
        if len(places) and not 0 <= places.min() <= places.max() < plan.items.rows:
            raise ValueError
        if isinstance(drawn, Batch):
            _check_batch(drawn, len(pool.frame), len(pool.frame.sizes))


def _check_batch(batch: Batch, items: int, cells: int) -> None:
    draw, firsts = batch.draw, batch.firsts
    inside = len(batch.places) == 0 or batch.places.max() < items
    known = len(draw.strata) == 0 or 0 <= draw.strata.min() <= draw.strata.max() < len(draw.sizes)
    rising = len(firsts) > 0 and firsts[0] == 0 and (np.diff(firsts) > 0).all() and firsts[-1] < cells
    counted = (draw.counts >= 0).all() and (draw.counts <= draw.sizes).all()
    if not (inside and known and rising and counted):
        raise ValueError


def _plain(drawn: Drawn) -> dict[str, Any]:
    if isinstance(drawn, Batch):
        return _batch(drawn)
    if isinstance(drawn, Draws):
        columns = {"place": drawn.places, "if_violating": drawn.violating, "if_not": drawn.other}
        return {"bets": {name: getattr(drawn, name) for name in ONE_VALUE}, "items": _lists(columns)}
    items = _lists({"row": drawn.rows, "cluster": drawn.clusters, "inclusion": drawn.inclusion})
    return {"clusters": {"drawn": drawn.drawn, "total": drawn.total}, "items": items}


def _batch(batch: Batch) -> dict[str, Any]:
    draw, meaning = batch.draw, batch.recalibration
    items = {"place": batch.places, "stratum": draw.strata, "inclusion": draw.inclusion, "expected": batch.expected}
    strata = {"first_cell": batch.firsts, "items": draw.sizes, "labels": draw.counts, "expected": batch.means}
    return {
        "recalibration": {"intercept": meaning.intercept, "slope": meaning.slope},
        "floor": batch.floor,
        "strata": _lists(strata),
        "items": _lists(items),
    }


def _numbers(columns: Mapping[str, Any], size: int) -> dict[str, npt.NDArray[Any]]:
    """Columns of finite numbers, all of one length; whole ones where a place or a count is meant."""
    found = {name: np.array(values, dtype=None if len(values) else int) for name, values in columns.items()}
    for name, values in found.items():
        whole = name in WHOLE
        if (
            values.shape != (size,)
            or values.dtype.kind not in ("i" if whole else "if")
            or not np.isfinite(values).all()
        ):
            raise ValueError
    return found


def _drawn(content: Mapping[str, Any], size: int) -> Drawn:
    items = _numbers({name: values for name, values in content["items"].items() if name != "id"}, size)
    if "bets" in content:
        one = {name: float(content["bets"][name]) for name in ONE_VALUE}
        return Draws(items["place"], items["place"], items["if_violating"], items["if_not"], **one)
    if "clusters" in content:
        known = content["clusters"]
        return ClusterDraw(items["row"], items["cluster"], int(known["drawn"]), int(known["total"]))
    strata = _numbers(content["strata"], len(content["strata"]["items"]))
    return Batch(
        draw=Draw(items["place"], items["stratum"], strata["items"], strata["labels"]),
        places=items["place"],
        expected=items["expected"],
        firsts=strata["first_cell"],
        means=strata["expected"],
        recalibration=Recalibration(**content["recalibration"]),
        floor=float(content["floor"]),
    )


def _lists(columns: Mapping[str, npt.NDArray[Any]]) -> dict[str, list[Any]]:
    return {name: values.tolist() for name, values in columns.items()}
