"""How one audit is shown. Each has a row in `table.py`; without one it is shown as a plain table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from evenhand.estimate import Estimate
from evenhand.finding import Finding, Reading

Row = tuple[str, list[Estimate | None], Reading | None]


@dataclass(frozen=True)
class Grid:
    """Rows by columns of estimates, for a page or a terminal."""

    title: str
    measures: tuple[str, ...]
    rows: list[Row]
    plain: frozenset[str] = frozenset()  # rows of differences: signed and without colour
    brief: tuple[str, ...] = field(default=())  # the columns that a narrow terminal has room for


@dataclass(frozen=True)
class Section:
    """A template with what it needs; and for a terminal, grids and lines that say where the rest is."""

    template: str
    context: Callable[[Finding], dict[str, Any]]
    grids: Callable[[Finding], list[Grid]]
    lines: Callable[[Finding], list[str]]
