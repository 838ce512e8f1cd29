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
from evenhand.evidence import Evidence
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
        "Reviewers are assumed to be always correct. evenhand plan shows the effect of reviewers' errors.",
        "Intervals of single strategies treat the cut-off for review as fixed; those of areas under the "
        "precision-recall curve are approximate.",
        *dict.fromkeys(unusual),
        *evidence.notes,
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
            for text, capacity in settings.asked.items():
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
