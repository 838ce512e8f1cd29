"""Labelled items as evidence: with the inclusion probability and the stratum of each, for any audit or estimator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from evenhand.audits.measurement.comparisons import inclusions, weights
from evenhand.audits.measurement.figures import Sample
from evenhand.audits.measurement.given import Given
from evenhand.errors import InputError
from evenhand.evidence.output import check_file, write_table
from evenhand.sampling.batches import Batch
from evenhand.sampling.clusters import ClusterDraw
from evenhand.sampling.estimation import Joined
from evenhand.sampling.plan import ALL, REMOVED, Pool
from evenhand.sampling.stratifying import Stratified


def write_labelled(given: Given, out: Path) -> int:
    """A row for each item with a label; how many there are.

    The weight is the number of items that a label stands for, and the inclusion probability one over it. In a later
    batch that took all of a stratum the weight is below 1 and the probability 1: the labels before it stand for the
    stratum too.
    """
    check_file(out)
    sample = Sample.of(given.plan, given.labels, given.rounds)
    table = pl.concat([_of_pool(sample, pool) for pool in given.plan.pools])
    write_table(table.lazy(), out)
    return len(table)


def _of_pool(sample: Sample, pool: Pool) -> pl.DataFrame:
    told = sample.told[pool.name]
    ids = [id_ for one in told for id_, known in zip(one.part.ids, one.known, strict=True) if known]
    columns: dict[str, Any] = {"id": ids, "label": np.concatenate([one.label for one in told])}
    if pool.name != ALL:
        columns["decision"] = ["yes" if pool.name == REMOVED else "no"] * len(ids)
    if isinstance(told[0].part.drawn, ClusterDraw):
        drawn = told[0].part.drawn
        return pl.DataFrame(
            {
                **columns,
                "weight": drawn.weights[told[0].known],
                "inclusion": drawn.inclusion[told[0].known],
                "cluster": drawn.clusters[told[0].known],
            }
        )
    if not isinstance(told[0].part.drawn, Batch):
        raise InputError("a sequential plan draws with replacement and is estimated by bets: there are no weights")
    if sample.plan.groups:
        cells = pool.frame.cell_of(np.concatenate([one.labelled.batch.places for one in told]))
        columns[" / ".join(sample.plan.columns["by"])] = np.array(sample.plan.groups)[pool.frame.groups[cells]]
    weight = weights(sample, pool)
    return pl.DataFrame(
        {**columns, "weight": weight, "inclusion": inclusions(weight), "stratum": _strata(sample, pool)}
    )


def _strata(sample: Sample, pool: Pool) -> list[str]:
    """Names that no other pool or batch has; batches of a stratified plan are pooled."""
    past, design = sample.past(pool), sample.plan.design
    if isinstance(design, Stratified):
        return [f"{pool.name} {stratum + 1}" for stratum in design.pooled(pool.frame, past)[1].strata.tolist()]
    joined = [Joined.of(done.batch.draw).strata.tolist() for done in past]
    return [f"{pool.name} {batch}.{stratum + 1}" for batch, strata in enumerate(joined, start=1) for stratum in strata]
