"""What to beware of when reading the calibration audit."""

from __future__ import annotations

from evenhand.evidence import Evidence
from evenhand.finding import Finding, Slice

RARE = 200  # items of a class, under which its numbers are mostly noise


def of(evidence: Evidence, finding: Finding) -> tuple[str, ...]:
    """Always the same ones, classes of few items, and what was noted about the evidence."""
    return (
        "Numbers of one class look only at items that truly are of it. Even an honest model is unsure of some of "
        "them, so these numbers are never 0: hold them against what a calibrated model would show.",
        "The number of bins changes the answer; the table against the number of bins shows by how much.",
        *_rare(finding),
        *evidence.notes,
    )


def _rare(finding: Finding) -> list[str]:
    sizes = {m.slice["class"]: m.estimate.n for m in finding if m.measure == "count" and _is_class(m.slice)}
    few = [f"'{name}' ({n:,})" for name, n in sizes.items() if n < RARE]
    return [f"Classes with fewer than {RARE} items, of which little can be said: {', '.join(few)}."] if few else []


def _is_class(slice_: Slice) -> bool:
    return "class" in slice_ and set(slice_) <= {"class", "model"}
