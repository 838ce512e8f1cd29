"""What figures are drawn from beyond the estimates: reliability, and what the review caught."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from evenhand.audits.collaboration import team
from evenhand.audits.collaboration.settings import CollaborationSettings
from evenhand.audits.view import View, Views
from evenhand.errors import Undefined
from evenhand.finding import Exhibit
from evenhand.measures import probability
from evenhand.routing.strategies import Strategy


def exhibits(views: Views, strategies: Sequence[Strategy], settings: CollaborationSettings) -> Iterator[Exhibit]:
    """One reliability diagram a model, and one table of counts a model and strategy."""
    for model, view in views.items():
        with suppress(Undefined):
            found = probability.reliability(team.probable(view.everything))
            columns = {name: getattr(found, name).tolist() for name in found._fields}
            yield Exhibit("reliability", {"model": model}, columns)
        for strategy in strategies:
            yield _checked(view, model, strategy, settings)


def _checked(view: View, model: str, strategy: Strategy, settings: CollaborationSettings) -> Exhibit:
    """The four counts of Figure 1, at each capacity, and both ways in which they add up to the OC-accuracy.

    `asked` is the place of the capacity among those asked for: where it has no value, there is no row.
    """
    names = ("uncertain_wrong", "uncertain_right", "certain_wrong", "certain_right")
    columns: dict[str, list[float]] = {name: [] for name in ("asked", "share", *names, "alone", "gained", "left_right")}
    for number, capacity in enumerate(settings.asked.values()):
        try:
            outcome = team.outcome(view.everything, strategy, capacity)
            first, second = outcome.decompositions()
        except Undefined:
            continue
        counts = [amount.weight for amount in outcome.checked]
        row = [number, outcome.share, *counts, first.first, first.second, second.first]
        for name, value in zip(columns, row, strict=True):
            columns[name].append(float(value))
    return Exhibit("checked", {"model": model, "strategy": strategy.name}, columns)
