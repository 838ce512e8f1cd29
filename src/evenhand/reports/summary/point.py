"""One line of a summary, and the whole of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from evenhand.estimate import Estimate

Status = Literal["stands_out", "measured", "quiet", "open"]

# Nothing that stands out is not the same as all being well: the heading says so, and each point how much it could see.
HEADINGS: dict[Status, str] = {
    "stands_out": "Stands out",
    "measured": "Measured",
    "quiet": "Nothing stands out, as far as could be seen",
    "open": "Cannot be said",
}


@dataclass(frozen=True)
class Point:
    """What was found about one model by one audit, how sure that is, and what to do about it."""

    status: Status
    audit: str
    model: str
    found: str
    sure: str = ""
    next: str = ""


@dataclass(frozen=True)
class Summary:
    """All points of a report."""

    points: tuple[Point, ...]
    sure: tuple[str, ...]

    def by_status(self) -> list[tuple[Status, str, list[Point]]]:
        """The points under their headings; empty ones are left out."""
        found = {status: [point for point in self.points if point.status == status] for status in HEADINGS}
        return [(status, HEADINGS[status], points) for status, points in found.items() if points]

    def next(self) -> list[tuple[str, list[Point]]]:
        """What to do, each thing once, with the points that ask for it; what stands out first."""
        order = sorted(self.points, key=lambda point: list(HEADINGS).index(point.status))
        steps: dict[str, list[Point]] = {}
        for point in order:
            if point.next:
                steps.setdefault(point.next, []).append(point)
        return list(steps.items())


def half_width(estimate: Estimate) -> float | None:
    """How far a number may be from the truth, in its worse direction."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    return max(estimate.value - estimate.low, estimate.high - estimate.value)


def reach(named: Iterable[tuple[str, Estimate]]) -> str:
    """From the best known to the least known: what could have been seen at all."""
    found = [(width, name) for name, e in named if (width := half_width(e)) is not None and width > 0.0]
    if not found:
        return ""
    (best, best_name), (worst, worst_name) = min(found), max(found)
    least, most = (f"±{width:#.2g}".rstrip(".") for width in (best, worst))  # to two digits, the last a 0 too
    if least == most:
        return f"known to within {most}; a smaller difference would hardly show"
    span = f"{least} ({best_name}) to {most} ({worst_name})"
    return f"known to within {span}; a smaller difference would hardly show"


def listed(names: list[str], most: int = 6) -> str:
    """Names in a sentence, the first few of many."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return ", ".join(names)
