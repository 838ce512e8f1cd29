"""What was drawn as plain data for the file of a plan, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.measurement.plan import DrawnPart, SamplingPlan
from evenhand.sampling.design import SamplingDesign


def part_as_data(part: DrawnPart) -> dict[str, Any]:
    """As plain data: beside ids, columns with a value each."""
    plain = part.drawn.to_data()
    return {"pool": part.pool, **plain, "items": {"id": list(part.ids), **plain["items"]}}


def part_from_data(content: Mapping[str, Any], design: SamplingDesign) -> DrawnPart:
    """From plain data, as the design wrote it."""
    columns = dict(content["items"])
    ids = tuple(columns.pop("id"))
    if not all(isinstance(id_, str) for id_ in ids):
        raise TypeError
    return DrawnPart(str(content["pool"]), ids, design.read_draw({**content, "items": columns}, len(ids)))


def check_draws(plan: SamplingPlan) -> None:
    """Everything that was drawn is of a pool of the plan, and lies in it; `ValueError` where it does not."""
    for part in (part for one in plan.rounds for part in one.parts):
        pool, places = plan.pool(part.pool), part.places
        if plan.design.traits.clusters == bool(pool.cells):
            raise ValueError
        if len(places) and not 0 <= places.min() <= places.max() < plan.items.rows:
            raise ValueError
        part.drawn.check(pool)
