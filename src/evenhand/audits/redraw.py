"""Bootstrap intervals for every number of a part at once: redraw the rows, count again, measure again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from evenhand.audits.probe import Entry
from evenhand.audits.settings import Settings
from evenhand.audits.view import Views
from evenhand.estimate import Estimate
from evenhand.intervals import bootstrap


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
    """Tests stay the analytic ones: a draw never shows what the sample did not, so its p-values come out too small."""
    probe, estimate, p_value = entry
    if estimate.value is None or estimate.method == "exact":
        return entry
    interval = bootstrap.percentile(values, estimate.value, level)
    if interval is None:
        why = f"only {len(values)} bootstrap draws had a value"
        return probe, Estimate.undefined(why, level=level, n=estimate.n), None
    return probe, replace(estimate, low=interval[0], high=interval[1], method=bootstrap.METHOD), p_value
