"""evenhand sample: how many labels a promise takes, what change they show; a plan, its batches, its estimate."""

from __future__ import annotations

import typer

from evenhand.cli.sample import compare, plan, simulate, size, work

app = typer.Typer(
    help="Which items people label, how many, and what their labels show.", no_args_is_help=True, rich_markup_mode=None
)
app.command("plan")(plan.plan)
app.command("draw")(work.draw)
app.command("estimate")(work.estimate)
app.command("compare")(compare.compare)
app.command("simulate")(simulate.simulate)
app.command("size")(size.size)
app.command("mde")(size.mde)
