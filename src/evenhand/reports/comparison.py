"""What the comparison with an earlier run shows: what changed beyond chance first, then everything of note."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.audits.comparison import NOW, RUNS
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Measured
from evenhand.reports.picking import Named
from evenhand.reports.section import Grid, Row, Section
from evenhand.reports.words import word

MOST, CHANGED = 60, 40  # rows of one audit, and of all changes, that a page has room for
BRIEF = 12  # changes in a terminal
HEADS = ("Earlier", "Now", "Difference")


@dataclass(frozen=True)
class Change:
    """One number: what it was, what it is, and the difference."""

    audit: str
    measure: str
    where: str
    earlier: Estimate
    now: Estimate
    difference: Estimate
    depth: int  # keys of its slice: 0 is everything

    @property
    def stands_out(self) -> bool:
        """Whether it is beyond chance."""
        return "stands_out" in self.difference.flags

    @property
    def size(self) -> float:
        """How far the difference is from 0, in widths of its interval: the clearest first."""
        e = self.difference
        if e.value is None or e.low is None or e.high is None:
            return 0.0
        return abs(e.value) / (e.high - e.low) if e.high > e.low else 0.0

    @property
    def estimates(self) -> list[Estimate | None]:
        """In the order of the heads."""
        return [self.earlier, self.now, self.difference]


def changes(finding: Finding) -> list[Change]:
    """All numbers compared, the clearest change first."""
    found = [_change(finding, m) for m in finding if m.slice.items() >= NOW.items()]
    return sorted(found, key=lambda one: (not one.stands_out, one.depth if not one.stands_out else 0, -one.size))


def _change(finding: Finding, m: Measured) -> Change:
    rest = {key: value for key, value in m.slice.items() if key not in RUNS}
    earlier, now = (finding.get(m.measure, of=m.slice["of"], run=run, **rest) for run in ("earlier", "now"))
    where = ", ".join(rest.values()) or "everything"
    return Change(m.slice["of"], m.measure, where, earlier, now, m.estimate, len(rest))


def section(finding: Finding) -> dict[str, Any]:
    """Everything that the template needs."""
    found = changes(finding)
    changed = [one for one in found if one.stands_out]
    rest: dict[str, list[Change]] = {}
    for one in found:
        rest.setdefault(one.audit, []).append(one)
    return {
        "heads": HEADS,
        "reading": finding.readings[0].text,
        "missing": [(reading.slice["of"], reading.text) for reading in finding.readings if "of" in reading.slice],
        "changed": changed[:CHANGED],
        "hidden": max(0, len(changed) - CHANGED),
        "audits": [(audit, by_depth(some)[:MOST], len(some)) for audit, some in rest.items()],
        "beware_first": True,
    }


def by_depth(found: Sequence[Change]) -> list[Change]:
    """Everything first, then its parts."""
    return sorted(found, key=lambda one: one.depth)


def _grids(finding: Finding) -> list[Grid]:
    """One table for each measure that has changed, or for those over everything where none has."""
    found = changes(finding)
    shown = [one for one in found if one.stands_out][:BRIEF] or [one for one in found if one.depth == 0][:BRIEF]
    return tables_of(shown)


def tables_of(found: Sequence[Change]) -> list[Grid]:
    """A grid for each audit and measure."""
    by: dict[tuple[str, str], list[Row]] = {}
    for one in found:
        by.setdefault((one.audit, one.measure), []).append((one.where, one.estimates, None))
    return [
        Grid(f"{audit}: {word(measure).label}", (measure,) * 3, rows, heads=HEADS, signed=(2,))
        for (audit, measure), rows in by.items()
    ]


def _lines(finding: Finding) -> list[str]:
    of: Named = {"of": ""}
    return [f"{r.slice['of']}: {r.text}" if r.slice.keys() >= of.keys() else r.text for r in finding.readings]


def _tables(finding: Finding) -> list[Grid]:
    """Everything, for files."""
    return tables_of(by_depth(changes(finding)))


SECTION = Section("comparison.html", section, _grids, _lines, _tables)
