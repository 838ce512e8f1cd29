"""The perspective audit: whether a model is more at odds with some groups of people than with others."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from evenhand.audits.perspective import caveats, chance, correlation, readings, sets
from evenhand.audits.perspective.agreement import agreements
from evenhand.audits.perspective.clusters import Clusters, inertia
from evenhand.audits.perspective.crowd import Crowd
from evenhand.audits.perspective.estimating import Labelled
from evenhand.audits.perspective.exhibits import exhibits
from evenhand.audits.perspective.settings import EVERYBODY, OTHERS, PerspectiveSettings
from evenhand.audits.probe import STANDS_OUT
from evenhand.audits.provenance import provenance
from evenhand.errors import InputError, Undefined, nearest
from evenhand.estimate import Estimate
from evenhand.evidence import AnnotationEvidence, Evidence
from evenhand.finding import Exhibit, Finding, Measured, Slice
from evenhand.intervals.multiple import holm
from evenhand.measures.perspective import (
    F1,
    F1_GAP,
    MEAN,
    RATE,
    Annotations,
    Deltas,
    Majority,
    as_tables,
    confusion_columns,
    decisions,
    majority,
)
from evenhand.progress import Progress
from evenhand.tally import FloatArray

QUESTION = "Whose judgement does the model share?"
RATES = {"delta_below_share": 2, "delta_above_share": 3, "differing_share": 4}  # columns of deltas
Found = list[tuple[Measured, float | None]]  # with the p-value of a test, where there was one


def audit_perspective(evidence: Evidence, settings: PerspectiveSettings, progress: Progress) -> Finding:
    """Measure every model for every group of annotators, and how far annotators agree with one another."""
    assert isinstance(evidence, AnnotationEvidence)
    crowd = Crowd.of(evidence.annotators)
    size = (evidence.items, len(evidence.annotators), len(evidence.classes))
    annotations = Annotations.of(evidence.item, evidence.annotator, evidence.label, size=size)
    _check(annotations, crowd, evidence)
    most = _majority(annotations, crowd, settings, evidence)
    labelled = Labelled(annotations, crowd, settings)
    settings = replace(settings, permutations=max(settings.permutations, _enough(crowd, settings.level)))
    progress("agreement of annotators", 0, 1)
    found: Found = [(measured, None) for measured in (*_facts(labelled), *agreements(labelled))]
    drawn: list[Exhibit] = []
    for number, (model, p) in enumerate(evidence.probabilities.items()):
        progress("holding models against annotators", number, len(evidence.probabilities))
        named = {"model": model} if len(evidence.probabilities) > 1 else {}
        results, shown = _model(labelled, most, p, named, settings)
        found += results
        drawn += shown
        found += [(measured, None) for measured in sets.of(labelled, p, named, settings)]
    found += [(measured, None) for measured in correlation.of([m for m, _ in found], crowd, settings.level)]
    counts = {"labels": len(annotations), "items": evidence.items, "annotators": int(crowd.sizes()[-1])}
    origin = provenance(evidence, settings) | {"counts": counts}
    finding = Finding("perspective", QUESTION, _judged(found, settings.level), (), origin, exhibits=tuple(drawn))
    return replace(
        finding,
        readings=tuple(readings.of(finding, crowd, tuple(evidence.probabilities))),
        caveats=caveats.of(evidence, crowd, most, settings),
    )


def _check(annotations: Annotations, crowd: Crowd, evidence: AnnotationEvidence) -> None:
    if len(crowd.names) < 2:
        problem = "fewer than two groups have five annotators or more: there is nothing to compare"
        raise InputError(problem, source=evidence.name)
    if np.bincount(annotations.item, minlength=1).max() < 2:
        problem = "every item has one label only: disagreement between people cannot be measured"
        raise InputError(problem, source=evidence.name)


def _majority(
    annotations: Annotations, crowd: Crowd, settings: PerspectiveSettings, evidence: AnnotationEvidence
) -> Majority:
    if settings.majority in (EVERYBODY, OTHERS):
        found = majority(annotations, leave_one_out=settings.majority == OTHERS, ties=settings.ties)
    elif settings.majority in crowd.names:
        member = crowd.member(crowd.names.index(settings.majority))
        found = majority(annotations, reference=member, ties=settings.ties)
    else:
        hint = nearest(settings.majority, (EVERYBODY, OTHERS, *crowd.names))
        raise InputError(f"there is no majority of '{settings.majority}'; {hint}", source=evidence.name)
    if not found.kept.any():
        raise InputError("no item has a majority: every one is tied, or has no other label", source=evidence.name)
    return found


def _facts(labelled: Labelled) -> Iterator[Measured]:
    """How many labels and annotators there are."""
    level = labelled.settings.level
    for (_, slice_), labels, people in zip(labelled.crowd.slices, labelled.labels, labelled.crowd.sizes(), strict=True):
        yield Measured("count", slice_, Estimate.exact(labels, level=level, n=labels))
        yield Measured("annotator_count", slice_, Estimate.exact(int(people), level=level, n=labels))


def _model(
    labelled: Labelled, most: Majority, p: FloatArray, named: Slice, settings: PerspectiveSettings
) -> tuple[Found, list[Exhibit]]:
    deltas = Deltas.of(labelled.annotations, p, most)
    found = [*_deltas(labelled, deltas, named, settings), *_fit(labelled, p, named, settings)]
    given = labelled.annotations.labels_given
    try:
        clusters = Clusters.of(deltas, labelled.crowd, given, settings)
    except Undefined as why:
        nothing = Estimate.undefined(str(why), level=settings.level, n=len(labelled.annotations))
        found.append((Measured("demographic_divergence", named, nothing), None))
        return found, exhibits(deltas, labelled.crowd, named)
    permuted = chance.of_clusters(clusters.cluster, clusters.number, clusters.prints, labelled.crowd, settings)
    both = chance.tested(permuted, 0, level=settings.level, n=len(clusters.prints.annotator))
    found += _with_chance("demographic_divergence", named, both)
    spread = inertia(deltas, given, clusters.number, settings)
    return found, exhibits(deltas, labelled.crowd, named, clusters, spread)


def _deltas(labelled: Labelled, deltas: Deltas, named: Slice, settings: PerspectiveSettings) -> Found:
    kept = Labelled(deltas.annotations, labelled.crowd, settings)
    plain, drawn = kept.sums(deltas.columns)
    means = chance.of_means(deltas, labelled.crowd, settings)
    found: Found = []
    for group, slice_ in labelled.crowd.slices:
        own = {**named, **slice_}
        mean = kept.estimate(MEAN, plain[group, :2], drawn[:, group, :2], group=group, bounds=(-1.0, 1.0))
        p = None if isinstance(means, str) or "annotators" not in own else float(means.p[group])
        told = replace(mean, p_value=p) if mean.defined else mean
        found.append((Measured("conformity_delta", own, told), p if mean.defined else None))
        for name, column in RATES.items():
            some = [column, 1]
            rate = kept.estimate(RATE, plain[group, some], drawn[:, group, some], group=group, bounds=(0.0, 1.0))
            found.append((Measured(name, own, rate), None))
    signs = chance.of_signs(deltas, labelled.crowd, settings)
    for group, name in enumerate(labelled.crowd.names):
        both = chance.tested(signs, group, level=settings.level, n=kept.labels[group])
        found += _with_chance("uncertainty_divergence", {**named, "annotators": name}, both)
    return found


def _with_chance(measure: str, slice_: Slice, both: chance.Tested) -> Found:
    shuffled = Measured(measure, {**slice_, **chance.SHUFFLED}, both.shuffled)
    return [(Measured(measure, slice_, both.estimate), both.estimate.p_value), (shuffled, None)]


def _fit(labelled: Labelled, p: FloatArray, named: Slice, settings: PerspectiveSettings) -> Found:
    decided = decisions(p, threshold=settings.threshold)
    plain, drawn = (as_tables(sums) for sums in labelled.sums(confusion_columns(labelled.annotations, decided)))
    found: Found = []
    for group, slice_ in labelled.crowd.slices:
        own = {**named, **slice_}
        f1 = labelled.estimate(F1, plain[group], drawn[:, group], group=group, bounds=(0.0, 1.0))
        found.append((Measured("f1", own, f1), None))
        if "annotators" in own:
            both, draws = plain[[group, -1]], drawn[:, [group, -1]]
            gap = labelled.estimate(F1_GAP, both, draws, group=group, bounds=(-1.0, 1.0))
            found.append((Measured("f1_gap", own, gap), None))
    return found


def _enough(crowd: Crowd, level: float) -> int:
    """So many permutations that the smallest p-value there can be still stands out among all tests of a model."""
    return math.ceil(2.0 * crowd.tests / (1.0 - level))


def _judged(found: Found, level: float) -> tuple[Measured, ...]:
    """Marked is what shuffling would hardly give, among all that was tested of a model."""
    standing: set[int] = set()
    for model in dict.fromkeys(m.slice.get("model") for m, _ in found):
        own = [number for number, (m, p) in enumerate(found) if p is not None and m.slice.get("model") == model]
        marks = holm([found[number][1] or 0.0 for number in own], 1.0 - level)
        standing |= {number for number, mark in zip(own, marks, strict=True) if mark}
    return tuple(
        Measured(m.measure, m.slice, m.estimate.flagged(STANDS_OUT)) if number in standing else m
        for number, (m, _) in enumerate(found)
    )
