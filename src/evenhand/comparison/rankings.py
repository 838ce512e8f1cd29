"""Two bias findings compared: do they rank groups alike?

Template data against real data, or one year against the next, by Spearman's rank correlation over the groups of both.
"""

from __future__ import annotations

from evenhand.catalogue.shared import RANK_AGREEMENT
from evenhand.errors import InputError
from evenhand.finding import Finding, Measured, Reading, Slice, SliceKey, Status, Verdict
from evenhand.intervals import rank_correlation
from evenhand.measures.bias import COMPARISONS

WORST_GROUPS = 5


def agreement(first: Finding, second: Finding, *, level: float = 0.95) -> Finding:
    """Spearman's rank correlation over the groups that both have, for each of the five measures and shared models.

    >>> table = {"p": np.linspace(0, 1, 40), "toxic": [False, True] * 20, "women": [True, True, False, False] * 10}
    >>> finding = eh.audit(table, score="p", label="toxic", groups="women", audits="bias").findings[0]
    >>> eh.agreement(finding, finding).audit
    'agreement'
    """
    for finding in (first, second):
        if not isinstance(finding, Finding):
            raise InputError(
                f"agreement takes two findings, not {type(finding).__name__}: load them with evenhand.load"
            )
    shared = [model for model in first.values(SliceKey.MODEL) if model in second.values(SliceKey.MODEL)]
    models = [(model, model) for model in shared] or [_single_models(first, second)]
    entries, readings = [], []
    for one, two in models:
        named: Slice = {SliceKey.MODEL: one} if one and len(models) > 1 else {}
        for comparison in COMPARISONS:
            pairs = _pairs(first, second, comparison.name, one, two)
            slice_: Slice = {SliceKey.OF: comparison.name, **named}
            entries.append(Measured(RANK_AGREEMENT, slice_, rank_correlation.spearman([p[1:] for p in pairs], level)))
            readings.append(Reading(slice_, _shared_worst(pairs, is_gap=comparison.is_gap)))
    sources = [str(finding.provenance.get("source", "a finding")) for finding in (first, second)]
    provenance = {"source": " and ".join(sources), "first": dict(first.provenance), "second": dict(second.provenance)}
    caveats = ("Only groups of the same name in both findings are compared, over everything.",)
    question = "Do the two findings rank groups alike?"
    verdicts = tuple(Verdict(Status.MEASURED, reading.slice, reading.text) for reading in readings)
    return Finding("agreement", question, tuple(entries), caveats, provenance, tuple(readings), verdicts)


def _single_models(first: Finding, second: Finding) -> tuple[str, str]:
    names = [finding.values(SliceKey.MODEL) for finding in (first, second)]
    if any(len(models) > 1 for models in names):
        first_names, second_names = (", ".join(models) or "one without a name" for models in names)
        raise InputError(f"the findings have no model in common: {first_names}; and {second_names}")
    return tuple(models[0] if models else "" for models in names)  # type: ignore[return-value]


def _pairs(first: Finding, second: Finding, measure: str, one: str, two: str) -> list[tuple[str, float, float]]:
    pairs = []
    for group in first.values(SliceKey.GROUP):
        slices = [{SliceKey.GROUP: group} | ({SliceKey.MODEL: model} if model else {}) for model in (one, two)]
        if first.has(measure, **slices[0]) and second.has(measure, **slices[1]):
            here, there = first.get(measure, **slices[0]).value, second.get(measure, **slices[1]).value
            if here is not None and there is not None:
                pairs.append((group, here, there))
    return pairs


def _shared_worst(pairs: list[tuple[str, float, float]], *, is_gap: bool) -> str:
    def worst(column: int) -> list[str]:
        order = sorted(pairs, key=lambda pair: -abs(pair[column]) if is_gap else pair[column])  # type: ignore[arg-type]
        return [pair[0] for pair in order[: min(WORST_GROUPS, len(pairs) // 2)]]

    first, second = worst(1), worst(2)
    shared = [group for group in first if group in second]
    listed = f": {', '.join(shared)}" if shared else ""
    groups, are = "group" if len(first) == 1 else "groups", "is" if len(shared) == 1 else "are"
    worst_of_first = f"Of the {len(first)} {groups} with the worst values in the first finding"
    return f"{worst_of_first}, {len(shared)} {are} among those of the second{listed}."
