"""evenhand agreement: do two bias findings agree on the worst groups?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def agreement(
    first: Annotated[
        Path, typer.Argument(help="findings.json of one bias audit, of real data say.", show_default=False)
    ],
    second: Annotated[Path, typer.Argument(help="findings.json of another, of template data say.", show_default=False)],
    json: Annotated[bool, typer.Option("--json", help="Print the finding as JSON and nothing else.")] = False,
) -> None:
    """Compare two bias findings: do they rank the groups alike, and which are among the worst in both?"""
    from evenhand.audits.bias.agreement import agreement as compare
    from evenhand.cli.output import show
    from evenhand.reports import Report, load

    findings = [load(path, audit="bias") for path in (first, second)]
    show(Report((compare(*findings),)), "json" if json else "table")
