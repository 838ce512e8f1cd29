"""What to beware of when reading the collaboration audit."""

from __future__ import annotations

from evenhand.evidence import Evidence


def of(evidence: Evidence) -> tuple[str, ...]:
    """Always the same ones, and what was noted about the evidence."""
    return (
        "The reviewer is taken to be right about every item. Real people are not: see `evenhand plan` for what their "
        "errors change.",
        "Intervals hold for this way of choosing, its cut taken as given; areas under precision over recall and the "
        "calibration error are approximate.",
        *evidence.notes,
    )
