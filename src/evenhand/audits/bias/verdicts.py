"""The conclusions of a bias finding: for which groups scores differ, how, by how much, and what to do.

The order of the groups and the lowest AUC of each model travel with the finding as exhibits. A finding from a file of
an earlier version has none: for it both are derived again from the estimates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from evenhand.audits.bias.error_rates import error_rate_verdicts
from evenhand.audits.bias.exhibits import BiasExhibit
from evenhand.audits.bias.shapes import AUC_NAMES, BiasTendency
from evenhand.audits.bias.statements import LABEL_MORE, READ_EXAMPLES, error_rate_statements
from evenhand.audits.group_words import describe_items
from evenhand.audits.views import View, Views
from evenhand.catalogue import find_measure
from evenhand.catalogue.bias import BPSN_AUC
from evenhand.catalogue.shared import AUROC, COUNT
from evenhand.errors import Undefined
from evenhand.estimate import Estimate
from evenhand.finding import Exhibit, Finding, Slice, SliceKey, Status, Verdict
from evenhand.formatting import format_interval, format_number, precision_range
from evenhand.measures import bias

GAP_NAMES = tuple(comparison.name for comparison in bias.COMPARISONS if comparison.is_gap)
WHOLE = {SliceKey.GROUP, SliceKey.MODEL}  # keys of slices of everything
TENDENCY_SENTENCES = {
    BiasTendency.HIGHER: "{items} are scored higher than other items with the same label.",
    BiasTendency.LOWER: "{items} are scored lower than other items with the same label.",
    BiasTendency.APART: "For {items}, the scores of violating and benign items overlap more than for other items.",
    BiasTendency.BETTER: "For {items}, the scores of violating and benign items overlap less than for other items.",
    BiasTendency.WIDER: "For {items}, scores vary more than for other items with the same label.",
}
SMALL_DIFFERENCE = "Small but statistically significant differences: {items}."


class WorstGroup(NamedTuple):
    """A group with the estimate that differs most, and the AUC of everybody annotated for the group."""

    group: str
    measure: str
    estimate: Estimate
    reference: float | None = None


def judgement_exhibits(finding: Finding, views: Views) -> Iterator[Exhibit]:
    """The groups, lowest AUC first; and for each model the lowest significant one, if any."""
    groups = _rank_groups(finding)
    yield Exhibit(BiasExhibit.GROUP_ORDER, {}, {"group": groups})
    for (_, model), view in zip(finding.models, views.values(), strict=True):
        worst = lowest_auc(finding, model, groups, _references(view, groups))
        lowest = [worst] if worst else []
        columns: dict[str, list[float | str | None]] = {
            "group": [one.group for one in lowest],
            "measure": [one.measure for one in lowest],
            "reference": [one.reference for one in lowest],
        }
        yield Exhibit(BiasExhibit.WORST_GROUP, model, columns)


def _references(view: View, groups: Sequence[str]) -> dict[str, float]:
    """What the AUCs of each group are tested against: the AUC of everybody annotated for it."""
    references = {}
    for group in groups:
        try:
            references[group] = view.reference(group).value
        except Undefined:
            continue
    return references


def worst_first(finding: Finding) -> list[str]:
    """Groups by the lowest of their three AUCs in any model, over all items; small groups come last."""
    carried = [exhibit for exhibit in finding.exhibits if exhibit.kind == BiasExhibit.GROUP_ORDER]
    return [str(group) for group in carried[0].columns["group"]] if carried else _rank_groups(finding)


def worst_group(finding: Finding, model: Slice) -> WorstGroup | None:
    """The group with the lowest significant AUC of a model."""
    for exhibit in finding.exhibits:
        if exhibit.kind == BiasExhibit.WORST_GROUP and exhibit.slice == model:
            columns = exhibit.columns
            references = columns.get("reference") or [finding.get(AUROC, **model).value] * len(columns["group"])
            for group, measure, reference in zip(columns["group"], columns["measure"], references, strict=True):
                estimate = finding.get(str(measure), **model, group=str(group))
                return WorstGroup(str(group), str(measure), estimate, reference)  # type: ignore[arg-type]
            return None
    return lowest_auc(finding, model, _rank_groups(finding))


def _rank_groups(finding: Finding) -> list[str]:
    worst: dict[str, float] = {}
    small: set[str] = set()
    for m in finding:
        group = m.slice.get(SliceKey.GROUP)
        if group is None:
            continue
        worst.setdefault(group, 2.0)
        whole = set(m.slice) <= WHOLE
        if whole and m.measure == COUNT and m.estimate.small:
            small.add(group)
        if whole and m.measure in AUC_NAMES and m.estimate.value is not None:
            worst[group] = min(worst[group], m.estimate.value)
    return sorted(worst, key=lambda group: (group in small, worst[group]))


def lowest_auc(
    finding: Finding, model: Slice, groups: Sequence[str], references: Mapping[str, float] | None = None
) -> WorstGroup | None:
    """The lowest significant AUC below what it was tested against; based on few items only if there is no other.

    Tests are two-sided: a group that the model separates better than others is significant too, and is left out.
    Without `references` everybody is taken to be annotated for every group.
    """
    overall = finding.get(AUROC, **model).value
    marked = [
        one._replace(reference=(references or {}).get(one.group, overall))
        for one in _significant_numbers(finding, model, groups, AUC_NAMES)
    ]
    lower = [one for one in marked if one.reference is None or _value_of(one) < one.reference]
    return min(lower, key=lambda one: (one.estimate.small, _value_of(one)), default=None)


def widest_gap(finding: Finding, model: Slice, groups: Sequence[str]) -> WorstGroup | None:
    """The largest significant gap, in either direction."""
    gaps = _significant_numbers(finding, model, groups, GAP_NAMES)
    return min(gaps, key=lambda one: (one.estimate.small, -abs(_value_of(one))), default=None)


def _significant_numbers(
    finding: Finding, model: Slice, groups: Sequence[str], measures: Sequence[str]
) -> list[WorstGroup]:
    numbers = [WorstGroup(group, m, finding.get(m, **model, group=group)) for group in groups for m in measures]
    return [one for one in numbers if one.estimate.defined and one.estimate.stands_out]


def _value_of(one: WorstGroup) -> float:
    assert one.estimate.value is not None
    return one.estimate.value


def groups_by_tendency(finding: Finding, model: Slice) -> dict[BiasTendency, list[str]]:
    """The groups of a model by tendency, lowest AUC first; groups without a tendency are in none."""
    readings = {r.slice.get(SliceKey.GROUP): r for r in finding.readings if r.slice.items() >= model.items()}
    tendencies = {group: reading.tendency for group, reading in readings.items()}
    groups = worst_first(finding)
    return {kind: [group for group in groups if tendencies.get(group) == kind] for kind in BiasTendency}


def bias_verdicts(finding: Finding) -> Iterator[Verdict]:
    """For each model: error rates at the threshold, then how scores differ; without a threshold the latter alone."""
    groups = worst_first(finding)
    for _, model in finding.models:
        rates = error_rate_verdicts(finding, model, groups)
        yield from error_rate_statements(finding, model, rates)
        yield from _score_verdicts(finding, model, groups, explaining=bool(rates))


def _score_verdicts(finding: Finding, model: Slice, groups: Sequence[str], *, explaining: bool) -> Iterator[Verdict]:
    """The significant differences of scores by tendency, small ones last; then the groups without any.

    Where error rates come first this explains them: it is no news of its own, and no group is quiet.
    """
    by_tendency = groups_by_tendency(finding, model)
    clear = {group for named in by_tendency.values() for group in named}
    marked = [group for group in groups if _is_marked(finding, model, group)]
    slight = [group for group in marked if group not in clear]
    if clear or slight:
        statement = _differences_statement(finding, by_tendency, slight)
        certainty = _largest_difference(finding, model, marked)
        status, action = (Status.MEASURED, "") if explaining else (Status.STANDS_OUT, READ_EXAMPLES)
        yield Verdict(status, model, statement, certainty, action)
    quiet = [group for group in groups if group not in marked and group not in clear]
    if quiet and not explaining:
        some = f"{len(quiet)} of {len(groups)} groups" if clear or slight else _any_group(len(groups))
        statement = f"No statistically significant difference for {some}."
        yield Verdict(Status.QUIET, model, statement, _precision_sentence(finding, model, quiet), LABEL_MORE)


def _is_marked(finding: Finding, model: Slice, group: str) -> bool:
    return any(m.estimate.stands_out for m in finding if m.slice == {**model, SliceKey.GROUP: group})


def _any_group(groups: int) -> str:
    return {1: "the only group", 2: "either group"}.get(groups, f"any of the {groups} groups")


def _differences_statement(finding: Finding, by_tendency: dict[BiasTendency, list[str]], small: list[str]) -> str:
    sentences = [(TENDENCY_SENTENCES[kind], groups) for kind, groups in by_tendency.items()]
    sentences.append((SMALL_DIFFERENCE, small))
    texts = [sentence.format(items=describe_items(finding, groups)) for sentence, groups in sentences if groups]
    return " ".join(f"{text[0].upper()}{text[1:]}" for text in texts)


def _largest_difference(finding: Finding, model: Slice, groups: list[str]) -> str:
    """The lowest significant AUC beside what it was tested against, or else the largest significant gap."""
    lowest = worst_group(finding, model)
    shown = lowest or widest_gap(finding, model, groups)
    if not shown:
        return ""
    value = f"{format_number(shown.measure, _value_of(shown))} ({format_interval(shown.measure, shown.estimate)})"
    number = f"{find_measure(shown.measure).title} {value} for {describe_items(finding, [shown.group])}"
    if lowest and lowest.reference is not None:
        everybody = lowest.reference == finding.get(AUROC, **model).value
        compared = "the overall AUC" if everybody else "that of all items annotated for this group"
        number = f"{number}; {compared} is {format_number(AUROC, lowest.reference)}"
    what = (
        "Lowest AUC with a statistically significant difference" if lowest else "Largest statistically significant gap"
    )
    return f"{what}: {number}."


def _precision_sentence(finding: Finding, model: Slice, groups: list[str]) -> str:
    """How precise the estimates of the groups without a significant difference are."""
    widths = precision_range((group, finding.get(BPSN_AUC, **model, group=group)) for group in groups)
    return f"{BPSN_AUC.title}s are {widths}." if widths else ""
