"""The perspective audit: whether a model agrees less with some groups of annotators than with others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from evenhand.arrays import Floats
from evenhand.audits.perspective import caveats, divergences, quantities
from evenhand.audits.perspective.assignment import differ_more_than_items
from evenhand.audits.perspective.deciders import deciders_exhibit
from evenhand.audits.perspective.divergences import AnnotatorClusters, inertia_by_bins
from evenhand.audits.perspective.exhibits import perspective_exhibits
from evenhand.audits.perspective.groups import AnnotatorGroups
from evenhand.audits.perspective.quantities import (
    GroupedLabels,
    SumReading,
    annotator_agreement,
    columns_of_group,
)
from evenhand.audits.perspective.settings import EVERYBODY, OTHERS, PerspectiveSettings
from evenhand.audits.perspective.verdicts import with_verdicts
from evenhand.audits.settings import provenance
from evenhand.catalogue.perspective import (
    ANNOTATOR_COUNT,
    DELTA_ABOVE_SHARE,
    DELTA_BELOW_SHARE,
    DEMOGRAPHIC_DIVERGENCE,
    DIFFERING_SHARE,
    UNCERTAINTY_DIVERGENCE,
)
from evenhand.catalogue.shared import COUNT
from evenhand.errors import InputError, Undefined, nearest
from evenhand.estimate import Estimate
from evenhand.evidence import AnnotatedEvidence
from evenhand.finding import Exhibit, Finding, Measured, Slice, SliceKey
from evenhand.intervals.significance import mark_beyond_chance
from evenhand.measures.perspective import (
    ANNOTATION_RATE,
    F1,
    F1_GAP,
    MEAN_DELTA,
    Annotations,
    ConformityDeltas,
    Majority,
    as_confusion_tables,
    confusion_columns,
    decided_classes,
    majority_labels,
)
from evenhand.measures.perspective.agreement import alpha_of_classes
from evenhand.progress import Progress, silent

NAME = "perspective"
QUESTION = "Which groups of annotators does the model agree with?"
RATE_COLUMNS = {DELTA_BELOW_SHARE: 2, DELTA_ABOVE_SHARE: 3, DIFFERING_SHARE: 4}  # columns of deltas
_TestedMeasures = list[tuple[Measured, float | None]]  # with the p-value of a test, where there was one


def audit_perspective(
    evidence: AnnotatedEvidence, settings: PerspectiveSettings, progress: Progress = silent
) -> Finding:
    """Measure every model for every group of annotators, and how far annotators agree with one another."""
    annotator_groups = AnnotatorGroups.from_annotators(evidence.annotators, settings.smallest_group)
    size = (evidence.items, len(evidence.annotators), len(evidence.classes))
    annotations = Annotations.from_columns(evidence.item, evidence.annotator, evidence.label, size=size)
    _check(annotations, annotator_groups, evidence)
    most = _majority(annotations, annotator_groups, settings, evidence)
    labelled = GroupedLabels(annotations, annotator_groups, settings)
    settings = replace(
        settings, permutations=max(settings.permutations, _permutations_needed(annotator_groups, settings.level))
    )
    progress("agreement of annotators", 0, 1)
    alpha = alpha_of_classes(settings.distance, evidence.classes)
    agreement = annotator_agreement(labelled, alpha)
    measures: _TestedMeasures = [(measured, None) for measured in (*_facts(labelled), *agreement)]
    drawn: list[Exhibit] = []
    for number, (model, p) in enumerate(evidence.probabilities.items()):
        progress("comparing models with annotators", number, len(evidence.probabilities))
        named: Slice = {SliceKey.MODEL: model} if len(evidence.probabilities) > 1 else {}
        results, shown = _model_results(labelled, most, p, named, settings)
        measures += results
        drawn += shown
        measures += [(measured, None) for measured in quantities.prediction_set_measures(labelled, p, named, settings)]
    measures += [
        (measured, None)
        for measured in quantities.fit_delta_correlation([m for m, _ in measures], annotator_groups, settings.level)
    ]
    counts = {"labels": len(annotations), "items": evidence.items, "annotators": int(annotator_groups.sizes()[-1])}
    origin = provenance(evidence, settings) | {"counts": counts}
    design = tuple(_design_notes(labelled))
    warnings = caveats.perspective_caveats(evidence, annotator_groups, most, settings, design)
    marked = _marked(measures, settings.level)
    return with_verdicts(Finding(NAME, QUESTION, marked, warnings, origin, exhibits=tuple(drawn)))


def _design_notes(labelled: GroupedLabels) -> Iterator[str]:
    """What the labels say of how items were assigned, and of how annotators differ."""
    if labelled.assigned_by_group:
        yield caveats.WITHIN_ITEMS
    if differ_more_than_items(labelled.annotations):
        yield caveats.ANNOTATORS_DIFFER


def _check(annotations: Annotations, annotator_groups: AnnotatorGroups, evidence: AnnotatedEvidence) -> None:
    if len(annotator_groups.names) < 2:
        enough = "five" if annotator_groups.smallest == 5 else f"{annotator_groups.smallest:,}"
        problem = f"fewer than two groups have {enough} annotators or more: groups cannot be compared"
        raise InputError(problem, source=evidence.name)
    if np.bincount(annotations.item, minlength=1).max() < 2:
        problem = "every item has one label only: disagreement between annotators cannot be measured"
        raise InputError(problem, source=evidence.name)


def _majority(
    annotations: Annotations,
    annotator_groups: AnnotatorGroups,
    settings: PerspectiveSettings,
    evidence: AnnotatedEvidence,
) -> Majority:
    if settings.majority in (EVERYBODY, OTHERS):
        majority = majority_labels(annotations, leave_one_out=settings.majority == OTHERS, ties=settings.ties)
    elif settings.majority in annotator_groups.names:
        member = annotator_groups.member(annotator_groups.names.index(settings.majority))
        majority = majority_labels(annotations, reference=member, ties=settings.ties)
    else:
        hint = nearest(settings.majority, (EVERYBODY, OTHERS, *annotator_groups.names))
        raise InputError(f"there is no majority of '{settings.majority}'; {hint}", source=evidence.name)
    if not majority.kept.any():
        raise InputError("no item has a majority: all are tied or have a single label", source=evidence.name)
    return majority


def _facts(labelled: GroupedLabels) -> Iterator[Measured]:
    """How many labels and annotators there are."""
    level = labelled.settings.level
    for (_, slice_), labels, people in zip(
        labelled.annotator_groups.slices, labelled.labels, labelled.annotator_groups.sizes(), strict=True
    ):
        yield Measured(COUNT, slice_, Estimate.exact(labels, level=level, n=labels))
        yield Measured(ANNOTATOR_COUNT, slice_, Estimate.exact(int(people), level=level, n=labels))


def _model_results(
    labelled: GroupedLabels, most: Majority, p: Floats, named: Slice, settings: PerspectiveSettings
) -> tuple[_TestedMeasures, list[Exhibit]]:
    deltas = ConformityDeltas.from_labels(labelled.annotations, p, most)
    measures = [*_deltas_by_group(labelled, deltas, named, settings), *_f1_by_group(labelled, p, named, settings)]
    results, exhibits = _clusters_of_model(labelled, deltas, named, settings)
    measures += results
    if decided := _deciders(labelled, deltas, named, settings, measures):
        exhibits.append(decided)
    return measures, exhibits


def _deciders(
    labelled: GroupedLabels,
    deltas: ConformityDeltas,
    named: Slice,
    settings: PerspectiveSettings,
    measures: _TestedMeasures,
) -> Exhibit | None:
    """The groups whose difference one or two people decide."""
    by_group = {m.slice[SliceKey.ANNOTATORS]: p for m, p in measures if _is_group_delta(m)}
    others = [p for m, p in measures if p is not None and not _is_group_delta(m)]
    tests = [by_group.get(name) for name in labelled.annotator_groups.names], others
    within_items = labelled.assigned_by_group
    return deciders_exhibit(deltas, labelled.annotator_groups, settings, named, tests, within_items=within_items)


def _is_group_delta(m: Measured) -> bool:
    return m.measure == MEAN_DELTA.name and SliceKey.ANNOTATORS in m.slice


def _clusters_of_model(
    labelled: GroupedLabels, deltas: ConformityDeltas, named: Slice, settings: PerspectiveSettings
) -> tuple[_TestedMeasures, list[Exhibit]]:
    measures: _TestedMeasures = []
    given = labelled.annotations.labels_given
    try:
        clusters = AnnotatorClusters.from_deltas(deltas, labelled.annotator_groups, given, settings)
    except Undefined as why:
        nothing = Estimate.undefined(str(why), level=settings.level, n=len(labelled.annotations))
        measures.append((Measured(DEMOGRAPHIC_DIVERGENCE, named, nothing), None))
        return measures, perspective_exhibits(deltas, labelled.annotator_groups, named)
    permuted = divergences.permute_clusters(
        clusters.cluster, clusters.number, clusters.prints, labelled.annotator_groups, settings
    )
    both = permuted.result(0, level=settings.level, n=len(clusters.prints.annotator))
    measures += _with_chance(DEMOGRAPHIC_DIVERGENCE, named, both)
    spread = inertia_by_bins(deltas, given, clusters.number, settings)
    return measures, perspective_exhibits(deltas, labelled.annotator_groups, named, clusters, spread)


def _deltas_by_group(
    labelled: GroupedLabels, deltas: ConformityDeltas, named: Slice, settings: PerspectiveSettings
) -> _TestedMeasures:
    kept = GroupedLabels(deltas.annotations, labelled.annotator_groups, settings)
    sums = kept.sums(deltas.columns)
    within_items = labelled.assigned_by_group
    means = divergences.permute_means(deltas, labelled.annotator_groups, settings, within_items=within_items)
    measures: _TestedMeasures = []
    for group, slice_ in labelled.annotator_groups.slices:
        own = {**named, **slice_}
        p = means.p_value(group) if SliceKey.ANNOTATORS in own else None
        read = columns_of_group(group, [0, 1])
        mean = kept.estimate_sum(MEAN_DELTA, sums, read, group=group, bounds=(-1.0, 1.0), p_value=p)
        measures.append((Measured(MEAN_DELTA.name, own, mean), mean.p_value))
        for rate_measure, column in RATE_COLUMNS.items():
            read = columns_of_group(group, [column, 1])
            rate = kept.estimate_sum(ANNOTATION_RATE, sums, read, group=group, bounds=(0.0, 1.0))
            measures.append((Measured(rate_measure, own, rate), None))
    signs = divergences.permute_signs(deltas, labelled.annotator_groups, settings, within_items=within_items)
    for group, name in enumerate(labelled.annotator_groups.names):
        both = signs.result(group, level=settings.level, n=kept.labels[group])
        measures += _with_chance(UNCERTAINTY_DIVERGENCE, {**named, SliceKey.ANNOTATORS: name}, both)
    return measures


def _with_chance(measure: str, slice_: Slice, both: divergences.PermutationResult) -> _TestedMeasures:
    shuffled = Measured(measure, {**slice_, **divergences.SHUFFLED}, both.shuffled)
    return [(Measured(measure, slice_, both.estimate), both.estimate.p_value), (shuffled, None)]


def _f1_by_group(labelled: GroupedLabels, p: Floats, named: Slice, settings: PerspectiveSettings) -> _TestedMeasures:
    decided = decided_classes(p, threshold=settings.threshold)
    sums = labelled.sums(confusion_columns(labelled.annotations, decided))
    measures: _TestedMeasures = []
    for group, slice_ in labelled.annotator_groups.slices:
        own = {**named, **slice_}
        f1 = labelled.estimate_sum(F1, sums, confusions_of(group), group=group, bounds=(0.0, 1.0))
        measures.append((Measured(F1.name, own, f1), None))
        if SliceKey.ANNOTATORS in own:
            gap = labelled.estimate_sum(F1_GAP, sums, confusions_of([group, -1]), group=group, bounds=(-1.0, 1.0))
            measures.append((Measured(F1_GAP.name, own, gap), None))
    return measures


def confusions_of(groups: int | Sequence[int]) -> SumReading:
    """The table of decisions against labels of one group, or of several."""
    return lambda sums: as_confusion_tables(sums[..., groups, :])


def _permutations_needed(annotator_groups: AnnotatorGroups, level: float) -> int:
    """So many permutations that the smallest p-value there can be still stands out among all tests of a model."""
    return math.ceil(2.0 * annotator_groups.tests / (1.0 - level))


def _marked(tested: _TestedMeasures, level: float) -> tuple[Measured, ...]:
    """Marked is what shuffling would hardly give, among all that was tested of a model."""
    models = [m.slice.get(SliceKey.MODEL) for m, _ in tested]
    marked = mark_beyond_chance([m.estimate for m, _ in tested], [p for _, p in tested], level, families=models)
    return tuple(Measured(m.measure, m.slice, estimate) for (m, _), estimate in zip(tested, marked, strict=True))
