"""What was drawn as plain data for the file of a plan, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.measurement.plan import DrawnPart, PlanRound, SamplingPlan
from evenhand.sampling.design import SamplingDesign


def round_as_data(drawn: PlanRound) -> dict[str, Any]:
    """A batch as plain data."""
    after = None if drawn.after is None else {"labels": drawn.after[0], "sha256": drawn.after[1]}
    return {"after": after, "parts": [part_as_data(part) for part in drawn.parts]}


def round_from_data(content: Mapping[str, Any], design: SamplingDesign) -> PlanRound:
    """A batch from plain data."""
    after = content["after"]
    parts = tuple(part_from_data(part, design) for part in content["parts"])
    return PlanRound(parts, None if after is None else (int(after["labels"]), str(after["sha256"])))


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
