"""evenhand sample: how many labels a promise takes, what change they show; a plan, its batches, its estimate."""

from __future__ import annotations

import sys
from typing import Annotated, Any, Optional

import typer

from evenhand.cli import sample_compare, sample_plan, sample_simulate, sample_work
from evenhand.cli.options import Number, Text, Whole, option

app = typer.Typer(
    help="Which items people label, how many, and what their labels show.", no_args_is_help=True, rich_markup_mode=None
)
app.command("plan")(sample_plan.plan)
app.command("draw")(sample_work.draw)
app.command("estimate")(sample_work.estimate)
app.command("compare")(sample_compare.compare)
app.command("simulate")(sample_simulate.simulate)

Prevalence = Annotated[Number, option("The share of violating items to plan for.", "--prevalence")]
StrataFile = Annotated[
    Text, option("Instead: a table with a row a stratum, its items (or share) and its prevalence.", "--strata")
]
SizeColumn = Annotated[str, typer.Option("--size-column", help="In it: the column of items or shares.")]
RateColumn = Annotated[str, typer.Option("--rate-column", help="In it: the column of prevalences.")]
Items = Annotated[Whole, option("How many items there are, if they can run out.", "--items")]
Level = Annotated[float, typer.Option("--level", help="Level of the interval.")]
Json = Annotated[bool, option("Print the answer as JSON and nothing else.", "--json")]


@app.command("size")
def size(
    prevalence: Prevalence = None,
    strata: StrataFile = None,
    within: Annotated[Number, option("Promise: within this share of the prevalence, such as 0.2.")] = None,
    cv: Annotated[Number, option("Promise: this coefficient of variation.")] = None,
    width: Annotated[Number, option("Promise: an interval this wide from end to end.")] = None,
    below: Annotated[Number, option("Promise, one-sided: shown to be below this safe level.")] = None,
    level: Level = 0.95,
    items: Items = None,
    per_hour: Annotated[float, typer.Option("--per-hour", help="Items that an annotator labels in an hour.")] = 600.0,
    annotators: Annotated[int, typer.Option("--annotators", help="Annotators who label each item.")] = 1,
    size_column: SizeColumn = "items",
    rate_column: RateColumn = "prevalence",
    json: Json = False,
) -> None:
    """Say how many labels a promise about the prevalence takes, at random or in strata."""
    from evenhand.audits import sizing
    from evenhand.sampling import Size

    asked = sizing.target({"within": within, "cv": cv, "width": width, "below": below}, level)
    found = sizing.sizes(asked, prevalence=prevalence, strata=_strata(strata, size_column, rate_column), items=items)
    hours = Size(found["n"], found["standard_error"]).hours(per_hour=per_hour, annotators=annotators)
    _show(found | {"hours": hours}, _of_size(found, hours), json)


@app.command("mde")
def mde(
    prevalence: Prevalence = None,
    strata: StrataFile = None,
    n: Annotated[Whole, option("Labels in each of two periods: which change do they show?", "--n")] = None,
    effect: Annotated[Number, option("A change of the prevalence: how many labels a period show it?")] = None,
    items: Items = None,
    size_column: SizeColumn = "items",
    rate_column: RateColumn = "prevalence",
    json: Json = False,
) -> None:
    """Say what change between two periods can be seen (the minimum detectable effect), or what it takes."""
    from evenhand.audits import sizing

    variance = sizing.variance_of(prevalence=prevalence, strata=_strata(strata, size_column, rate_column))
    found = sizing.effects(variance, n=n, effect=effect, items=items)
    lines = [
        f"{rule}: {one['n']:,} labels a period show a change of {one['effect']:.4g}, found {one['found']:.0%} of the "
        f"time; false alarms {one['false_alarms']:.1%}."
        for rule, one in found["rules"].items()
    ]
    _show(found, lines, json)


def _strata(path: Optional[str], items: str, prevalence: str) -> Any:  # noqa: UP045
    from evenhand.audits.sizing import Strata

    return Strata.read(path, items=items, prevalence=prevalence) if path else None


def _of_size(found: dict[str, Any], hours: float) -> list[str]:
    lines = [f"{found['n']:,} labels, {hours:,.1f} hours, at a prevalence of {found['prevalence']:.4g}."]
    if found["census"]:
        lines.append("That is everything there is: label all items, and nothing is left to estimate.")
    if "random" in found:
        lines.append(f"At random it would take {found['random']:,}: strata save {found['saved']:.0%}.")
        lines += [f"  {name}: {n:,}" for name, n in found["strata"].items()]
    return lines


def _show(found: dict[str, Any], lines: list[str], as_json: bool) -> None:
    import json as form

    sys.stdout.write(form.dumps(found, indent=1, ensure_ascii=False) + "\n" if as_json else "\n".join(lines) + "\n")
