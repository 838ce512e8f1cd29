"""What the figures of the bias audit are drawn from."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evenhand.audits.view import View
from evenhand.evidence import Scale
from evenhand.finding import Exhibit, Slice
from evenhand.tally import FloatArray, Split

BINS = 40  # fewer where a class of the group has fewer than 400 items: they would look like a comb
POINTS = 60  # along each axis


def exhibits(view: View, group: str, slice_: Slice, scale: Scale) -> Iterator[Exhibit]:
    """Score distributions of a group beside its background, and its rates against theirs over all thresholds."""
    split = view.split(group)
    if split.inside.violating.total.weight and split.outside.violating.total.weight:
        yield _curve(split, slice_, "tpr_curve", violating=True)
    if split.inside.benign.total.weight and split.outside.benign.total.weight:
        yield _curve(split, slice_, "fpr_curve", violating=False)
    fewest = min(mass.total.count for mass in split.inside)
    bins = min(BINS, max(8, round(2.0 * fewest**0.5)))
    edges = _edges(view, scale, bins)
    if np.isfinite(edges).all():
        yield _distribution(view, group, slice_, edges)


def _edges(view: View, scale: Scale, bins: int) -> FloatArray:
    scores = view.tally.scores
    lowest = scale.lowest if scale.lowest is not None else float(scores[0])
    highest = scale.highest if scale.highest is not None else float(scores[-1])
    with np.errstate(over="ignore", invalid="ignore"):  # scores near the largest floats have no distance
        return np.linspace(lowest, highest if highest > lowest else lowest + 1.0, bins + 1)


def _distribution(view: View, group: str, slice_: Slice, edges: FloatArray) -> Exhibit:
    own = view.tally.histogram(edges, group)
    universe = view.tally.histogram(edges, group, universe=True)
    columns: dict[str, list[float]] = {"low": edges[:-1].tolist(), "high": edges[1:].tolist()}
    for kind in ("violating", "benign"):
        columns[f"group_{kind}"] = _shares(own[kind])
        columns[f"background_{kind}"] = _shares(universe[kind] - own[kind])
    return Exhibit("distribution", slice_, columns)


def _shares(weights: FloatArray) -> list[float]:
    total = float(weights.sum())
    return [float(weight) / total for weight in weights] if total else [0.0] * len(weights)


def _curve(split: Split, slice_: Slice, kind: str, *, violating: bool) -> Exhibit:
    """Share at or above each threshold, from the highest down; the area over the diagonal is the equality gap."""
    background, group = split.shares_above(violating=violating)
    levels = np.linspace(0.0, 1.0, POINTS)
    ends = [np.searchsorted(group, levels), np.searchsorted(background, levels), np.array([0, len(group) - 1])]
    points = np.unique(np.minimum(np.concatenate(ends), len(group) - 1))
    return Exhibit(kind, slice_, {"background": background[points].tolist(), "group": group[points].tolist()})
