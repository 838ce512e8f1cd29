"""The data of the collaboration figures and tables: how reliable each model is, and what review found at each capacity.

What the headline shows is made with the verdicts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from enum import StrEnum

from evenhand.audits.collaboration import review
from evenhand.audits.collaboration.settings import CollaborationSettings
from evenhand.audits.views import View, Views
from evenhand.errors import Undefined
from evenhand.finding import Exhibit, Slice, SliceKey
from evenhand.measures import binary_calibration
from evenhand.routing.strategies import Strategy


class CollaborationExhibit(StrEnum):
    """The tables that a collaboration finding carries."""

    RELIABILITY = "reliability"  # of a model: how often it is right by how sure it is
    CHECKED = "checked"  # of a model and strategy: the four counts at each capacity
    HEADLINE = "headline"  # of a model: what review changes at the capacity of the headline
    RANKING = "ranking"  # of a model: the best that review does to its ranking there
    STRATEGIES = "strategies"  # of a model: those that have a value there, the one that is worth most first


def collaboration_exhibits(
    views: Views, strategies: Sequence[Strategy], settings: CollaborationSettings
) -> Iterator[Exhibit]:
    """One reliability diagram a model, and one table of counts a model and strategy."""
    for model, view in views.items():
        with suppress(Undefined):
            reliability = binary_calibration.reliability(review.probability_cells(view.everything))
            columns = {name: getattr(reliability, name).tolist() for name in reliability._fields}
            yield Exhibit(CollaborationExhibit.RELIABILITY, {SliceKey.MODEL: model}, columns)
        for strategy in strategies:
            yield _review_counts(view, model, strategy, settings)


def _review_counts(view: View, model: str, strategy: Strategy, settings: CollaborationSettings) -> Exhibit:
    """The four counts of Figure 1, at each capacity, and both ways in which they add up to the OC-accuracy.

    Where a capacity has no value, it has no row.
    """
    names = ("uncertain_wrong", "uncertain_right", "certain_wrong", "certain_right")
    numbers: dict[str, list[float]] = {name: [] for name in ("share", *names, "alone", "gained", "left_right")}
    capacities = []
    for text, capacity in settings.capacity_by_text.items():
        try:
            outcome = review.review_outcome(view.everything, strategy, capacity)
            first, second = outcome.decompositions()
        except Undefined:
            continue
        capacities.append(text)
        counts = [amount.weight for amount in outcome.checked]
        row = [outcome.share, *counts, first.first, first.second, second.first]
        for column, value in zip(numbers.values(), row, strict=True):
            column.append(float(value))
    slice_: Slice = {SliceKey.MODEL: model, SliceKey.STRATEGY: strategy.name}
    return Exhibit(CollaborationExhibit.CHECKED, slice_, {SliceKey.CAPACITY: capacities, **numbers})
