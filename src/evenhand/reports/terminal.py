"""Findings printed in a terminal: tables that fit its width, sentences, the meaning of symbols, and the summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evenhand import catalogue, formatting
from evenhand.estimate import Estimate, Flag
from evenhand.finding import Finding
from evenhand.reports.audit_table import SECTIONS, summarise
from evenhand.reports.section import EstimateGrid
from evenhand.reports.summary import ReportSummary
from evenhand.visible_text import visible

ADVANTAGE = ("○", "statistically significant, in favour of the group")
WIDE_TERMINAL = 120  # columns; in a narrower terminal some are left to the report
MARKS: dict[str, tuple[str, str]] = {
    Flag.STANDS_OUT: ("●", "statistically significant after correction for multiple comparisons"),
    Flag.SMALL: ("°", "based on few items"),
    Flag.BEST: ("*", "best of its column"),
}


def terminal_text(text: str, style: str = "") -> Text:
    """A text with control characters made visible."""
    return Text(visible(text), style=style)


def print_findings(findings: Sequence[Finding], console: Console) -> None:
    """Print each finding: a question, tables, caveats."""
    for finding in findings:
        console.print()
        console.print(terminal_text(finding.question, style="bold"))
        for line in _answers(finding) if len(findings) == 1 else ():
            console.print(terminal_text(line))
            console.print()
        grids = _grids(finding, narrow=console.width < WIDE_TERMINAL)
        for table in [_table(grid) for grid in grids] if grids else [_plain_table(finding)]:
            console.print(table)
            console.print()
        for line in _lines(finding):
            console.print(terminal_text(line))
        if meanings := _mark_meanings(finding, grids):
            console.print(terminal_text(" · ".join(meanings), style="dim"))
        for caveat in finding.caveats:
            console.print(terminal_text(f"· {caveat}", style="dim"))
    if len(findings) > 1:
        _print_summary(summarise(findings), console)


def _answers(finding: Finding) -> list[str]:
    """What the finding amounts to, first; of several audits that is said once, in the summary."""
    section = SECTIONS.get(finding.audit)
    verdicts = finding.verdicts if section and section.answers_first else ()
    answers = ((", ".join(v.slice.values()), f"{v.statement} {v.certainty}".strip()) for v in verdicts)
    return [f"{name}: {text}" if name else text for name, text in answers]


def _print_summary(whole: ReportSummary, console: Console) -> None:
    """Last, where it is seen: conclusions and next steps."""
    console.print()
    console.print(Text("Summary", style="bold"))
    for _, heading, verdicts in whole.by_status():
        console.print(terminal_text(heading, style="bold"))
        for audit, verdict in verdicts:
            named = ", ".join((audit, *verdict.slice.values()))
            console.print(terminal_text(f"· {named}: {verdict.statement} {verdict.certainty}".rstrip()))
    if actions := whole.actions():
        console.print(Text("Next steps", style="bold"))
        for number, (action, _) in enumerate(actions, start=1):
            console.print(terminal_text(f"{number}. {action}"))


def _grids(finding: Finding, *, narrow: bool) -> list[EstimateGrid]:
    """The tables as there is room for; none for an audit without a section."""
    section = SECTIONS.get(finding.audit)
    grids = section.grids(finding) if section else []
    return [grid.narrowed() for grid in grids] if narrow else [replace(grid, bare=False) for grid in grids]


def _mark_meanings(finding: Finding, grids: Sequence[EstimateGrid]) -> list[str]:
    """The meaning of the symbols that were printed."""
    section = SECTIONS.get(finding.audit)
    own: dict[str, str] = {Flag.SMALL: section.small} if section and section.small else {}
    flags = {flag for grid in grids for _, estimates, _ in grid.rows for e in estimates if e for flag in e.flags}
    good = [" ".join(ADVANTAGE)] if any(grid.advantages for grid in grids) else []
    return [f"{mark} {own.get(flag, meaning)}" for flag, (mark, meaning) in MARKS.items() if flag in flags] + good


def _lines(finding: Finding) -> list[str]:
    """The sentences beside the tables: where the rest is, or the readings."""
    section = SECTIONS.get(finding.audit)
    if section is not None:
        return section.lines(finding)
    sentences = [(reading.slice, reading.text) for reading in finding.readings]
    sentences = sentences or [
        (verdict.slice, f"{verdict.statement} {verdict.certainty}".strip()) for verdict in finding.verdicts
    ]
    lines = ((", ".join(slice_.values()), text) for slice_, text in sentences)
    return [f"{name}: {text}" if name else text for name, text in lines]


def _table(grid: EstimateGrid) -> Table:
    title = terminal_text(grid.title, style="bold")
    table = Table(title=title, title_justify="left", box=None, padding=(0, 1), pad_edge=False)
    table.add_column("", overflow="fold")
    for head in grid.titles:
        table.add_column(terminal_text(head), justify="right")
    for name, estimates, _ in grid.rows:
        cells = enumerate(zip(grid.measures, estimates, strict=True))
        texts = (
            _cell(measure, e, signed=grid.is_signed(name, k), bare=grid.bare, good=grid.is_advantage(name, measure))
            for k, (measure, e) in cells
        )
        table.add_row(terminal_text(name), *texts)
    return table


def _cell(
    measure: str, estimate: Estimate | None, *, signed: bool = False, bare: bool = False, good: bool = False
) -> Text:
    if estimate is None:
        return Text("")
    if estimate.value is None:
        return Text("undefined", style="dim")
    mark = "".join(mark for flag, (mark, _) in MARKS.items() if flag in estimate.flags)
    mark = mark.replace(MARKS[Flag.STANDS_OUT][0], ADVANTAGE[0]) if good else mark
    style = "bold" if Flag.BEST in estimate.flags else ""
    text = Text(formatting.format_number(measure, estimate.value, signed=signed) + mark, style=style)
    within = "" if bare else formatting.format_interval(measure, estimate, signed=signed, brief=True)
    return text.append(f"\n{within}", style="not bold dim") if within else text


def _plain_table(finding: Finding) -> Table:
    table = Table(show_edge=False, pad_edge=False)
    for name in ("measure", "slice", "value", "interval", "n"):
        table.add_column(name, justify="left" if name in ("measure", "slice") else "right")
    for m in finding:
        e = m.estimate
        value = str(e.note) if e.value is None else formatting.format_number(m.measure, e.value)
        slice_ = ", ".join(m.slice.values())
        table.add_row(
            *(
                terminal_text(cell)
                for cell in (
                    catalogue.find_measure(m.measure).title,
                    slice_,
                    value,
                    formatting.format_interval(m.measure, e),
                    f"{e.n:,}",
                )
            )
        )
    return table
