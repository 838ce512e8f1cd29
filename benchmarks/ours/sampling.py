"""A plan on a population of any size, and its first batch: one pass each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.clock import timed
from evenhand.audits.measurement import Roles, Wish, Work, make_plan
from evenhand.sampling.plan import Measurement, design_named
from evenhand.sampling.storage import write_plan


def plan(path: str, out: str, with_ids: bool) -> dict[str, Any]:
    roles = Roles(id="item_id" if with_ids else None, score="score")
    wish = Wish.of(None, {}, None, 0.95)

    def make() -> int:
        made = make_plan(
            Path(path),
            Path(out),
            roles=roles,
            design=design_named("score-driven", {}),
            wish=wish,
            measurement=Measurement("", "", "all", "", "prevalence"),
            seed=0,
        )
        Path(out).unlink(missing_ok=True)
        write_plan(made.plan, Path(out))
        return sum(pool.labels for pool in made.plan.pools)

    found, labels = timed(make)
    return found | {"labels": labels}


def draw(plan: str, sheet: str) -> dict[str, Any]:
    found, written = timed(lambda: Work(Path(plan)).draw(Path(sheet)))
    return found | {"items": written.items}
