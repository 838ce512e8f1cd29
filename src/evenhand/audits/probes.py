"""Numbers to be taken and their results: which quantity, of which model, on which part of the evidence.

A probe yields an estimate with its interval, analytic or from rows that were drawn again, for all probes of a part at
once. Results beyond chance, after Holm's correction, are marked.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evenhand.audits.clustering import correlation, method_name
from evenhand.audits.quantities import (
    Quantity,
    QuantityInterval,
    has_few_items,
    influence_of,
    is_analytic,
    is_drawn,
    is_redrawn,
    is_small_group,
    is_traced,
    knows_rows,
    traced_rows,
)
from evenhand.audits.settings import BOOTSTRAP, Settings
from evenhand.audits.views import Scope, Views
from evenhand.catalogue.shared import COUNT
from evenhand.errors import Undefined
from evenhand.estimate import Estimate, Flag
from evenhand.finding import Measured, Slice
from evenhand.intervals import bootstrap
from evenhand.intervals.clusters import equal_clusters
from evenhand.intervals.influence import influence_correlation
from evenhand.intervals.proportions import WilsonInterval
from evenhand.intervals.significance import mark_beyond_chance, p_value_from_interval
from evenhand.progress import Progress

PAIRED_METHOD = "paired_delong"
LEAST_SPREAD = 0.25  # of a number that no redraw moves: one item, which may be either


@dataclass(frozen=True)
class Probe:
    """One number to be taken. With `against`, the difference from another model on the same rows."""

    quantity: Quantity
    slice: Slice
    model: str
    group: str | None = None
    against: str | None = None

    def value(self, views: Views) -> float:
        """The number; `Undefined` where it has none."""
        scope, other = self._scopes(views)
        value = self.quantity.value(scope)
        return value if other is None else value - self.quantity.value(other)

    def value_or_none(self, views: Views) -> float | None:
        """The number, or None where it has none."""
        try:
            return self.value(views)
        except Undefined:
            return None

    def estimate(
        self, views: Views, settings: Settings, draws: Sequence[float] | None = None
    ) -> tuple[Estimate, float | None]:
        """The number with its interval, and the p-value against "no difference" where that is a question.

        The interval is the analytic one; with `draws`, that of the number on rows drawn again. Tests are analytic
        always: a draw never shows what the sample did not, so that its p-values come out too small.
        """
        level = settings.level
        scope, _ = self._scopes(views)
        try:
            value = self.value(views)
        except Undefined as why:
            return Estimate.undefined(str(why), level=level, n=scope.items), None
        n = self.quantity.items(scope)
        paired = None if self.against is None else self._paired_interval(views, level)
        try:
            interval = self._interval(scope, value, settings, draws, paired)
        except Undefined as why:
            return Estimate.undefined(str(why), level=level, n=n), None
        few = has_few_items(self.quantity, scope)
        flags = (Flag.SMALL,) if few or is_small_group(scope) else ()
        estimate = Estimate(
            value, min(interval.low, value), max(interval.high, value), level, interval.method, n, flags=flags
        )
        return estimate, None if few else self._p_value(scope, value, level, paired)

    def _interval(
        self,
        scope: Scope,
        value: float,
        settings: Settings,
        draws: Sequence[float] | None,
        paired: QuantityInterval | None,
    ) -> QuantityInterval:
        """Of this kind of number; `Undefined` where too few draws have a value."""
        if is_redrawn(self.quantity):
            return self.quantity.drawn_interval(scope, value, settings)
        if draws is None or self.quantity.is_fact(scope):
            assert is_analytic(self.quantity)
            return paired or self.quantity.interval(scope, value, settings.level)
        ends = (
            bootstrap.percentile_interval(draws, value, settings.level)
            if settings.interval == BOOTSTRAP
            else redrawn_share_interval(draws, value, scope, settings.level)
        )
        if ends is None:
            raise Undefined(f"only {len(draws)} bootstrap samples have a value")
        return QuantityInterval(*ends, method_name(scope, bootstrap.POISSON_BOOTSTRAP))

    def _p_value(self, scope: Scope, value: float, level: float, paired: QuantityInterval | None) -> float | None:
        if paired is None:
            return self.quantity.p_value(scope, value)
        return p_value_from_interval(value, paired.low, paired.high, level)

    def _paired_interval(self, views: Views, level: float) -> QuantityInterval:
        """Of the difference of two models that rise and fall together on the same rows."""
        scope, other = self._scopes(views)
        assert other is not None
        assert is_traced(self.quantity)
        here, there = (self.quantity.bounded(s, self.quantity.value(s)) for s in (scope, other))
        if scope.view.clusters is not None:
            together = correlation(traced_rows(self.quantity, scope), traced_rows(self.quantity, other), scope.view)
        else:
            together = influence_correlation(
                (scope.view.rows, influence_of(self.quantity, scope)),
                (other.view.rows, influence_of(self.quantity, other)),
            )
        return QuantityInterval(*here.square_and_add(there, level, together), method_name(scope, PAIRED_METHOD))

    def _scopes(self, views: Views) -> tuple[Scope, Scope | None]:
        other = None if self.against is None else Scope(views[self.against], self.group)
        return Scope(views[self.model], self.group), other


ProbeResult = tuple[Probe, Estimate, float | None]  # with the p-value, where there was something to test


def marked_measures(
    entries: Sequence[ProbeResult], level: float, families: Sequence[Hashable] | None = None
) -> tuple[Measured, ...]:
    """All estimates; those that stand out among all comparisons of their family are marked."""
    estimates, p_values = [estimate for _, estimate, _ in entries], [p for *_, p in entries]
    marked = mark_beyond_chance(estimates, p_values, level, families=families)
    return tuple(
        Measured(probe.quantity.name, probe.slice, estimate)
        for (probe, *_), estimate in zip(entries, marked, strict=True)
    )


def estimate_probes(
    views: Views, probes: Sequence[Probe], settings: Settings, title: str, progress: Progress
) -> list[ProbeResult]:
    """Every number with its interval: analytic, or from rows drawn again where that was chosen or is the only way."""
    by_draws = settings.interval == BOOTSTRAP
    clustered = any(view.clusters is not None for view in views.values())
    numbers = [
        n for n, probe in enumerate(probes) if _needs_draws(probe.quantity, by_draws=by_draws, clustered=clustered)
    ]
    drawn = [probes[number] for number in numbers]
    again = views if by_draws or any(probe.group for probe in drawn) else _without_groups(views)
    draws = dict(zip(numbers, _draw_again(again, drawn, settings, f"{title}: bootstrap", progress), strict=True))
    results: list[ProbeResult] = []
    for number, probe in enumerate(probes):
        results.append((probe, *probe.estimate(views, settings, draws.get(number))))
        progress(title, number + 1, len(probes))
    return results


def _needs_draws(quantity: Quantity, *, by_draws: bool, clustered: bool) -> bool:
    """Where that was chosen, or is the only way: nobody knows how much each row of a cluster moves the number."""
    if is_redrawn(quantity):
        return False
    known = knows_rows(quantity) or getattr(quantity, "always_analytic", False) or quantity.name == COUNT
    return is_drawn(quantity, by_draws=by_draws) or (clustered and not known)


def redrawn_share_interval(
    draws: Sequence[float], value: float, scope: Scope, level: float
) -> tuple[float, float] | None:
    """Of a number from 0 to 1 whose clusters were redrawn: by their spread, with the freedom of the clusters."""
    if len(draws) < bootstrap.FEWEST_DRAWS:
        return None
    clusters, weights = scope.view.clusters, scope.view.rows.rows.weights
    assert clusters is not None
    number = max(
        equal_clusters(clusters, np.ones(len(scope.view.rows.rows)) if weights is None else weights.count), 2.0
    )
    variance = max(float(np.var(draws, ddof=1)) * number / (number - 1.0), LEAST_SPREAD / scope.items**2)
    shift = (0.5 - value) / (scope.items + 1.0)
    return WilsonInterval.from_variance(value, variance, shift=shift, freedom=number - 1.0).interval(level)


def _without_groups(views: Views) -> Views:
    """For numbers of everything alone: groups need not be counted again with every draw."""
    return {
        model: view if view.placed is None else replace(view, placed=view.placed.without_groups())
        for model, view in views.items()
    }


def _draw_again(
    views: Views, probes: Sequence[Probe], settings: Settings, title: str, progress: Progress
) -> list[list[float]]:
    """The values of each probe on rows drawn again, where it has one."""

    def draw(rng: np.random.Generator) -> list[float | None]:
        rows = next(iter(views.values())).rows.rows.resampled(rng)
        again = {}
        for model, view in views.items():
            placed = view.rows.with_rows(rows)
            again[model] = replace(view, tally=placed.tally(), placed=placed)
        return [probe.value_or_none(again) for probe in probes]

    if not probes:
        return []
    return bootstrap.replicate(
        draw,
        replicates=settings.replicates,
        seed=settings.seed,
        progress=lambda done, of: progress(title, done, of),
    )
