"""Which quantities of which models on which part of the evidence: the list that the audit works off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evenhand.audits.bias.quantities import OF_GROUPS
from evenhand.audits.bias.summary import JigsawScore, PowerMean
from evenhand.audits.probe import Probe
from evenhand.audits.quantities import OF_EVERYTHING
from evenhand.audits.quantity import Traced
from evenhand.finding import Slice
from evenhand.measures import bias


def probes(
    models: Sequence[str], part: Slice, declared: tuple[str, ...], groups: Sequence[str], *, paired: bool
) -> Iterator[Probe]:
    """Everything that is asked of one part of the evidence, models beside one another, then their differences."""
    whole = (*OF_EVERYTHING, *(PowerMean(declared, c) for c in bias.AUCS), JigsawScore(declared))
    asked = [(quantity, None) for quantity in whole] + [(quantity, group) for group in groups for quantity in OF_GROUPS]
    for model in models:
        for quantity, group in asked:
            yield Probe(quantity, _slice(part, group, model if len(models) > 1 else None), model, group)
    for model in models[1:] if paired else ():
        for quantity, group in asked:
            if isinstance(quantity, Traced):
                yield Probe(quantity, _slice(part, group, model, models[0]), model, group, models[0])


def _slice(part: Slice, group: str | None, model: str | None, against: str | None = None) -> Slice:
    named = {"model": model, "against": against, "group": group}
    return {key: value for key, value in named.items() if value is not None} | dict(part)
