"""Arrays of scores, labels and a group as evidence, and one quantity of it with its interval."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from evenhand.audits.probes import Probe
from evenhand.audits.quantities import Quantity
from evenhand.audits.settings import Settings
from evenhand.audits.views import thresholds_by_model, views_by_model
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.evidence import Declaration, as_tallied, open_evidence

SCORES, LABELS, GROUP, COUNTS = "scores", "labels", "group", "counts"  # as the arguments are called


def estimate_quantity(
    quantity: Quantity,
    scores: npt.ArrayLike,
    labels: npt.ArrayLike,
    group: npt.ArrayLike | None = None,
    *,
    threshold: float | None = None,
    counts: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """One quantity of everything, or of a group against its background."""
    columns = {SCORES: scores, LABELS: labels, GROUP: group, COUNTS: counts}
    frame = frame_of_arrays({name: column for name, column in columns.items() if column is not None})
    declaration = Declaration.of(
        {
            "score": SCORES,
            "scale": _fitting_scale(frame[SCORES]),
            "label": LABELS,
            "groups": [GROUP] if group is not None else None,
            "count": COUNTS if counts is not None else None,
        }
    )
    evidence = as_tallied(open_evidence(frame, declaration))
    settings = Settings(level=level, threshold=threshold)
    views = views_by_model(evidence, evidence.parts[0], thresholds_by_model(evidence, settings))
    estimate, _ = Probe(quantity, {}, SCORES, GROUP if group is not None else None).estimate(views, settings)
    return estimate


def quantity_named(quantities: Sequence[Quantity], measure: str) -> Quantity:
    """The row of a table of quantities that takes a measure."""
    return next(quantity for quantity in quantities if quantity.name == measure)


def frame_of_arrays(columns: dict[str, npt.ArrayLike]) -> pl.DataFrame:
    """Equally long arrays side by side, under the names of the arguments; a missing value is None or NaN."""
    series = {name: _column(name, values) for name, values in columns.items()}
    lengths = {name: len(one) for name, one in series.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} {length:,}" for name, length in lengths.items())
        raise InputError(f"the arrays must have the same length: {listed}")
    return pl.DataFrame(series)


def _column(name: str, values: npt.ArrayLike) -> pl.Series:
    try:
        return pl.Series(name, values if isinstance(values, pl.Series) else np.asarray(values))
    except (TypeError, ValueError, pl.exceptions.PolarsError):
        raise InputError("this is not a flat array of numbers", column=name) from None


def _fitting_scale(scores: pl.Series) -> str:
    """Scores from 0 to 1 are probabilities with a threshold of 0.5; of others only the order is known."""
    if scores.dtype.is_numeric() and len(scores) and scores.is_between(0.0, 1.0).all():
        return "probability"
    return "rank"
