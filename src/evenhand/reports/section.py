"""What a section of a report is made of: grids of estimates, and how a section finds what it shows in a finding.

Each audit has a section of its own in a module beside; an audit without one is shown as a plain table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evenhand.catalogue import find_measure
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Reading, Slice, SliceKey

SHORT = {SliceKey.LENGTH: "short"}  # the slice that every audit of texts has
EstimateRow = tuple[str, list[Estimate | None], Reading | None]


@dataclass(frozen=True)
class EstimateGrid:
    """Rows by columns of estimates, for a page or a terminal."""

    title: str
    measures: tuple[str, ...]
    rows: list[EstimateRow]
    plain: frozenset[str] = frozenset()  # rows of differences: signed and without colour
    brief: tuple[str, ...] = field(default=())  # the columns that a narrow terminal has room for
    heads: tuple[str, ...] = field(default=())  # of the columns, where they are not just the measures
    bare: bool = False  # a narrow terminal has no room for intervals
    signed: tuple[int, ...] = ()  # columns of differences
    advantages: frozenset[tuple[str, str]] = frozenset()  # rows and measures whose mark is good news

    @property
    def titles(self) -> tuple[str, ...]:
        """What stands above each column."""
        return self.heads or tuple(find_measure(measure).title for measure in self.measures)

    def narrowed(self) -> EstimateGrid:
        """With the brief columns only, if some are."""
        columns = [number for number, measure in enumerate(self.measures) if not self.brief or measure in self.brief]
        return replace(
            self,
            measures=tuple(self.measures[number] for number in columns),
            heads=tuple(self.titles[number] for number in columns),
            rows=[(name, [estimates[number] for number in columns], reading) for name, estimates, reading in self.rows],
            signed=tuple(place for place, number in enumerate(columns) if number in self.signed),
        )

    def is_advantage(self, name: str, measure: str) -> bool:
        """Whether a significant number is in favour of what the row is about."""
        return (name, measure) in self.advantages

    def is_signed(self, name: str, column: int) -> bool:
        """Whether a number is a difference, which is printed with its sign."""
        return name in self.plain or column in self.signed


@dataclass(frozen=True)
class Section:
    """A template with what it needs; for a terminal, grids and lines that say where the rest is; for files, all tables.

    Without `tables`, files have the grids of a terminal. `files` are others that a report writes, by their names.
    """

    template: str
    context: Callable[[Finding], dict[str, Any]]
    grids: Callable[[Finding], list[EstimateGrid]]
    lines: Callable[[Finding], list[str]]
    tables: Callable[[Finding], list[EstimateGrid]] | None = None
    files: Callable[[Finding], Mapping[str, str]] | None = None
    answers_first: bool = False  # in a terminal: where its lines do not say what the verdicts say
    brief_table: str = ""  # the template of the table of a brief report; without one, the first grid of a terminal
    brief_figure: str = ""  # the name of its figure; without one, the first
    small: str = ""  # what the mark for few items means here, where it is something else than items


def find_estimate(finding: Finding, measure: str, slice_: Slice) -> Estimate | None:
    """The estimate, or None where none was taken."""
    return finding.get(measure, **slice_) if finding.has(measure, **slice_) else None


def estimate_row(finding: Finding, title: str, slice_: Slice, measures: Sequence[str]) -> EstimateRow:
    """The row of a grid: several measures of one slice."""
    return (title, [find_estimate(finding, measure, slice_) for measure in measures], None)


def evidence_slices(finding: Finding, own: Sequence[str]) -> list[dict[str, str]]:
    """The slices beyond everything, in order of appearance; `own` keys are the section's, not the evidence's."""
    parts = [{key: value for key, value in m.slice.items() if key not in own} for m in finding]
    return [dict(part) for part in dict.fromkeys(tuple(part.items()) for part in parts) if part]


def slice_title(part: Slice) -> str:
    """How a slice of the evidence is called."""
    if dict(part) == SHORT:
        return "Short items (fewer than 100 characters)"
    return ", ".join(f"{key}: {value}" for key, value in part.items())
