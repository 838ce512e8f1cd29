"""Findings in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evenhand.estimate import Estimate
from evenhand.finding import Finding
from evenhand.reports import words
from evenhand.reports.section import Grid
from evenhand.reports.summary import Summary, summary
from evenhand.reports.table import SECTIONS

WIDE = 120  # columns; in a narrower terminal some are left to the report
MARKS = {
    "stands_out": ("●", "stands out among all comparisons made"),
    "small": ("°", "too few items to say much"),
    "best": ("*", "the best of its column"),
}


def show(findings: Sequence[Finding], console: Console) -> None:
    """Print each finding: a question, tables, what to beware of."""
    for finding in findings:
        console.print()
        console.print(Text(finding.question, style="bold"))
        grids = _grids(finding, narrow=console.width < WIDE)
        for table in [_table(grid) for grid in grids] if grids else [_plain(finding)]:
            console.print(table)
            console.print()
        for line in _lines(finding):
            console.print(Text(line))
        if shown := _marks(finding, grids):
            console.print(Text(" · ".join(shown), style="dim"))
        for caveat in finding.caveats:
            console.print(Text(f"· {caveat}", style="dim"))
    if len(findings) > 1:
        _summary(summary(findings), console)


def _summary(whole: Summary, console: Console) -> None:
    """Last, where it is seen: what stands out, what does not, and what to do next."""
    console.print()
    console.print(Text("The whole in one minute", style="bold"))
    for _, heading, points in whole.by_status():
        console.print(Text(heading, style="bold"))
        for point in points:
            named = f"{point.audit}, {point.model}" if point.model else point.audit
            console.print(Text(f"· {named}: {point.found} {point.sure}".rstrip()))
    if steps := whole.next():
        console.print(Text("What to do next", style="bold"))
        for number, (step, _) in enumerate(steps, start=1):
            console.print(Text(f"{number}. {step}"))


def _grids(finding: Finding, *, narrow: bool) -> list[Grid]:
    """The tables as there is room for; none for an audit without a section."""
    section = SECTIONS.get(finding.audit)
    grids = section.grids(finding) if section else []
    return [grid.narrowed() for grid in grids] if narrow else [replace(grid, bare=False) for grid in grids]


def _marks(finding: Finding, grids: Sequence[Grid]) -> list[str]:
    """What the marks mean that were printed."""
    section = SECTIONS.get(finding.audit)
    own = {"small": section.small} if section and section.small else {}
    flags = {flag for grid in grids for _, found, _ in grid.rows for e in found if e for flag in e.flags}
    return [f"{mark} {own.get(flag, meaning)}" for flag, (mark, meaning) in MARKS.items() if flag in flags]


def _lines(finding: Finding) -> list[str]:
    """What is said beside the tables: where the rest is, or what was read from the numbers."""
    section = SECTIONS.get(finding.audit)
    if section is not None:
        return section.lines(finding)
    lines = ((", ".join(reading.slice.values()), reading.text) for reading in finding.readings)
    return [f"{name}: {text}" if name else text for name, text in lines]


def _table(grid: Grid) -> Table:
    title = Text(grid.title, style="bold")
    table = Table(title=title, title_justify="left", box=None, padding=(0, 1), pad_edge=False)
    table.add_column("", overflow="fold")
    for head in grid.titles:
        table.add_column(Text(head), justify="right")
    for name, estimates, _ in grid.rows:
        cells = enumerate(zip(grid.measures, estimates, strict=True))
        shown = (_cell(measure, e, signed=grid.is_signed(name, k), bare=grid.bare) for k, (measure, e) in cells)
        table.add_row(Text(name), *shown)
    return table


def _cell(measure: str, estimate: Estimate | None, *, signed: bool = False, bare: bool = False) -> Text:
    if estimate is None:
        return Text("")
    if estimate.value is None:
        return Text("undefined", style="dim")
    mark = "".join(mark for flag, (mark, _) in MARKS.items() if flag in estimate.flags)
    style = "bold" if "best" in estimate.flags else ""
    text = Text(words.number(measure, estimate.value, signed=signed) + mark, style=style)
    within = "" if bare else words.interval(measure, estimate, signed=signed, brief=True)
    return text.append(f"\n{within}", style="not bold dim") if within else text


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
