"""Scores as JSON has them: numbers by class, null where a text could not be scored."""

from __future__ import annotations

from math import isnan
from typing import Any

from evenhand.arrays import AnyFloats
from evenhand.service.engine import ScoredTexts


def score_document(scored: ScoredTexts) -> dict[str, Any]:
    """The scores of all texts, and what gave them."""
    return {
        "model": scored.model,
        "version": scored.version,
        "calibrated": scored.calibrated,
        "classes": scored.classes,
        "results": text_results(scored),
    }


def text_results(scored: ScoredTexts) -> list[dict[str, Any]]:
    """One for each text."""
    columns = {"probabilities": scored.probabilities, "uncertainty": scored.uncertainty}
    if scored.model_uncertainty is not None:
        columns["model_uncertainty"] = scored.model_uncertainty
    rows = [_rows(values, scored.classes) for values in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*rows, strict=True)]


def model_headers(scored: ScoredTexts) -> dict[str, str]:
    """Which model answered."""
    return {"Evenhand-Model": scored.model, "Evenhand-Model-Version": scored.version}


def _rows(values: AnyFloats, classes: tuple[str, ...]) -> list[dict[str, float] | None]:
    rows: list[list[float]] = values.tolist()
    return [None if isnan(sum(row)) else dict(zip(classes, row, strict=True)) for row in rows]
