"""A longer plan: more labels for a campaign that has begun, sealed anew.

Batches that were drawn keep their items, sizes and seed, so that all labels stay valid, and the new plan names the seal
of the one that it extends. What is measured, of which items and by which design, stays as it was.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from evenhand import arrays
from evenhand.errors import InputError
from evenhand.files import check_writable
from evenhand.inputs import protected_inputs
from evenhand.measurement.plan import SamplingPlan
from evenhand.measurement.plan_file import check_plan_path, read_plan, seal_of, write_plan
from evenhand.sampling.allocation import share_out


@protected_inputs()
def extend_campaign(file: Path, out: Path, *, n: int) -> SamplingPlan:
    """Write a longer plan, of n labels in all; the old file stays as it is.

    >>> from pathlib import Path
    >>> eh.measurement.extend_campaign(Path("plan.json"), Path("longer.json"), n=200).pools[0].labels
    200
    """
    check_writable(out)
    plan = read_plan(file)
    if out.exists() and out.resolve() == file.resolve():
        raise InputError("the longer plan needs a name of its own", source=str(out))
    check_plan_path(out)
    try:
        longer = extend_plan(plan, arrays.whole(n, "`n`"))
    except InputError as error:
        raise error.within(str(file)) from None
    write_plan(longer, out)
    return longer


def extend_plan(plan: SamplingPlan, n: int) -> SamplingPlan:
    """The same plan with n labels in all, split between pools as before; none gets fewer than were drawn of it."""
    planned, items = (sum(getattr(pool, name) for pool in plan.pools) for name in ("labels", "items"))
    if plan.design.traits.clusters or plan.design.traits.open_ended:
        raise InputError(f"a plan of the {plan.design.name} design cannot be extended: make a second plan")
    if not planned < n <= items:
        raise InputError(f"invalid `n`: {n:,} (must be more than the {planned:,} planned labels, at most {items:,})")
    sizes = np.array([pool.items for pool in plan.pools])
    parts = np.array([float(pool.labels) for pool in plan.pools])
    labels = share_out(n, parts, sizes, least=np.array([pool.labels for pool in plan.pools]))
    for pool, more in zip(plan.pools, (labels - parts).tolist(), strict=True):
        fewest = 0 if plan.design.forecast is None else plan.design.forecast.fewest(pool.frame)
        if 0 < more < min(fewest, pool.items - pool.labels):
            raise InputError(f"too few labels to add: the {plan.design.name} design needs at least {fewest} more")
    pools = tuple(replace(pool, labels=own) for pool, own in zip(plan.pools, labels.tolist(), strict=True))
    return replace(plan, pools=pools, extends=seal_of(plan))
