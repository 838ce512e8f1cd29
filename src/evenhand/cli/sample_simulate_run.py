"""The work behind `evenhand sample simulate`, apart from its options."""

from __future__ import annotations

import sys
from pathlib import Path

from evenhand.audits.simulation import Asked, SimulationSettings, open_scenes, simulate
from evenhand.cli.audit_run import show
from evenhand.cli.options import listed
from evenhand.cli.progress import progress_bar
from evenhand.errors import InputError
from evenhand.files import check_writable
from evenhand.reports import Report

OUT = Path("evenhand-simulation")


def run(
    file: str, asked: Asked, settings: SimulationSettings, *, query: str | None, out: Path | None, shown: str
) -> None:
    """Open, simulate, save, print."""
    folder = out or (OUT if shown == "table" else None)
    if folder:
        check_writable(folder)
    with progress_bar() as progress:
        opened = open_scenes(file, asked, query=query, seed=settings.seed, progress=progress)
        report = Report((simulate(opened, settings, progress),), file)
        if folder:
            report.save(folder, progress=progress)
    show(report, shown)
    if folder:
        print(f"\nreport: {folder / 'report.html'}", file=sys.stdout if shown == "table" else sys.stderr)


def wholes(text: str | None, name: str) -> tuple[int, ...] | None:
    """Whole numbers separated by commas."""
    try:
        return None if text is None else tuple(int(part) for part in listed(text) or ())
    except ValueError:
        raise InputError(f"{name} takes whole numbers separated by commas, not '{text}'") from None
