"""Which groups of a bias finding come first, which slices say something, and which significant numbers are good news.

A report shows harm first: groups with a higher error rate, whichever model it is in. Small groups come last.
"""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.audits.bias.error_rates import by_harm, error_rate_verdicts
from evenhand.audits.bias.verdicts import worst_first
from evenhand.audits.tolerance import Comparison
from evenhand.catalogue import Unit, find_measure
from evenhand.catalogue.bias import BNSP_AUC, BPSN_AUC, FPR_GAP, NEGATIVE_AEG, POSITIVE_AEG, SUBGROUP_AUC, TPR_GAP
from evenhand.catalogue.shared import COUNT
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Measured, SliceKey
from evenhand.reports.section import SHORT, EstimateRow, evidence_slices, find_estimate

GROUP_KEYS = (SliceKey.MODEL, SliceKey.AGAINST, SliceKey.GROUP)  # keys of slices that are not the evidence's
MANY_GROUPS = 12  # small ones among them
HARM: dict[
    str, float
] = {  # whether a significant number of a group is bad news, by its distance from what it is compared with
    **dict.fromkeys((SUBGROUP_AUC, BPSN_AUC, BNSP_AUC, POSITIVE_AEG, FPR_GAP), -1.0),
    **dict.fromkeys((NEGATIVE_AEG, TPR_GAP), 1.0),
}


def harm_first(finding: Finding) -> list[str]:
    """The groups as the first page has them: higher error rates first, in any model, then by AUC; small ones last."""
    by_auc = worst_first(finding)
    verdicts = [one for _, model in finding.models for one in error_rate_verdicts(finding, model, by_auc)]
    judged = list(by_harm(verdicts))
    order = [*judged, *(group for group in by_auc if group not in judged)]
    return sorted(order, key=lambda group: is_small_group(finding, group))


def is_small_group(finding: Finding, group: str) -> bool:
    """Whether a group has few items in any model."""
    counts = (find_estimate(finding, COUNT, {**model, SliceKey.GROUP: group}) for _, model in finding.models)
    return any(count is not None and count.small for count in counts)


def large_groups(finding: Finding, groups: list[str]) -> list[str]:
    """All of them, or where there are many only those that are not small: wide intervals would hide the others."""
    large = [group for group in groups if not is_small_group(finding, group)]
    return large if large and len(groups) > MANY_GROUPS else groups


def harmed_groups(finding: Finding) -> list[str]:
    """Those with a higher error rate, in any model; without a threshold, the lowest AUCs."""
    groups = harm_first(finding)
    verdicts = [one for _, model in finding.models for one in error_rate_verdicts(finding, model, groups)]
    higher = {one.group for one in verdicts if one.comparison is Comparison.HIGHER}
    return [group for group in groups if group in higher or not verdicts]


def telling_slices(finding: Finding) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Slices that are shown, and those that are only named: short items, where nothing in them is significant."""
    parts = evidence_slices(finding, GROUP_KEYS)
    silent = [part for part in parts if dict(part) == SHORT and not _is_marked(finding, part)]
    return [part for part in parts if part not in silent], silent


def _is_marked(finding: Finding, part: Mapping[str, str]) -> bool:
    return any(m.estimate.stands_out for m in finding if m.slice.items() >= part.items())


def groups_with_items(finding: Finding, part: Mapping[str, str], groups: list[str]) -> list[str]:
    """The groups with enough items in a part to say something; all of them, where none has."""
    counts = {group: [m.estimate for m in finding if _is_count(m, group, part)] for group in groups}
    some = [group for group, own in counts.items() if any(not e.small and (e.value or 0.0) > 0.0 for e in own)]
    return some or groups


def _is_count(m: Measured, group: str, part: Mapping[str, str]) -> bool:
    return m.measure == COUNT and m.slice.get(SliceKey.GROUP) == group and m.slice.items() >= part.items()


def advantages_of(
    measures: tuple[str, ...], rows: list[EstimateRow], overall: Estimate | None
) -> frozenset[tuple[str, str]]:
    """The groups and measures that differ significantly, in favour of the group."""
    reference = 0.0 if overall is None or overall.value is None else overall.value
    advantages = set()
    for group, estimates, _ in rows:
        for measure, e in zip(measures, estimates, strict=True):
            if e is not None and e.value is not None and e.stands_out and measure in HARM:
                distance = e.value - (reference if find_measure(measure).unit is Unit.AREA else 0.0)
                advantages |= {(group, measure)} if distance * HARM[measure] < 0.0 else set()
    return frozenset(advantages)
