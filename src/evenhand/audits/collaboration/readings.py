"""What the numbers say, in plain words: which way to choose is worth more, and where the two cross."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from evenhand.audits.collaboration.settings import CollaborationSettings
from evenhand.finding import Finding, Reading, Slice
from evenhand.routing.strategies import Strategy

PAIR = ("uncertainty", "toxicity")
RANKINGS = {"brier": -1.0, "ece": -1.0, "calibration_auprc": 1.0}  # by which a model would be called better


def of(
    finding: Finding, models: Sequence[str], strategies: Sequence[Strategy], settings: CollaborationSettings
) -> Iterator[Reading]:
    """The claims of the paper that can be looked at here, each as it turns out."""
    names = [strategy.name for strategy in strategies]
    shares = [text for text, capacity in settings.asked.items() if capacity.kind == "fraction"]
    shares.sort(key=lambda text: settings.asked[text].value)
    for model in models:
        named = {"model": model} if len(models) > 1 else {}
        if set(PAIR) <= set(names) and shares:
            yield Reading(named, _ranks(finding, named, shares))
            yield Reading(named, _efficiency(finding, named, shares))
    if len(models) > 2 and PAIR[0] in names and shares:
        yield Reading({}, _agreement(finding, models, shares))


def _values(finding: Finding, measure: str, strategy: str, named: Slice, shares: Sequence[str]) -> list[float | None]:
    return [finding.get(measure, **named, strategy=strategy, capacity=text).value for text in shares]


def _ranks(finding: Finding, named: Slice, shares: Sequence[str]) -> str:
    both = zip(shares, *(_values(finding, "oc_auroc", name, named, shares) for name in PAIR), strict=True)
    better = {text: u > t for text, u, t in both if u is not None and t is not None}
    if not better:
        return "OC-AUROC is undefined here."
    if all(better.values()):
        return "Reviewing the most uncertain items beats reviewing the most toxic ones in OC-AUROC at every capacity."
    if not any(better.values()):
        return "Reviewing the most toxic items is at least as good in OC-AUROC as the most uncertain at every capacity."
    worse = ", ".join(text for text, wins in better.items() if not wins)
    return (
        f"Reviewing the most uncertain items beats the most toxic ones in OC-AUROC, but not at a capacity of {worse}."
    )


def _efficiency(finding: Finding, named: Slice, shares: Sequence[str]) -> str:
    both = zip(shares, *(_values(finding, "review_efficiency", name, named, shares) for name in PAIR), strict=True)
    known = [(text, u - t) for text, u, t in both if u is not None and t is not None]
    leads = [(text, lead) for text, lead in known if lead]
    turns = [(first[0], second[0]) for first, second in pairwise(leads) if first[1] * second[1] < 0.0]
    prevalence = finding.get("positive_share", **named).value
    if not known:
        return "Nothing is reviewed at these capacities."
    if not leads:
        return "In Review Efficiency the two are equal at these capacities."
    if not turns:
        ahead = PAIR[0] if leads[-1][1] > 0.0 else PAIR[1]
        return f"In Review Efficiency the two do not cross at these capacities: {ahead} review finds more errors."
    spans = " and ".join(f"between {low} and {high}" for low, high in turns)
    early = PAIR[0] if leads[0][1] > 0.0 else PAIR[1]
    return (
        f"In Review Efficiency {early} review leads at first and the two cross {spans} of the items; "
        f"{prevalence:.2%} of them violate."
    )


def _agreement(finding: Finding, models: Sequence[str], shares: Sequence[str]) -> str:
    """Which of the usual scores orders the models as Review Efficiency does, averaged over the capacities."""
    efficiency = {
        model: _mean(_values(finding, "review_efficiency", PAIR[0], {"model": model}, shares)) for model in models
    }
    found = []
    for measure, sign in RANKINGS.items():
        extra = {"strategy": PAIR[0]} if measure == "calibration_auprc" else {}
        values = {model: sign * (finding.get(measure, model=model, **extra).value or 0.0) for model in models}
        pairs = [(a, b) for i, a in enumerate(models) for b in models[i + 1 :]]
        agree = sum((values[a] - values[b]) * (efficiency[a] - efficiency[b]) > 0.0 for a, b in pairs)
        found.append(f"{measure} {agree} of {len(pairs)}")
    return f"Pairs of models ordered as mean Review Efficiency orders them: {', '.join(found)}."


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else 0.0
