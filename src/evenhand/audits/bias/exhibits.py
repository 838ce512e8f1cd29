"""The data of the bias figures, and example texts where they were asked for.

Figures show score distributions of a group beside its background and its rates over all thresholds. Examples are the
items on which the model and the label are furthest apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import numpy as np

from evenhand.arrays import Floats
from evenhand.audits.views import View, Views, model_slice
from evenhand.evidence import Evidence, ScoreScale, as_scored
from evenhand.finding import Example, Exhibit, Slice, SliceKey
from evenhand.tally import Split


class BiasExhibit(StrEnum):
    """The kinds of exhibits of a bias finding."""

    DISTRIBUTION = "distribution"
    TPR_CURVE = "tpr_curve"
    FPR_CURVE = "fpr_curve"
    GROUP_ORDER = "group_order"  # the groups, the worst first
    WORST_GROUP = "worst_group"  # of a model, and by which measure


MOST_BINS = 40  # fewer where a class of the group has fewer than 400 items: they would look like a comb
CURVE_POINTS = 60  # along each axis


def bias_exhibits(view: View, group: str, slice_: Slice, scale: ScoreScale) -> Iterator[Exhibit]:
    """Score distributions of a group beside its background, and its rates against theirs over all thresholds."""
    split = view.split(group)
    if split.inside.violating.total.weight and split.outside.violating.total.weight:
        yield _curve(split, slice_, BiasExhibit.TPR_CURVE, violating=True)
    if split.inside.benign.total.weight and split.outside.benign.total.weight:
        yield _curve(split, slice_, BiasExhibit.FPR_CURVE, violating=False)
    fewest = min(mass.total.count for mass in split.inside)
    bins = min(MOST_BINS, max(8, round(2.0 * fewest**0.5)))
    edges = _edges(view, scale, bins)
    if np.isfinite(edges).all():
        yield _distribution(view, group, slice_, edges)


def _edges(view: View, scale: ScoreScale, bins: int) -> Floats:
    scores = view.tally.scores
    lowest = scale.lowest if scale.lowest is not None else float(scores[0])
    highest = scale.highest if scale.highest is not None else float(scores[-1])
    with np.errstate(over="ignore", invalid="ignore"):  # scores near the largest floats have no distance
        return np.linspace(lowest, highest if highest > lowest else lowest + 1.0, bins + 1)


def _distribution(view: View, group: str, slice_: Slice, edges: Floats) -> Exhibit:
    own = view.tally.histogram(edges, group)
    universe = view.tally.histogram(edges, group, universe=True)
    columns: dict[str, list[float]] = {"low": edges[:-1].tolist(), "high": edges[1:].tolist()}
    for kind in ("violating", "benign"):
        columns[f"group_{kind}"] = _shares(own[kind])
        columns[f"background_{kind}"] = _shares(universe[kind] - own[kind])
    return Exhibit(BiasExhibit.DISTRIBUTION, slice_, columns)


def _shares(weights: Floats) -> list[float]:
    total = float(weights.sum())
    return [float(weight) / total for weight in weights] if total else [0.0] * len(weights)


def _curve(split: Split, slice_: Slice, kind: BiasExhibit, *, violating: bool) -> Exhibit:
    """Share at or above each threshold, from the highest down; the area over the diagonal is the equality gap."""
    background, group = split.shares_above(violating=violating)
    levels = np.linspace(0.0, 1.0, CURVE_POINTS)
    ends = [np.searchsorted(group, levels), np.searchsorted(background, levels), np.array([0, len(group) - 1])]
    points = np.unique(np.minimum(np.concatenate(ends), len(group) - 1))
    return Exhibit(kind, slice_, {"background": background[points].tolist(), "group": group[points].tolist()})


def bias_examples(evidence: Evidence, views: Views, groups: tuple[str, ...], number: int) -> tuple[Example, ...]:
    """Per model and group: the benign items scored highest and the violating items scored lowest."""
    if not number:
        return ()
    scored = as_scored(evidence, "examples need")
    chosen: list[tuple[dict[str, str], str, float, int]] = []
    for model, view in views.items():
        named = model_slice(views, model)
        for group in groups:
            for violating, kind in ((False, "benign, highest scores"), (True, "violating, lowest scores")):
                rows, _ = view.rows.slots[group].members[violating]
                place = view.rows.place[rows]
                order = np.argsort(place if violating else -place, kind="stable")[:number]
                slice_ = {**named, SliceKey.GROUP: group}
                chosen += [(slice_, kind, float(view.tally.scores[place[i]]), int(rows[i])) for i in order]
    texts = scored.texts([row for *_, row in chosen])
    return tuple(
        Example(slice_, kind, score, text) for (slice_, kind, score, _), text in zip(chosen, texts, strict=True)
    )
