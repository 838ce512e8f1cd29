"""From evidence to views: where items are flagged, and every model's tally."""

from __future__ import annotations

from evenhand.audits.settings import Settings
from evenhand.audits.view import View, Views
from evenhand.errors import InputError
from evenhand.evidence import Evidence, Part, Thresholds


def thresholds_of(evidence: Evidence, settings: Settings) -> dict[str, float | None]:
    """Where each model's items are flagged: as told, or where its scale is usually cut."""
    scales = {model: evidence.scale(model) for model in evidence.models}
    threshold = settings.threshold
    if threshold is None:
        return {model: scale.threshold for model, scale in scales.items()}
    if len(set(scales.values())) > 1:
        raise InputError("the models have different scales: one threshold cannot serve them all", source=evidence.name)
    for model, scale in scales.items():
        if scale.lowest is not None and scale.highest is not None and not scale.lowest <= threshold <= scale.highest:
            problem = f"the threshold {threshold:g} is outside {scale.lowest:g} to {scale.highest:g} ({scale.name})"
            raise InputError(problem, source=evidence.name, column=model)
    return dict.fromkeys(scales, threshold)


def views_of(evidence: Evidence, part: Part, thresholds: Thresholds) -> Views:
    """Every model on one part of the evidence."""
    return {
        found.model: View(
            found.tally, thresholds[found.model], found.placed, found.unsure, evidence.scale(found.model).name
        )
        for found in evidence.tallies(part, thresholds)
    }
