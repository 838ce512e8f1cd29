"""The conclusions of a perspective finding: which annotators a model agrees with least, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

from evenhand.audits.perspective.divergences import SHUFFLED
from evenhand.audits.perspective.exhibits import PerspectiveExhibit
from evenhand.audits.perspective.groups import MANY_ANNOTATORS, tests_of_a_model
from evenhand.audits.perspective.standing import ModelStanding, Standing, judge_model, model_standing
from evenhand.catalogue.perspective import (
    ANNOTATOR_COUNT,
    CONFORMITY_DELTA,
    DEMOGRAPHIC_DIVERGENCE,
    DIFFERING_SHARE,
    KRIPPENDORFF_ALPHA,
    UNCERTAINTY_DIVERGENCE,
)
from evenhand.catalogue.shared import F1
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Reading, Slice, SliceKey, Status, Verdict
from evenhand.formatting import format_interval, format_number, names_in_sentence, precision_range
from evenhand.measures.perspective.agreement import NOMINAL

SINGLE_TEST_LEVEL = 0.05  # a p-value that would be significant if nothing else had been tested


class PerspectiveTopic(StrEnum):
    """What a reading is about."""

    AGREEMENT = "agreement"  # how often people differ from the majority, and how far they agree
    GROUPS = "groups"  # whose judgement a model shares least
    CLUSTERS = "clusters"  # who is alike to a model


class PerspectiveTendency(StrEnum):
    """Which way the numbers of a reading point."""

    DIFFERS = "differs"
    CHANCE = "no more than chance"


def with_verdicts(finding: Finding) -> Finding:
    """The finding with its significant differences, readings and verdicts."""
    standing = tuple(judge_model(finding, model).exhibit(model) for _, model in finding.models)
    judged = replace(finding, exhibits=(*finding.exhibits, *standing))
    return replace(judged, readings=tuple(_perspective_readings(judged)), verdicts=tuple(perspective_verdicts(judged)))


def _perspective_readings(finding: Finding) -> Iterator[Reading]:
    """Disagreement of annotators; then per model the group it agrees with least, and the clusters."""
    yield Reading({}, _agreement_text(finding, finding.models[0][1]), topic=PerspectiveTopic.AGREEMENT)
    for _, model in finding.models:
        yield _groups_reading(finding, model)
        yield _clusters_reading(finding, model)


def _agreement_text(finding: Finding, model: Slice) -> str:
    differs, alpha = finding.get(DIFFERING_SHARE, **model), finding.get(KRIPPENDORFF_ALPHA)
    share = "No labels" if differs.value is None else f"{100.0 * differs.value:.1f} % of labels"
    text = f"{share} differ from the majority."
    if alpha.value is not None:
        distance = finding.provenance.get("settings", {}).get("distance", NOMINAL)
        form = "" if distance == NOMINAL else f" with {distance} distance"
        text += f" Agreement beyond chance (Krippendorff's alpha{form}) is {alpha.value:.2f}; 1 is perfect agreement."
    return text


def _groups_reading(finding: Finding, model: Slice) -> Reading:
    """The significant group whose mean delta is furthest above the overall one; or that there is none."""
    deltas = _known_deltas(finding, model)
    everybody = finding.get(CONFORMITY_DELTA, **model)
    if not deltas or everybody.value is None:
        return Reading(model, "No mean delta could be calculated for any group.", topic=PerspectiveTopic.GROUPS)
    marked = [group for group, e in deltas.items() if e.stands_out]
    if not marked:
        text = _no_group_text(finding, model, deltas) + _poor_fit_text(finding, model)
        return Reading(model, text, tendency=PerspectiveTendency.CHANCE, topic=PerspectiveTopic.GROUPS)
    group = sorted(marked, key=lambda group: deltas[group].value or 0.0)[-1]
    text = _group_text(group, deltas[group], everybody.value, marked) + _poor_fit_text(finding, model)
    slice_ = {**model, SliceKey.ANNOTATORS: group}
    return Reading(slice_, text, tendency=PerspectiveTendency.DIFFERS, topic=PerspectiveTopic.GROUPS)


def _known_deltas(finding: Finding, model: Slice) -> dict[str, Estimate]:
    """The mean deltas of the groups that have one, in the order of the groups."""
    groups = finding.values(SliceKey.ANNOTATORS)
    deltas = {group: finding.get(CONFORMITY_DELTA, **model, annotators=group) for group in groups}
    return {group: e for group, e in deltas.items() if e.defined}


def _poor_fit_text(finding: Finding, model: Slice) -> str:
    if model_standing(finding, model).fit is not Standing.POOR:
        return ""
    return f" However, the model predicts all annotators' labels poorly (F1 {finding.get(F1, **model).value:.2f})."


def _no_group_text(finding: Finding, model: Slice, deltas: dict[str, Estimate]) -> str:
    few = {one.group for one in model_standing(finding, model).groups if one.few}
    many = [group for group in deltas if group not in few]
    order = sorted(many or deltas, key=lambda group: deltas[group].value or 0.0)
    ends = " to ".join(f"{deltas[group].value:.4f} ('{group}')" for group in (order[0], order[-1]))
    some = f" of groups with {MANY_ANNOTATORS} annotators or more" if 0 < len(many) < len(deltas) else ""
    return (
        f"{NO_DIFFERENCE}: mean deltas{some} range from {ends}. After "
        f"correction for {_tests(finding)} tests, shuffled groups can give differences of this size."
    )


def _tests(finding: Finding) -> int:
    return tests_of_a_model(len(finding.values(SliceKey.ANNOTATORS)))


def _group_text(group: str, e: Estimate, everybody: float, marked: Sequence[str]) -> str:
    less = (e.value or 0.0) > everybody
    mean, low, high, overall = (f"{value:+.4f}".replace("-", "−") for value in (e.value, e.low, e.high, everybody))
    listed = names_in_sentence([f"'{name}'" for name in marked], len(marked))
    return (
        f"The model agrees {'less' if less else 'more'} with annotators in group '{group}' than with all annotators: "
        f"their mean delta is {mean} ({low} to {high}), compared with {overall} overall. Mean deltas that "
        f"are statistically significant after correction for multiple comparisons: {listed}."
    )


def _clusters_reading(finding: Finding, model: Slice) -> Reading:
    divergence = finding.get(DEMOGRAPHIC_DIVERGENCE, **model)
    if divergence.value is None:
        text = f"Annotators could not be clustered by how well the model fits their labels: {divergence.note}."
        return Reading(model, text, topic=PerspectiveTopic.CLUSTERS)
    shuffled = finding.get(DEMOGRAPHIC_DIVERGENCE, **model, **SHUFFLED)
    chance = "more than expected by chance" if divergence.stands_out else "no more than expected by chance"
    if not divergence.stands_out and (divergence.p_value or 1.0) < SINGLE_TEST_LEVEL:
        chance = f"not statistically significant after correction for {_tests(finding)} tests"
    text = (
        f"Clusters of annotators, formed by how well the model fits their labels, have a demographic divergence of "
        f"{divergence.value:.4f} ({shuffled.value:.4f} on average with shuffled groups, "
        f"p = {divergence.p_value:.3g}): {chance}."
    )
    tendency = PerspectiveTendency.DIFFERS if divergence.stands_out else PerspectiveTendency.CHANCE
    return Reading(model, text, tendency=tendency, topic=PerspectiveTopic.CLUSTERS)


READ_ITEMS = (
    "Read items on which these annotators and the majority disagree, decide which judgement your policy intends, and "
    "collect more labels from these groups for such items."
)
MORE_ANNOTATORS = "Recruit more annotators in the groups with the widest intervals."
NO_DIFFERENCE = "No statistically significant difference for any group of annotators"


def perspective_verdicts(finding: Finding) -> Iterator[Verdict]:
    """Per model the groups that differ significantly, or the precision of the estimates."""
    for _, model in finding.models:
        everybody, standing = finding.get(CONFORMITY_DELTA, **model), model_standing(finding, model)
        deltas = [*standing.with_delta(Standing.LESS), *standing.with_delta(Standing.MORE)]
        if not everybody.defined:
            yield Verdict(Status.OPEN, model, f"Deltas could not be calculated: {everybody.note}.")
        elif standing.stands_out:
            certainty = _largest_estimate(finding, model, deltas, standing.with_other_shares)
            statement = _differences_statement(standing, _people(finding))
            certainty = " ".join(part for part in (certainty, deciders_sentence(finding, model)) if part)
            yield Verdict(Status.STANDS_OUT, model, statement, certainty, READ_ITEMS)
        else:
            certainty = _precision_sentence(finding, model, standing)
            yield Verdict(Status.QUIET, model, _quiet_statement(finding, model, standing), certainty, MORE_ANNOTATORS)


def _differences_statement(standing: ModelStanding, people: Mapping[str, int]) -> str:
    less, more = (standing.with_delta(way) for way in (Standing.LESS, Standing.MORE))
    others = [group for group in standing.with_other_shares if group not in (*less, *more)]
    sentences = [f"The model agrees less with {_annotators(less, people)} than with all annotators."] if less else []
    sentences += [f"The model agrees more with {_annotators(more, people)} than with all annotators."] if more else []
    if others:
        shares = "the shares of labels that the model fits better or worse differ from those of all annotators"
        sentences.append(f"For {_annotators(others, people)}, {shares}.")
    return " ".join(sentences) or "Annotators for whom the model fits equally well differ in demographic composition."


def _annotators(groups: Sequence[str], people: Mapping[str, int]) -> str:
    named = [f"{group} ({people[group]:,} people)" for group in groups]
    return f"annotators in {'group' if len(groups) == 1 else 'groups'} {names_in_sentence(named)}"


def _people(finding: Finding) -> dict[str, int]:
    """How many annotators each group has."""
    groups = finding.values(SliceKey.ANNOTATORS)
    return {group: round(finding.get(ANNOTATOR_COUNT, annotators=group).value or 0.0) for group in groups}


def deciders_sentence(finding: Finding, model: Slice) -> str:
    """The groups whose difference rests on one or two people."""
    kind = PerspectiveExhibit.DECIDERS
    exhibit = next((e for e in finding.exhibits if e.kind == kind and dict(e.slice) == dict(model)), None)
    if exhibit is None:
        return ""
    rows = zip(exhibit.columns["annotators"], exhibit.columns["people"], strict=True)
    return " ".join(
        f"The difference of {group} rests on {'one person' if people == 1.0 else 'two people'}: without them it is not "
        "statistically significant."
        for group, people in rows
    )


def _largest_estimate(finding: Finding, model: Slice, deltas: Sequence[str], signs: Sequence[str]) -> str:
    """The estimate of the first significant group, by its mean delta if there is one."""
    for measure, groups in ((CONFORMITY_DELTA, deltas), (UNCERTAINTY_DIVERGENCE, signs)):
        if groups:
            e = finding.get(measure, **model, annotators=groups[0])
            value, within = format_number(measure, e.value or 0.0), format_interval(measure, e)
            return f"{measure.title} of {groups[0]}: {value} ({within})."
    return ""


def _quiet_statement(finding: Finding, model: Slice, standing: ModelStanding) -> str:
    if standing.fit is not Standing.POOR:
        return f"{NO_DIFFERENCE}."
    fit = format_number(F1, finding.get(F1, **model).value or 0.0)
    return f"{NO_DIFFERENCE}. However, the model predicts all annotators' labels poorly ({F1.title} {fit})."


def _precision_sentence(finding: Finding, model: Slice, standing: ModelStanding) -> str:
    groups = [one.group for one in standing.groups]
    widths = precision_range((group, finding.get(CONFORMITY_DELTA, **model, annotators=group)) for group in groups)
    return f"Mean deltas are {widths}." if widths else ""
