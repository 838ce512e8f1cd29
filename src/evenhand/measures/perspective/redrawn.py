"""Deltas when annotators and items are weighed anew: the majority is made anew, too.

A person sways what most say, and with it the deltas of everybody else on the item. A bootstrap that kept the majority
as it was would miss that and be too sure. So each draw takes its own majority from the weighed votes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from evenhand.measures.perspective.annotations import Mask
from evenhand.measures.perspective.majority import Rule, rule_for
from evenhand.tally import FloatArray

DeltaFold = Callable[[FloatArray, FloatArray, FloatArray, slice], FloatArray]
COLUMNS = 5  # as in `Deltas.columns`: delta, one, below 0, above 0, differs from the majority


def delta_sums(
    probabilities: npt.ArrayLike,
    *,
    reference: npt.ArrayLike | None = None,
    leave_one_out: bool = False,
    ties: str = "drop",
) -> DeltaFold:
    """A fold over items: from weights by group and label to draws × (groups + 1) × 5 sums, everybody's last.

    `reference` says yes or no for each group, and last for those in none. Leaving one out takes away the weight of the
    annotator, or the average one where several of a group gave the item the same label.
    """
    table, rule = np.asarray(probabilities, dtype=np.float64).T, rule_for(ties)

    def fold(counts: FloatArray, squares: FloatArray, weights: FloatArray, items: slice) -> FloatArray:
        inside = np.ones(counts.shape[1], dtype=bool) if reference is None else np.asarray(reference, dtype=bool)
        votes = counts[:, inside].sum(axis=1)[:, None]  # draws × 1 × classes × items
        found = np.zeros((*counts.shape[:2], COLUMNS))
        for own in range(len(table)):
            against = _without(votes, counts, squares, own, inside) if leave_one_out else votes
            columns = _columns(against, table[:, items].astype(counts.dtype), own, rule) * weights[:, None, None]
            found += np.matmul(counts[:, :, own, None], np.swapaxes(columns, -1, -2))[:, :, 0]
        found[:, -1] = found.sum(axis=1)
        return found

    return fold


def _without(votes: FloatArray, counts: FloatArray, squares: FloatArray, own: int, inside: Mask) -> FloatArray:
    """Draws × groups × classes × items: the votes without those of somebody of each group who gave this label."""
    given = counts[:, :, own]
    heavy = np.divide(squares[:, :, own], given, out=np.zeros_like(given), where=given > 0.0)
    left: FloatArray = np.repeat(votes, counts.shape[1], axis=1)
    left[:, inside, own] -= heavy[:, inside]
    return left


def _columns(votes: FloatArray, table: FloatArray, own: int, rule: Rule | None) -> FloatArray:
    """Draws × groups × 5 × items for one label: what each of its annotations adds; nothing without a majority."""
    most = votes.max(axis=2, keepdims=True)
    best = votes == most
    kept = most[:, :, 0] > 0.5  # weights are whole; rounding is not
    if rule is None:
        kept &= best.sum(axis=2) == 1
    winner = np.moveaxis(best, 2, -1).argmax(axis=-1)
    if rule is not None:
        winner = rule(np.moveaxis(best, 2, -1).reshape(-1, best.shape[2])).reshape(kept.shape)
    chosen = np.take_along_axis(np.broadcast_to(table, votes.shape), winner[:, :, None], axis=2)[:, :, 0]
    delta = (2.0 / len(table)) * (chosen - table[own])
    parts = (delta, np.ones_like(delta), delta < 0.0, delta > 0.0, winner != own)
    return np.stack([part * kept for part in parts], axis=2, dtype=table.dtype, casting="unsafe")
