"""What was drawn, as plain data and back: strata with their items, independent draws, or whole clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.sampling.batches import Batch
from evenhand.sampling.clusters import ClusterDraw
from evenhand.sampling.drawing import Draw
from evenhand.sampling.plan import Drawn, Part
from evenhand.sampling.recalibration import Recalibration
from evenhand.sampling.sequential import Draws

ONE_VALUE = ("low", "high", "stake", "mean")


def part_of(part: Part) -> dict[str, Any]:
    """As plain data: beside ids, columns with a value each."""
    plain = _plain(part.drawn)
    return {"pool": part.pool, **plain, "items": {"id": list(part.ids), **plain["items"]}}


def part_from(content: Mapping[str, Any]) -> Part:
    """From plain data."""
    return Part(str(content["pool"]), tuple(content["items"]["id"]), _drawn(content))


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


def _drawn(content: Mapping[str, Any]) -> Drawn:
    items = {name: np.array(values) for name, values in content["items"].items() if name != "id"}
    if "bets" in content:
        one = {name: float(content["bets"][name]) for name in ONE_VALUE}
        return Draws(items["place"], items["place"], items["if_violating"], items["if_not"], **one)
    if "clusters" in content:
        known = content["clusters"]
        return ClusterDraw(items["row"], items["cluster"], int(known["drawn"]), int(known["total"]))
    strata = {name: np.array(values) for name, values in content["strata"].items()}
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
