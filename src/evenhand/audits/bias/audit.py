"""The bias audit: every group measured against its background, for every model, on everything and on each slice.

Pairs of groups (intersections) can be added as groups of their own where enough items mention both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import combinations

import numpy as np

from evenhand.arrays import Bools, Int32s
from evenhand.audits.bias.caveats import bias_caveats
from evenhand.audits.bias.exhibits import bias_examples, bias_exhibits
from evenhand.audits.bias.quantities import GROUP_QUANTITIES, JigsawScore, PowerMean, error_rate_quantities
from evenhand.audits.bias.settings import BiasSettings
from evenhand.audits.bias.shapes import bias_readings
from evenhand.audits.bias.verdicts import bias_verdicts, judgement_exhibits
from evenhand.audits.composition import scored_compositions
from evenhand.audits.probes import Probe, ProbeResult, estimate_probes, marked_measures
from evenhand.audits.quantities import OVERALL_QUANTITIES, SMALL_GROUP, is_traced
from evenhand.audits.settings import BOOTSTRAP, provenance
from evenhand.audits.views import Views, thresholds_by_model, views_by_model
from evenhand.catalogue.bias import FPR_GAP, TPR_GAP
from evenhand.errors import InputError
from evenhand.evidence import Evidence, EvidencePart, ScoredEvidence, TalliedEvidence, as_scored
from evenhand.evidence.annotators import INTERSECTION
from evenhand.evidence.evidence import not_shown
from evenhand.finding import Exhibit, Finding, Slice, SliceKey
from evenhand.measures import bias
from evenhand.progress import Progress, silent
from evenhand.tally import Membership


def with_intersections(evidence: ScoredEvidence) -> ScoredEvidence:
    """Add every pair of groups that share more than 100 items and of which neither contains the other."""
    groups, weights = dict(evidence.rows.groups), evidence.rows.weights

    def items(rows: Int32s) -> float:
        return len(rows) if weights is None else float(weights.count[rows].sum())

    for (first, one), (second, two) in combinations(evidence.rows.groups.items(), 2):
        both = np.intersect1d(one.rows, two.rows, assume_unique=True)
        if items(both) > SMALL_GROUP and len(both) < min(len(one.rows), len(two.rows)):
            groups[first + INTERSECTION + second] = Membership(both.astype(np.int32), _annotated_for_both(one, two))
    return evidence.with_groups(groups)


def _annotated_for_both(one: Membership, two: Membership) -> Bools | None:
    if one.annotated is None or two.annotated is None or one.annotated is two.annotated:
        return one.annotated if one.annotated is not None else two.annotated
    return one.annotated & two.annotated


def bias_probes(
    models: Sequence[str], part: Slice, declared: tuple[str, ...], groups: Sequence[str], *, paired: bool
) -> Iterator[Probe]:
    """Everything that is asked of one part of the evidence, models beside one another, then their differences."""
    whole = (*OVERALL_QUANTITIES, *(PowerMean(declared, c) for c in bias.AUCS), JigsawScore(declared))
    probes = [(quantity, None) for quantity in whole] + [
        (quantity, group) for group in groups for quantity in GROUP_QUANTITIES
    ]
    rates = error_rate_quantities(2 * len(declared) * len(models)) if not part else ()
    headline = [(quantity, group) for group in declared for quantity in rates]
    for model in models:
        for quantity, group in (*probes, *headline):
            yield Probe(quantity, _probe_slice(part, group, model if len(models) > 1 else None), model, group)
    for model in models[1:] if paired else ():
        for quantity, group in probes:
            if is_traced(quantity):
                yield Probe(quantity, _probe_slice(part, group, model, models[0]), model, group, models[0])


def _probe_slice(part: Slice, group: str | None, model: str | None, against: str | None = None) -> Slice:
    named = {SliceKey.MODEL: model, SliceKey.AGAINST: against, SliceKey.GROUP: group}
    return {key: value for key, value in named.items() if value is not None} | dict(part)


class ComparisonFamily(StrEnum):
    """What is looked at together: in each the chance of any false mark is that of the level."""

    ERROR_RATES = "error rates of groups at the threshold"  # on all items: the first page
    EXPLANATIONS = "scores, slices and pairs of groups"
    MODELS = "differences between models"


def family_of(probe: Probe, declared: Collection[str]) -> ComparisonFamily:
    """The family that a comparison belongs to."""
    if probe.against is not None:
        return ComparisonFamily.MODELS
    whole = set(probe.slice) <= {SliceKey.MODEL, SliceKey.GROUP}
    if whole and probe.group in declared and probe.quantity.name in (TPR_GAP, FPR_GAP):
        return ComparisonFamily.ERROR_RATES
    return ComparisonFamily.EXPLANATIONS


NAME = "bias"
QUESTION = "Does the model score groups differently?"


def audit_bias(evidence: TalliedEvidence, settings: BiasSettings, progress: Progress = silent) -> Finding:
    """Measure every group against its background, for every model, on everything and on each slice."""
    declared, thresholds = evidence.groups, thresholds_by_model(evidence, settings)
    if settings.interval == BOOTSTRAP and not evidence.has_rows:
        raise InputError("the bootstrap needs the rows locally, not on a cluster", source=evidence.name)
    if settings.intersections:
        evidence = with_intersections(as_scored(evidence, "pairs of groups need"))
    if not declared:
        problem = f"every group has fewer than {settings.smallest_group} items; `smallest_group` shows smaller ones"
        raise InputError(problem, source=evidence.name)
    entries: list[ProbeResult] = []
    drawn: list[Exhibit] = []
    whole: Views = {}
    folded = 0
    for part in evidence.parts:
        views = views_by_model(evidence, part, thresholds)
        groups = _shown_groups(evidence, part, views, settings.smallest_group)
        folded += len(evidence.groups) - len(groups)
        entries += _measured(evidence, part, views, (declared, groups), settings, progress)
        drawn += _exhibits(evidence, part, views, [group for group in groups if group in declared])
        whole = whole or views
    if isinstance(evidence, ScoredEvidence):
        drawn += scored_compositions(evidence.with_groups(_groups_of(evidence, declared)), thresholds)
    origin = provenance(evidence, settings) | {"thresholds": thresholds}
    families = [family_of(probe, declared) for probe, *_ in entries]
    measured = Finding(NAME, QUESTION, marked_measures(entries, settings.level, families), (), origin)
    first_view = next(iter(whole.values()), None)
    read = replace(
        measured,
        readings=tuple(bias_readings(measured, whole)),
        exhibits=(*drawn, *judgement_exhibits(measured, whole)),
        caveats=(
            *bias_caveats(
                evidence,
                measured,
                settings,
                first_view,
                tests=_tests_by_family(entries, families),
            ),
            *not_shown(folded, "group within a slice", settings.smallest_group),
        ),
        examples=bias_examples(evidence, whole, declared, settings.examples),
    )
    return replace(read, verdicts=tuple(bias_verdicts(read)))


def _groups_of(evidence: ScoredEvidence, declared: Collection[str]) -> dict[str, Membership]:
    return {name: member for name, member in evidence.rows.groups.items() if name in declared}


def _tests_by_family(entries: Sequence[ProbeResult], families: Sequence[str]) -> dict[str, int]:
    tested = Counter(family for family, (*_, p) in zip(families, entries, strict=True) if p is not None)
    return {family: tested[family] for family in ComparisonFamily if tested[family]}


def _shown_groups(evidence: Evidence, part: EvidencePart, views: Views, smallest: int) -> list[str]:
    """The groups that are large enough in a slice, or not in it at all; over everything those of the evidence."""
    if not part.slice:
        return list(evidence.groups)
    view = next(iter(views.values()))  # every model has the same items
    return [group for group in evidence.groups if not 0 < view.group(group).items < smallest]


def _measured(
    evidence: Evidence,
    part: EvidencePart,
    views: Views,
    groups: tuple[Sequence[str], Sequence[str]],
    settings: BiasSettings,
    progress: Progress,
) -> list[ProbeResult]:
    """Of the groups that are shown; summaries are over those of them that were declared."""
    declared, shown = groups
    title = "measuring" + (f" {', '.join(part.slice.values())}" if part.slice else "")
    summed = tuple(group for group in declared if group in shown)
    probes = list(bias_probes(evidence.models, part.slice, summed, shown, paired=evidence.has_rows))
    return estimate_probes(views, probes, settings, title, progress)


def _exhibits(evidence: Evidence, part: EvidencePart, views: Views, groups: Sequence[str]) -> Iterator[Exhibit]:
    for model, view in views.items():
        for group in groups:
            slice_ = {SliceKey.MODEL: model, SliceKey.GROUP: group, **part.slice}
            yield from bias_exhibits(view, group, slice_, evidence.scale(model))
