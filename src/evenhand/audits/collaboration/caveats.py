"""What to beware of when reading the collaboration audit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evenhand.audits.collaboration.settings import CollaborationSettings
from evenhand.audits.direction import backwards
from evenhand.evidence import Evidence
from evenhand.finding import Exhibit, Finding


def of(evidence: Evidence, finding: Finding, settings: CollaborationSettings) -> tuple[str, ...]:
    """Always the same ones, capacities that review nothing or everything, and what was noted about the evidence."""
    return (
        *backwards(finding),
        "The reviewer is taken to be right about every item. Real people are not: evenhand plan says what their "
        "errors change.",
        "Intervals hold for this way of choosing, its cut taken as given; areas under precision over recall and the "
        "calibration error are approximate.",
        *dict.fromkeys(_odd(finding.exhibits, settings)),
        *evidence.notes,
    )


def _odd(drawn: Sequence[Exhibit], settings: CollaborationSettings) -> Iterator[str]:
    """Capacities that were perhaps not meant."""
    asked = list(settings.asked.items())
    for exhibit in (one for one in drawn if one.kind == "checked"):
        for number, share in zip(exhibit.columns["asked"], exhibit.columns["share"], strict=True):
            text, capacity = asked[round(number)]
            strategy = exhibit.slice["strategy"]
            if capacity.kind == "threshold" and not share:
                most = ": p(1 − p) is at most 0.25" if strategy == "uncertainty" and capacity.value > 0.25 else ""
                yield f"At a capacity of {text} nothing is reviewed by {strategy}{most}."
            if capacity.kind == "items" and share == 1.0:
                yield f"A capacity of {text} is all the items there are, or more: everything is reviewed."
