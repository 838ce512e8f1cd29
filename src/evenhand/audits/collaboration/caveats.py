"""Caveats of the collaboration audit: the perfect reviewer, approximate intervals, unusual capacities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from evenhand.audits.caveats import cluster_caveats, reversed_score_warnings
from evenhand.audits.clustering import share_influence
from evenhand.audits.collaboration import review
from evenhand.audits.collaboration.settings import CollaborationSettings
from evenhand.audits.views import View, Views
from evenhand.catalogue.shared import ACCURACY
from evenhand.errors import Undefined
from evenhand.evidence import Evidence, ScoredEvidence
from evenhand.finding import Finding
from evenhand.intervals.clusters import design_effect
from evenhand.measures.collaboration import CapacityKind
from evenhand.routing.strategies import UNCERTAINTY, Strategy

MOST_UNCERTAIN = 0.25  # p(1 − p) at one half


def collaboration_caveats(
    evidence: Evidence, finding: Finding, unusual: Iterable[str], view: View | None
) -> tuple[str, ...]:
    """Always the same ones, capacities that were perhaps not meant, and what was noted about the evidence."""
    return (
        *reversed_score_warnings(finding),
        *_clusters(view),
        *_reviewers(evidence),
        "Intervals of single strategies treat the cut-off for review as fixed; those of areas under the "
        "precision-recall curve are approximate.",
        *dict.fromkeys(unusual),
        *evidence.notes,
    )


def _reviewers(evidence: Evidence) -> Iterator[str]:
    """What is taken for granted about reviewers, and what their errors are measured against."""
    reviews = evidence.reviews if isinstance(evidence, ScoredEvidence) else None
    if reviews is None:
        yield "Reviewers are assumed to be always correct. evenhand plan shows the effect of reviewers' errors."
        return
    yield (
        "OC measures assume that reviewers are always correct. Error rates after review do not: reviewers err as often "
        f"as on {reviews.items:,} reviewed items, {reviews.gold_items:,} of them with a known label."
    )
    if reviews.is_anchored:
        yield (
            "Reviewers' errors hold if gold items are drawn at random from reviewed items, or by how reviewers decided "
            "them; test items that are easier than others make reviewers look better."
        )
    else:
        yield (
            "Reviewers' errors are measured against the label of every reviewed item. If that label was made from the "
            "same reviews, they look better than they are: declare `gold`."
        )


def _clusters(view: View | None) -> Iterator[str]:
    if view is None or view.clusters is None or view.threshold is None:
        return
    correct = design_effect(share_influence(view.everything, ACCURACY), view.clusters)
    yield from cluster_caveats(view.clusters, ACCURACY.title.lower(), view.everything.items, correct.factor)


def unusual_capacities(views: Views, strategies: Sequence[Strategy], settings: CollaborationSettings) -> Iterator[str]:
    """Capacities at which nothing, or everything, is reviewed."""
    for view in views.values():
        for strategy in strategies:
            for text, capacity in settings.capacity_by_text.items():
                try:
                    share = review.review_outcome(view.everything, strategy, capacity).share
                except Undefined:
                    continue
                if capacity.kind is CapacityKind.THRESHOLD and not share:
                    beyond = strategy is UNCERTAINTY and capacity.value > MOST_UNCERTAIN
                    most = f": p(1 − p) is at most {MOST_UNCERTAIN:g}" if beyond else ""
                    yield f"At a capacity of {text}, no item is reviewed by {strategy}{most}."
                if capacity.kind is CapacityKind.ITEMS and share == 1.0:
                    yield f"A capacity of {text} covers all items: everything is reviewed."
