"""Do two bias findings agree on which groups fare worst? Template data against real data, or year against year."""

from __future__ import annotations

from evenhand.errors import InputError
from evenhand.finding import Finding, Measured, Reading
from evenhand.intervals import ranks
from evenhand.measures.bias import COMPARISONS

WORST = 5


def agreement(first: Finding, second: Finding, *, level: float = 0.95) -> Finding:
    """Spearman's rank correlation over the groups that both have, for each of the five measures and shared models."""
    for finding in (first, second):
        if not isinstance(finding, Finding):
            raise InputError(
                f"agreement takes two findings, not {type(finding).__name__}: load them with evenhand.load"
            )
    models = [(m, m) for m in first.values("model") if m in second.values("model")] or [_only(first, second)]
    entries, readings = [], []
    for one, two in models:
        named = {"model": one} if one and len(models) > 1 else {}
        for comparison in COMPARISONS:
            pairs = _pairs(first, second, comparison.name, one, two)
            slice_ = {"of": comparison.name, **named}
            entries.append(Measured("rank_agreement", slice_, ranks.spearman([p[1:] for p in pairs], level)))
            readings.append(Reading(slice_, _shared_worst(pairs, is_gap=comparison.is_gap)))
    sources = [finding.provenance.get("source", "a finding") for finding in (first, second)]
    provenance = {"source": " and ".join(sources), "first": dict(first.provenance), "second": dict(second.provenance)}
    caveats = ("Only groups of the same name in both findings are compared, over everything.",)
    question = "Do the two findings agree on which groups fare worst?"
    return Finding("agreement", question, tuple(entries), caveats, provenance, tuple(readings))


def _only(first: Finding, second: Finding) -> tuple[str, str]:
    names = [finding.values("model") for finding in (first, second)]
    if any(len(found) > 1 for found in names):
        first_names, second_names = (", ".join(found) or "one without a name" for found in names)
        raise InputError(f"the findings have no model in common: {first_names}; and {second_names}")
    return tuple(found[0] if found else "" for found in names)  # type: ignore[return-value]


def _pairs(first: Finding, second: Finding, measure: str, one: str, two: str) -> list[tuple[str, float, float]]:
    found = []
    for group in first.values("group"):
        slices = [{"group": group} | ({"model": model} if model else {}) for model in (one, two)]
        if first.has(measure, **slices[0]) and second.has(measure, **slices[1]):
            here, there = first.get(measure, **slices[0]).value, second.get(measure, **slices[1]).value
            if here is not None and there is not None:
                found.append((group, here, there))
    return found


def _shared_worst(pairs: list[tuple[str, float, float]], *, is_gap: bool) -> str:
    def worst(column: int) -> list[str]:
        order = sorted(pairs, key=lambda pair: -abs(pair[column]) if is_gap else pair[column])  # type: ignore[arg-type]
        return [pair[0] for pair in order[: min(WORST, len(pairs) // 2)]]

    first, second = worst(1), worst(2)
    shared = [group for group in first if group in second]
    listed = f": {', '.join(shared)}" if shared else ""
    return f"Of the {len(first)} worst groups of the first, {len(shared)} are among the worst of the second{listed}."
