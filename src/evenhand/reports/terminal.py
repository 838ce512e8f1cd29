"""Findings in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evenhand.estimate import Estimate
from evenhand.finding import Finding
from evenhand.reports import words
from evenhand.reports.section import Grid
from evenhand.reports.table import SECTIONS

WIDE = 120  # columns; in a narrower terminal some are left to the report


def show(findings: Sequence[Finding], console: Console) -> None:
    """Print each finding: a question, tables, what to beware of."""
    for finding in findings:
        console.print()
        console.print(Text(finding.question, style="bold"))
        for table in _tables(finding, narrow=console.width < WIDE):
            console.print(table)
            console.print()
        for line in _lines(finding):
            console.print(Text(line))
        if any(measured.estimate.flags for measured in finding):
            console.print(Text("● stands out among all comparisons made · ° too few items to say much", style="dim"))
        for caveat in finding.caveats:
            console.print(Text(f"· {caveat}", style="dim"))


def _tables(finding: Finding, *, narrow: bool) -> Iterator[Table]:
    section = SECTIONS.get(finding.audit)
    if section is None:
        yield _plain(finding)
        return
    for grid in section.grids(finding):
        yield _table(grid, grid.brief if narrow and grid.brief else grid.measures)


def _lines(finding: Finding) -> list[str]:
    """What is said beside the tables: where the rest is, or what was read from the numbers."""
    section = SECTIONS.get(finding.audit)
    if section is not None:
        return section.lines(finding)
    lines = ((", ".join(reading.slice.values()), reading.text) for reading in finding.readings)
    return [f"{name}: {text}" if name else text for name, text in lines]


def _table(grid: Grid, measures: Sequence[str]) -> Table:
    title = Text(grid.title, style="bold")
    table = Table(title=title, title_justify="left", box=None, padding=(0, 1), pad_edge=False)
    table.add_column("", overflow="fold")
    for measure in measures:
        table.add_column(words.word(measure).label, justify="right")
    for name, estimates, _ in grid.rows:
        found = dict(zip(grid.measures, estimates, strict=True))
        table.add_row(Text(name), *(_cell(measure, found[measure], signed=name in grid.plain) for measure in measures))
    return table


def _cell(measure: str, estimate: Estimate | None, *, signed: bool = False) -> Text:
    if estimate is None:
        return Text("")
    if estimate.value is None:
        return Text("undefined", style="dim")
    mark = "●" if "stands_out" in estimate.flags else ""
    mark += "°" if "small" in estimate.flags else ""
    text = Text(words.number(measure, estimate.value, signed=signed) + mark)
    within = words.interval(measure, estimate, signed=signed, brief=True)
    return text.append(f"\n{within}", style="dim") if within else text


def _plain(finding: Finding) -> Table:
    table = Table(show_edge=False, pad_edge=False)
    for name in ("measure", "slice", "value", "interval", "n"):
        table.add_column(name, justify="left" if name in ("measure", "slice") else "right")
    for m in finding:
        e = m.estimate
        value = str(e.note) if e.value is None else words.number(m.measure, e.value)
        slice_ = ", ".join(m.slice.values())
        table.add_row(
            *(
                Text(cell)
                for cell in (words.word(m.measure).label, slice_, value, words.interval(m.measure, e), f"{e.n:,}")
            )
        )
    return table
