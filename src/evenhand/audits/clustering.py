"""What clusters do to the numbers of an audit: how much each row moves a share, and how much wider intervals become.

Every quantity with an interval of its own hands in the influence of each row; the interval that independent items
would have is widened by the design effect (`intervals/clusters.py`). Without declared clusters nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from evenhand.arrays import Bools, Floats
from evenhand.audits.views import Scope, View
from evenhand.catalogue.shared import ACCURACY, F1, FPR, POSITIVE_SHARE, PRECISION, RECALL, TPR
from evenhand.intervals.clusters import BY_CLUSTER, DesignEffect, RowInfluence, cluster_correlation, design_effect
from evenhand.intervals.proportions import WilsonInterval


class ClusteredQuantity(Protocol):
    """A quantity that knows how much each row moves it."""

    @property
    def name(self) -> str:
        """As in the output contract."""

    def row_influence(self, scope: Scope) -> RowInfluence:
        """Of every row at hand."""


class ShareRows(NamedTuple):
    """Which rows a share is taken of, and which of them count."""

    whole: Bools
    part: Bools


ShareRule = Callable[[Bools, Bools, Bools], ShareRows]  # from: in the scope, violating, flagged
SHARE_RULES: dict[str, ShareRule] = {
    TPR: lambda inside, violating, flagged: ShareRows(inside & violating, flagged),
    RECALL: lambda inside, violating, flagged: ShareRows(inside & violating, flagged),
    FPR: lambda inside, violating, flagged: ShareRows(inside & ~violating, flagged),
    PRECISION: lambda inside, violating, flagged: ShareRows(inside & flagged, violating),
    POSITIVE_SHARE: lambda inside, violating, _: ShareRows(inside, violating),
    ACCURACY: lambda inside, violating, flagged: ShareRows(inside, violating == flagged),
    F1: lambda inside, violating, flagged: ShareRows(inside & (violating | flagged), violating & flagged),
}


def share_influence(scope: Scope, name: str, *, background: bool = False) -> RowInfluence:
    """On the share of this name in the scope, or in the background of its group."""
    placed, label = scope.view.rows, scope.view.rows.rows.label
    inside = scope_rows(scope, background=background)
    flagged = np.zeros(len(label), dtype=np.bool_)
    if scope.view.threshold is not None:
        flagged = scope.view.tally.flagged(scope.view.threshold)[placed.place] > 0.0
    rows, weights = SHARE_RULES[name](inside, label, flagged), placed.rows.weights
    weight = np.ones(len(label)) if weights is None else weights.weight
    total = float(weight[rows.whole].sum())
    share = float(weight[rows.whole & rows.part].sum()) / total
    values = np.where(rows.whole, rows.part - share, 0.0) / total
    return RowInfluence(values, np.zeros(len(label), dtype=np.int32), weights, max(share, 1.0 - share))


def row_influence(scope: Scope, values: Floats) -> RowInfluence:
    """With the kinds of rows told apart: violating or not, in the group or not."""
    rows = scope.view.rows.rows
    return RowInfluence(values, (rows.label + 2 * scope_rows(scope)).astype(np.int32), rows.weights)


def scope_rows(scope: Scope, *, background: bool = False) -> Bools:
    """Which rows are in the scope, or in the background of its group."""
    rows = scope.view.rows.rows
    if scope.group is None:
        return np.ones(len(rows), dtype=np.bool_)
    member = rows.groups[scope.group]
    inside = np.zeros(len(rows), dtype=np.bool_)
    inside[member.rows] = True
    if not background:
        return inside
    return ~inside if member.annotated is None else ~inside & member.annotated


def is_clustered(view: View) -> bool:
    """Whether it is declared which items belong together."""
    return view.clusters is not None


def effect(quantity: ClusteredQuantity, scope: Scope) -> DesignEffect:
    """The design effect of a quantity, made once."""
    clusters = scope.view.clusters
    assert clusters is not None
    return scope.view.memo.once(
        ("design effect", quantity.name, scope.group),
        lambda: design_effect(quantity.row_influence(scope), clusters),
    )


def widened(quantity: ClusteredQuantity, scope: Scope, plain: WilsonInterval) -> WilsonInterval:
    """The interval of independent items, as wide as the clusters of these make it."""
    return effect(quantity, scope).widen(plain) if is_clustered(scope.view) else plain


def method_name(scope: Scope, plain: str) -> str:
    """How an interval was made."""
    return plain + BY_CLUSTER if is_clustered(scope.view) else plain


def correlation(first: RowInfluence, second: RowInfluence, view: View) -> float:
    """How two numbers of the same rows move together, by clusters."""
    assert view.clusters is not None
    return cluster_correlation(first, second, view.clusters)
