"""What the numbers say, in plain words: which way to choose is worth more, and where the two cross."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from evenhand.audits.collaboration.settings import USUAL as PAIR
from evenhand.audits.collaboration.settings import CollaborationSettings, capacity
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Reading, Slice
from evenhand.routing.strategies import Strategy

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
        if reading := _accuracy(finding, named):
            yield Reading(named, reading)
        if set(PAIR) <= set(names) and shares and finding.get("accuracy", **named).value != 1.0:
            yield Reading(named, _ranks(finding, named, shares))
            yield Reading(named, _efficiency(finding, named, shares))
    if len(models) > 2 and PAIR[0] in names and shares:
        yield Reading({}, _agreement(finding, models, shares))


def _values(finding: Finding, measure: str, strategy: str, named: Slice, shares: Sequence[str]) -> list[float | None]:
    return [finding.get(measure, **named, strategy=strategy, capacity=text).value for text in shares]


def says_little(finding: Finding, named: Slice) -> bool:
    """Whether doing nothing at all would be right as often as the model, so that accuracy tells nothing of it."""
    accuracy, violating = (finding.get(name, **named).value for name in ("accuracy", "positive_share"))
    return accuracy is not None and violating is not None and accuracy < 1.0 and accuracy <= 1.0 - violating


def _accuracy(finding: Finding, named: Slice) -> str | None:
    """When accuracy says little: nothing is wrong, or doing nothing at all would be right more often."""
    accuracy, violating = (finding.get(name, **named).value or 0.0 for name in ("accuracy", "positive_share"))
    if accuracy == 1.0:
        return "The model makes no error on these items: there is nothing for review to find."
    if not says_little(finding, named):
        return None
    return (
        f"Leaving everything alone would be right for {_percent(1.0 - violating)} of the items, and the model alone is "
        f"for {_percent(accuracy)}: accuracy says little here, look at recall and precision."
    )


def _ranks(finding: Finding, named: Slice, shares: Sequence[str]) -> str:
    both = {text: _pair(finding, "oc_auroc", named, text) for text in shares}
    known = {text: (_lead(u, t), _apart(u, t)) for text, (u, t) in both.items() if u.defined and t.defined}
    if not known:
        return f"The strategies cannot be compared in OC-AUROC: {_why(both.values())}."
    better = {text: lead > 0.0 for text, (lead, _) in known.items()}
    clear = [_words(text) for text, (_, apart) in known.items() if apart]
    sure = f", clearly so at {', '.join(clear)}" if clear else ", though by less than the intervals are wide"
    sure = "" if len(clear) == len(known) else sure
    if all(better.values()):
        return f"In OC-AUROC reviewing the most uncertain items beats the most toxic ones at every capacity{sure}."
    if not any(better.values()):
        return f"In OC-AUROC reviewing the most toxic items is at least as good at every capacity{sure}."
    worse = ", ".join(_words(text) for text, wins in better.items() if not wins)
    return f"In OC-AUROC reviewing the most uncertain items beats the most toxic ones, but not at {worse}{sure}."


def _efficiency(finding: Finding, named: Slice, shares: Sequence[str]) -> str:
    both = {text: _pair(finding, "review_efficiency", named, text) for text in shares}
    known = [(text, _lead(u, t), _apart(u, t)) for text, (u, t) in both.items() if u.defined and t.defined]
    leads = [(text, lead) for text, lead, _ in known if lead]
    turns = [(first[0], second[0]) for first, second in pairwise(leads) if first[1] * second[1] < 0.0]
    prevalence = finding.get("positive_share", **named).value
    if not known:
        return f"The strategies cannot be compared in Review Efficiency: {_why(both.values())}."
    if not leads:
        return "In Review Efficiency the two are equal at these capacities."
    clear = "" if any(apart for *_, apart in known) else " All differences lie within the intervals."
    if not turns:
        ahead = PAIR[0] if leads[-1][1] > 0.0 else PAIR[1]
        stay = "In Review Efficiency the two do not cross at these capacities"
        return f"{stay}: {ahead} review finds more errors.{clear}"
    spans = " and ".join(f"between {_words(low)} and {_words(high)}" for low, high in turns)
    early = PAIR[0] if leads[0][1] > 0.0 else PAIR[1]
    return (
        f"In Review Efficiency {early} review leads at first and the two cross {spans} of the items; "
        f"{_percent(prevalence or 0.0)} of them violate.{clear}"
    )


def _pair(finding: Finding, measure: str, named: Slice, text: str) -> tuple[Estimate, Estimate]:
    first, second = (finding.get(measure, **named, strategy=name, capacity=text) for name in PAIR)
    return first, second


def _lead(first: Estimate, second: Estimate) -> float:
    return (first.value or 0.0) - (second.value or 0.0)


def _apart(first: Estimate, second: Estimate) -> bool:
    """Whether each lies outside the other's interval."""
    ends = [(one.low or 0.0, one.value or 0.0, one.high or 0.0) for one in (first, second)]
    (low, value, high), (other_low, other, other_high) = ends
    return not (low <= other <= high or other_low <= value <= other_high)


def _why(pairs: Iterable[tuple[Estimate, Estimate]]) -> str:
    return next((str(one.note) for pair in pairs for one in pair if not one.defined), "there is no capacity")


def _words(text: str) -> str:
    return _percent(capacity(text).value)


def _percent(share: float) -> str:
    return f"{100.0 * share:.3g} %"


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
