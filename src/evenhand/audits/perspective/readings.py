"""What the perspective numbers say, in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from evenhand.audits.perspective.chance import SHUFFLED
from evenhand.audits.perspective.crowd import MANY, Crowd
from evenhand.audits.probe import STANDS_OUT
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Reading, Slice

POOR = 0.5  # an F1 below which a model fits hardly anybody
ALONE = 0.05  # a p-value that would be a mark if nothing else had been tested


def of(finding: Finding, crowd: Crowd, models: Sequence[str]) -> Iterator[Reading]:
    """How often people differ; then per model whose judgement it shares least, and whether that is more than chance."""
    named: list[Slice] = [{"model": model} for model in models] if len(models) > 1 else [{}]
    yield Reading({}, _people(finding, named[0]))
    for slice_ in named:
        yield _least(finding, crowd, slice_)
        yield _clusters(finding, crowd, slice_)


def _people(finding: Finding, named: Slice) -> str:
    differs, alpha = finding.get("differing_share", **named), finding.get("krippendorff_alpha")
    text = f"Of the labels, {_percent(differs)} differ from the majority."
    if alpha.value is not None:
        text += f" Agreement beyond chance (Krippendorff's alpha) is {alpha.value:.2f}; 1 would be perfect."
    return text


def _percent(estimate: Estimate) -> str:
    return "none" if estimate.value is None else f"{100.0 * estimate.value:.1f} %"


def _least(finding: Finding, crowd: Crowd, named: Slice) -> Reading:
    """The group that stands out whose mean delta is furthest above everybody's; or that none does."""
    means = {name: finding.get("conformity_delta", **named, annotators=name) for name in crowd.names}
    known = {name: e for name, e in means.items() if e.value is not None}
    everybody = finding.get("conformity_delta", **named)
    if not known or everybody.value is None:
        return Reading(named, "No group has a mean delta.")
    marked = [name for name in known if STANDS_OUT in known[name].flags]
    if not marked:
        text = _nobody(finding, crowd, known) + _poor(finding, named)
        return Reading(named, text, tendency="no more than chance")
    name = sorted(marked, key=lambda name: known[name].value or 0.0)[-1]
    text = _somebody(name, known[name], everybody.value, marked) + _poor(finding, named)
    return Reading({**named, "annotators": name}, text, tendency="differs")


def _poor(finding: Finding, named: Slice) -> str:
    fit = finding.get("f1", **named).value
    return "" if fit is None or fit >= POOR else f" It fits everybody's labels poorly, though (F1 {fit:.2f})."


def _nobody(finding: Finding, crowd: Crowd, known: Mapping[str, Estimate]) -> str:
    many = [name for name in known if (finding.get("annotator_count", annotators=name).value or 0.0) >= MANY]
    order = sorted(many or known, key=lambda name: known[name].value or 0.0)
    ends = " to ".join(f"{known[name].value:.4f} ('{name}')" for name in (order[0], order[-1]))
    some = f", of groups with {MANY} annotators or more," if 0 < len(many) < len(known) else ""
    return (
        f"No group of annotators stands out: mean deltas{some} go from {ends}. Allowing for the {crowd.tests} "
        "numbers tested, shuffling the groups over annotators may give as much."
    )


def _somebody(name: str, e: Estimate, everybody: float, marked: Sequence[str]) -> str:
    worse = (e.value or 0.0) > everybody
    return (
        f"The model shares the judgement of '{name}' {'less' if worse else 'more'} than everybody's: on average what "
        f"they say fits it worse than the majority by {e.value:.4f} ({e.low:.4f} to {e.high:.4f}), "
        f"{everybody:.4f} over everybody. Shuffling the groups would hardly give the mean deltas of "
        f"{_listed(marked)}."
    )


def _listed(names: Sequence[str]) -> str:
    return " and ".join(f"'{name}'" for name in names)


def _clusters(finding: Finding, crowd: Crowd, named: Slice) -> Reading:
    found = finding.get("demographic_divergence", **named)
    if found.value is None:
        return Reading(named, f"Annotators could not be put together by how the model fits them: {found.note}.")
    shuffled = finding.get("demographic_divergence", **named, **SHUFFLED)
    more = STANDS_OUT in found.flags
    verdict = "more than chance explains" if more else "no more than chance explains"
    if not more and (found.p_value or 1.0) < ALONE:
        verdict = f"not often by chance alone, but not beyond it among the {crowd.tests} numbers tested"
    text = (
        f"Put together by how the model fits what they say, clusters of annotators differ in who is in them by "
        f"{found.value:.4f} (demographic divergence; shuffling gives {shuffled.value:.4f} on average, "
        f"p = {found.p_value:.3g}): {verdict}."
    )
    return Reading(named, text, tendency="differs" if more else "no more than chance")
