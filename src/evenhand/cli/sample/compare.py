"""evenhand sample compare: this period against the last, with an alarm."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from evenhand.cli.options import option


def compare(
    this: Annotated[
        str, typer.Argument(help="The findings of this period, as JSON: of an audit or of sample estimate.")
    ],
    last: Annotated[str, typer.Argument(help="The findings of the last period.")],
    rule: Annotated[
        str,
        typer.Option(
            "--rule", help="What raises an alarm: the difference itself, tested, or intervals that do not overlap."
        ),
    ] = "difference",
    fail_on_alarm: Annotated[bool, option("End with 1 if there is an alarm.", "--fail-on-alarm")] = False,
    json: Annotated[bool, option("Print the changes as JSON and nothing else.", "--json")] = False,
) -> None:
    """Say what changed between two periods, how sure that is, and whether it is cause for alarm."""
    import json as form

    from evenhand.audits.accuracy.comparing import compared
    from evenhand.audits.accuracy.periods import caveats
    from evenhand.reports.periods import lines, period

    now, before = period(this), period(last)
    found, beside = compared(now, before, rule=rule), caveats(now, before)
    records = {
        "rule": rule,
        "alarm": any(one.change.alarm for one in found),
        "caveats": beside,
        "changes": [one.record() for one in found],
    }
    said = form.dumps(records, indent=1, ensure_ascii=False) if json else "\n".join([*beside, *lines(found)])
    sys.stdout.write(said + "\n")
    if fail_on_alarm and records["alarm"]:
        raise typer.Exit(1)
