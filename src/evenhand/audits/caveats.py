"""The caveats that audits share: scores that rank violating items below benign ones, and items that come in clusters.

A module of its own, because the audits that warn of it do not know one another.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evenhand.catalogue.shared import AUROC
from evenhand.evidence.declaration import Declaration
from evenhand.finding import Finding, SliceKey
from evenhand.formatting import names_in_sentence
from evenhand.intervals.clusters import STATED_CLUSTERS
from evenhand.tally import Clusters, Weights


def reversed_score_warnings(finding: Finding) -> Iterator[str]:
    """One sentence for each model whose AUC is below one half, interval included."""
    overall = (m for m in finding if m.measure == AUROC and set(m.slice) <= {SliceKey.MODEL})
    for m in overall:
        if m.estimate.defined and _below_half(m.estimate.high):
            model = m.slice.get(SliceKey.MODEL, "the model")
            yield (
                f"The {AUROC.title} of {model} is {m.estimate.value:.3f}, below 0.5: violating items are scored lower "
                "than benign items. Check whether the labels or the scores are reversed (`positive`, `label`)."
            )


def _below_half(high: float | None) -> bool:
    return high is not None and high < 0.5


def cluster_caveats(clusters: Clusters | None, title: str, items: float, factor: float | None) -> Iterator[str]:
    """How much information clustered items carry about one number, by its design effect; None where it has none."""
    if clusters is None:
        return
    counts = " and ".join(f"{count:,}" for count in clusters.counts)
    ways = names_in_sentence(list(clusters.names), len(clusters.names))
    yield (
        f"Items belong together by {ways} ({counts} clusters): intervals and significance allow for items of one "
        f"cluster being alike.{_information(title, items, factor)}"
    )
    if min(clusters.counts) <= STATED_CLUSTERS:
        yield (
            f"There are only {min(clusters.counts)} clusters. With {STATED_CLUSTERS} or fewer, intervals are "
            "approximate; numbers that rest on fewer than ten are not tested."
        )


def _information(title: str, items: float, factor: float | None) -> str:
    if factor is None or not np.isfinite(factor) or factor <= 0.0:
        return ""
    worth = float(f"{items / factor:.2g}")
    return f" For the {title}, these {items:,.0f} items carry as much information as {worth:,.0f} independent ones."


def weight_caveats(weights: Weights | None, column: str | None) -> Iterator[str]:
    """How many equal items the weighted ones are worth, where a few have much of the weight."""
    if weights is None or not weights.are_importances:
        return
    worth = float(f"{weights.weight.sum() ** 2 / weights.spread.sum():.2g}")
    yield (
        f"Items are weighted by '{column}': rates, AUCs and errors are those of a unit of it, not of an item. "
        f"The {len(weights.weight):,} items carry as much information as about {worth:,.0f} of equal weight."
    )


def independence(declaration: Declaration) -> str:
    """What the probability of a false result rests on."""
    if not declaration.cluster:
        return "if items are independent of one another"
    names = names_in_sentence([f"'{name}'" for name in declaration.cluster], len(declaration.cluster))
    return f"if items are independent of one another beyond {names}"
