"""Labelled items as evidence for any audit: each with its inclusion probability, weight and stratum.

Columns that begin with `plan_` say how a label was drawn, so that the accuracy audit gives the intervals of the plan.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from evenhand.evidence.formats import check_output_file, write_table
from evenhand.measurement.plan import ALL, REMOVED, PlanPool, SamplingPlan
from evenhand.measurement.sample import CampaignSample, CollectedLabels
from evenhand.sampling.design import LabelWeights


def write_labelled_items(collected: CollectedLabels, out: Path) -> int:
    """A row for each item with a label; how many there are.

    The weight is the number of items that a label represents, and the inclusion probability its inverse. If a later
    batch contains the whole stratum, the weight is below 1 and the probability 1, because the earlier labels represent
    the stratum too.
    """
    check_output_file(out)
    sample = CampaignSample.from_labels(collected.plan, collected.labels, collected.rounds)
    table = pl.concat([_pool_table(sample, pool) for pool in collected.plan.pools])
    write_table(table.lazy(), out)
    return len(table)


def _pool_table(sample: CampaignSample, pool: PlanPool) -> pl.DataFrame:
    parts, weights = sample.parts[pool.name], sample.weights(pool)
    ids = [id_ for one in parts for id_, known in zip(one.part.ids, one.known, strict=True) if known]
    columns: dict[str, Any] = {"id": ids, "label": np.concatenate([one.label for one in parts])}
    if pool.name != ALL:
        columns["decision"] = ["yes" if pool.name == REMOVED else "no"] * len(ids)
    if sample.plan.groups and weights.groups is not None:
        columns[sample.plan.group_key] = np.array(sample.plan.groups)[weights.groups]
    columns |= {"weight": weights.weights, "inclusion": weights.inclusion}
    if weights.strata is not None:
        columns["stratum"] = [f"{pool.name} {stratum}" for stratum in weights.strata]
    if weights.clusters is not None:
        columns["cluster"] = weights.clusters
    return pl.DataFrame({**columns, **_plan_columns(sample.plan, pool, weights)})


def _plan_columns(plan: SamplingPlan, pool: PlanPool, weights: LabelWeights) -> dict[str, Any]:
    """How each label was drawn; strata and parts have numbers that no other pool has."""
    planned, number = weights.planned, plan.pools.index(pool)
    parts = np.zeros(len(planned.weights), dtype=np.int64) if weights.groups is None else weights.groups
    items = np.array([pool.items]) if not plan.groups or pool.cells is None else pool.items_by_group(len(plan.groups))
    columns = {
        "plan_stratum": len(plan.pools) * planned.strata + number,
        "plan_weight": planned.weights,
        "plan_scale": planned.scale,
        "plan_reach": planned.reach,
        "plan_part": parts,
        "plan_items": items[parts],
    }
    if planned.expected is not None:
        columns["plan_expected"] = planned.expected
    return columns if planned.clusters is None else {**columns, "plan_cluster": planned.clusters}
