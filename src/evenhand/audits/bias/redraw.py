"""Bootstrap intervals for every number of a part at once: redraw the rows, count again, measure again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from evenhand.audits.bias.probes import Probe, Views
from evenhand.audits.settings import Settings
from evenhand.estimate import Estimate
from evenhand.intervals import bootstrap
from evenhand.intervals.bounded import p_from_interval

Entry = tuple[Probe, Estimate, float | None]


def redrawn(
    views: Views, entries: Sequence[Entry], settings: Settings, progress: Callable[[int, int], None]
) -> list[Entry]:
    """The same entries with percentile intervals; facts and undefined ones stay as they are."""

    def draw(rng: np.random.Generator) -> list[float | None]:
        rows = next(iter(views.values())).rows.rows.resampled(rng)
        again = {}
        for model, view in views.items():
            placed = view.rows.with_rows(rows)
            again[model] = replace(view, tally=placed.tally(), placed=placed)
        return [probe.value_or_none(again) for probe, _, _ in entries]

    draws = bootstrap.replicate(draw, replicates=settings.replicates, seed=settings.seed, progress=progress)
    return [_with_draws(entry, values, settings.level) for entry, values in zip(entries, draws, strict=True)]


def _with_draws(entry: Entry, values: list[float], level: float) -> Entry:
    probe, estimate, p_value = entry
    if estimate.value is None or estimate.method == "exact":
        return entry
    interval = bootstrap.percentile(values, estimate.value, level)
    if interval is None:
        why = f"only {len(values)} bootstrap draws had a value"
        return probe, Estimate.undefined(why, level=level, n=estimate.n), None
    low, high = interval
    tested = None if p_value is None else _p_value(probe, estimate.value, low, high, level, p_value)
    return probe, replace(estimate, low=low, high=high, method=bootstrap.METHOD), tested


def _p_value(probe: Probe, value: float, low: float, high: float, level: float, analytic: float) -> float:
    """Differences and gaps are held against 0 by their own interval; AUCs keep the test against the overall AUC."""
    is_difference = probe.against is not None or probe.quantity.name.endswith(("_gap", "_aeg"))
    return p_from_interval(value, low, high, level) if is_difference else analytic
