"""A plan on a population of any size, and its first batch: one pass each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.clock import timed
from evenhand.measurement.campaign import Campaign
from evenhand.measurement.items import ItemColumns
from evenhand.measurement.plan import Measurement
from evenhand.measurement.plan_file import write_plan
from evenhand.measurement.planning import SampleSizeRequest, make_plan
from evenhand.sampling.designs import design_named


def plan(path: str, out: str, with_ids: bool) -> dict[str, Any]:
    roles = ItemColumns(id="item_id" if with_ids else None, score="score")
    size = SampleSizeRequest.of(None, {}, None, 0.95)

    def make() -> int:
        made = make_plan(
            Path(path),
            Path(out),
            roles=roles,
            design=design_named("score-driven", {}),
            size=size,
            measurement=Measurement("", "", "all", "", "prevalence"),
            seed=0,
        )
        Path(out).unlink(missing_ok=True)
        write_plan(made.plan, Path(out))
        return sum(pool.labels for pool in made.plan.pools)

    found, labels = timed(make)
    return found | {"labels": labels}


def draw(plan: str, sheet: str) -> dict[str, Any]:
    found, written = timed(lambda: Campaign(Path(plan)).draw(Path(sheet)))
    return found | {"items": written.items}
