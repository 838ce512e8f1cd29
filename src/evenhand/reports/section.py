"""How one audit is shown. Each has a row in `table.py`; without one it is shown as a plain table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from evenhand.estimate import Estimate
from evenhand.finding import Finding, Reading
from evenhand.reports.words import word

Row = tuple[str, list[Estimate | None], Reading | None]


@dataclass(frozen=True)
class Grid:
    """Rows by columns of estimates, for a page or a terminal."""

    title: str
    measures: tuple[str, ...]
    rows: list[Row]
    plain: frozenset[str] = frozenset()  # rows of differences: signed and without colour
    brief: tuple[str, ...] = field(default=())  # the columns that a narrow terminal has room for
    heads: tuple[str, ...] = field(default=())  # of the columns, where they are not just the measures
    bare: bool = False  # a narrow terminal has no room for intervals
    signed: tuple[int, ...] = ()  # columns of differences

    @property
    def titles(self) -> tuple[str, ...]:
        """What stands above each column."""
        return self.heads or tuple(word(measure).label for measure in self.measures)

    def narrowed(self) -> Grid:
        """With the brief columns only, if some are."""
        kept = [number for number, measure in enumerate(self.measures) if not self.brief or measure in self.brief]
        return replace(
            self,
            measures=tuple(self.measures[number] for number in kept),
            heads=tuple(self.titles[number] for number in kept),
            rows=[(name, [found[number] for number in kept], reading) for name, found, reading in self.rows],
            signed=tuple(place for place, number in enumerate(kept) if number in self.signed),
        )

    def is_signed(self, name: str, column: int) -> bool:
        """Whether a number is a difference, which is printed with its sign."""
        return name in self.plain or column in self.signed


@dataclass(frozen=True)
class Section:
    """A template with what it needs; for a terminal, grids and lines that say where the rest is; for files, all tables.

    Without `tables`, files have the grids of a terminal.
    """

    template: str
    context: Callable[[Finding], dict[str, Any]]
    grids: Callable[[Finding], list[Grid]]
    lines: Callable[[Finding], list[str]]
    tables: Callable[[Finding], list[Grid]] | None = None
    small: str = ""  # what the mark for few items means here, where it is something else than items
