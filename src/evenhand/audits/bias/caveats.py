"""Caveats of the bias audit: what its results do not show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evenhand.audits.bias.settings import BiasSettings
from evenhand.audits.caveats import cluster_caveats, independence, reversed_score_warnings, weight_caveats
from evenhand.audits.clustering import effect
from evenhand.audits.quantities import SMALL_GROUP, Auroc
from evenhand.audits.settings import BOOTSTRAP
from evenhand.audits.views import View
from evenhand.catalogue.shared import AUROC, COUNT
from evenhand.errors import Undefined
from evenhand.evidence import Declaration, Evidence
from evenhand.finding import Finding, SliceKey
from evenhand.formatting import names_in_sentence

WHOLE = {SliceKey.GROUP, SliceKey.MODEL}  # keys of slices of everything
MOST_NAMED = 8


def bias_caveats(
    evidence: Evidence, finding: Finding, settings: BiasSettings, view: View | None, *, tests: Mapping[str, int]
) -> tuple[str, ...]:
    """The general ones first, then those of this evidence."""
    caveats = [
        *reversed_score_warnings(finding),
        *_clusters(view),
        *weight_caveats(None if view is None else view.weights, evidence.declaration.weight),
        "The labels are assumed to be correct. If annotators judged groups differently, the results include that bias.",
        "A difference does not show its cause: items in a group may differ from other items in other ways too.",
    ]
    if tests:
        caveats.append(_comparisons(tests, 1.0 - settings.level, evidence.declaration))
    if settings.interval == BOOTSTRAP:
        caveats.append(
            "Bootstrap intervals are too narrow where there are few items or a value is near 0 or 1. Significance is "
            "from the analytic tests."
        )
    caveats += evidence.notes
    caveats += _small(finding)
    caveats += _not_annotated(evidence)
    caveats += _undefined(finding)
    return tuple(caveats)


def _clusters(view: View | None) -> Iterator[str]:
    if view is None or view.clusters is None:
        return
    try:
        factor = effect(Auroc(), view.everything).factor
    except Undefined:
        factor = None
    yield from cluster_caveats(view.clusters, AUROC.title, view.everything.items, factor)


def _comparisons(tests: Mapping[str, int], alpha: float, declaration: Declaration) -> str:
    counted = "; ".join(f"{family} ({number:,})" for family, number in tests.items())
    corrected = f"Significance is corrected for multiple comparisons (Holm) within each family: {counted}."
    if declaration.inclusion:
        return (
            f"{corrected} Items were sampled with known probabilities: "
            "estimates, intervals and significance refer to the population sampled from. If most of it was sampled, "
            "even small differences are statistically significant, although other items may not show them."
        )
    whole = sum(tests.values())
    expected = "1 false result" if whole * alpha < 1.5 else f"{whole * alpha:.0f} false results"
    uncorrected = f" Without correction, about {expected} would be expected by chance alone."
    return (
        f"{corrected} In each, the probability of one or more false results is at most {100 * alpha:.3g} %, "
        f"{independence(declaration)}."
        f"{uncorrected if whole * alpha >= 1 else ''}"
    )


def _small(finding: Finding) -> list[str]:
    names = [
        m.slice[SliceKey.GROUP]
        for m in finding
        if m.measure == COUNT and SliceKey.GROUP in m.slice and m.estimate.small and set(m.slice) <= WHOLE
    ]
    if not names:
        return []
    listed = names_in_sentence(list(dict.fromkeys(names)), MOST_NAMED)
    return [f"Groups with {SMALL_GROUP} items or fewer, whose results are very uncertain: {listed}."]


def _not_annotated(evidence: Evidence) -> list[str]:
    missing = evidence.unannotated()
    if not missing:
        return []
    groups = "1 group" if len(missing) == 1 else f"{len(missing)} groups"
    return [
        f"Items without an annotation for a group are excluded from that group and its comparison items: up to "
        f"{max(missing.values()):,} of {evidence.size:,} items ({groups}). AUCs of such a group are compared with the "
        f"AUC of the items annotated for it."
    ]


def _undefined(finding: Finding) -> list[str]:
    names = [
        m.slice[SliceKey.GROUP]
        for m in finding
        if not m.estimate.defined and set(m.slice) <= WHOLE and SliceKey.GROUP in m.slice
    ]
    if not names:
        return []
    listed = names_in_sentence(list(dict.fromkeys(names)), MOST_NAMED)
    return [f"Some measures are undefined for {listed}; the tables say why. They are excluded from the power means."]
