"""evenhand sample size and mde: how many labels a promise takes, and what change they show."""

from __future__ import annotations

import sys
from typing import Annotated, Any

from evenhand.choices import NUMBER, Choice, Flag, Number, Whole
from evenhand.cli.options import with_options
from evenhand.cli.sample.choices import Labour, Parts, Promise

Items = Annotated[Whole, Choice("How many items there are, if they can run out.")]
Json = Annotated[Flag, Choice("Print the answer as JSON and nothing else.")]


@with_options
def size(
    parts: Parts,
    promise: Promise,
    level: Annotated[float, NUMBER, Choice("Level of the interval.", default=0.95)],
    items: Items,
    labour: Labour,
    json: Json,
) -> None:
    """Say how many labels a promise about the prevalence takes, at random or in strata."""
    from evenhand.audits import sizing
    from evenhand.sampling import Size

    found = sizing.sizes(sizing.target(promise, level), items=items, **_planned(parts))
    hours = Size(found["n"], found["standard_error"]).hours(**labour)
    _show(found | {"hours": hours}, _of_size(found, hours), as_json=json)


@with_options
def mde(
    parts: Parts,
    n: Annotated[Whole, Choice("Labels in each of two periods: which change do they show?")],
    effect: Annotated[
        Number, Choice("A change of the prevalence, 0.01 for one point: how many labels a period show it?")
    ],
    items: Items,
    json: Json,
) -> None:
    """Say what change between two periods can be seen (the minimum detectable effect), or what it takes."""
    from evenhand.audits import sizing

    found = sizing.effects(sizing.variance_of(**_planned(parts)), n=n, effect=effect, items=items)
    lines = [
        f"{rule}: {one['n']:,} labels a period show a change of {100 * one['effect']:#.3g} percentage points, found "
        f"{one['found']:.0%} of the time; false alarms {one['false_alarms']:.1%}."
        for rule, one in found["rules"].items()
    ]
    _show(found, lines, as_json=json)


def _planned(parts: Parts) -> dict[str, Any]:
    from evenhand.audits.sizing import Strata

    named = {"items": parts["size_column"], "prevalence": parts["rate_column"]}
    strata = Strata.read(parts["strata"], **named) if parts["strata"] else None
    return {"prevalence": parts["prevalence"], "strata": strata}


def _of_size(found: dict[str, Any], hours: float) -> list[str]:
    lines = [f"{found['n']:,} labels, {hours:,.1f} hours, at a prevalence of {found['prevalence']:.4g}."]
    if found["census"]:
        lines.append("That is everything there is: label all items, and nothing is left to estimate.")
    if "random" in found:
        lines.append(f"At random it would take {found['random']:,}: strata save {found['saved']:.0%}.")
        lines += [f"  {name}: {n:,}" for name, n in found["strata"].items()]
    return lines


def _show(found: dict[str, Any], lines: list[str], *, as_json: bool | None) -> None:
    import json as form

    sys.stdout.write(form.dumps(found, indent=1, ensure_ascii=False) + "\n" if as_json else "\n".join(lines) + "\n")
