"""Which formats tables can be written in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from evenhand.errors import InputError, nearest
from evenhand.finding import Finding
from evenhand.reports.papers.latex import latex
from evenhand.reports.papers.markdown import markdown
from evenhand.reports.papers.sheet import Sheet, sheets


class Format(NamedTuple):
    """How a table is set, and how its file ends."""

    suffix: str
    set: Callable[[Sheet], str]


FORMATS = {"markdown": Format(".md", markdown), "latex": Format(".tex", latex)}


def check_formats(names: Sequence[str]) -> None:
    """Fail before the work rather than after it."""
    for name in names:
        if name not in FORMATS:
            raise InputError(f"there are no tables in '{name}'; {nearest(name, FORMATS)}")


def tables(findings: Sequence[Finding], names: Sequence[str]) -> dict[str, str]:
    """Every table in each of the formats, by the name of its file."""
    check_formats(names)
    chosen = [FORMATS[name] for name in names]
    return {f"{sheet.name}{one.suffix}": one.set(sheet) for sheet in sheets(findings) for one in chosen}
