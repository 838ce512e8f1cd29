"""evenhand sample plan: which items people will label, settled and sealed before anybody has seen one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import typer

from evenhand.choices import NUMBER, TEXT, WHOLE, Choice, Flag, Names, Number, Text, Whole, given
from evenhand.cli.options import only, option, with_options
from evenhand.cli.sample.choices import Labour, Promise

if TYPE_CHECKING:
    from evenhand.audits.measurement.planning import Made


class Columns(TypedDict):
    """What the columns of the items are."""

    id: Annotated[Text, Choice("Id column; `id` where there is one, else the number of the row.")]
    score: Annotated[Text, Choice("Column of a classifier's score, from 0 to 1.")]
    scale: Annotated[Text, Choice("How it is written: probability (default), percent or logit.")]
    by: Annotated[Names, Choice("Columns (language, community) whose values are also estimated apart, by commas.")]
    text: Annotated[Text, Choice("Column that annotators see: the text; `text` where there is one.")]
    context: Annotated[Text, Choice("Column that annotators see: what came before; `context` where there is one.")]
    link: Annotated[Text, Choice("Column that annotators see: where it is; `link` where there is one.")]
    decision: Annotated[
        Text, Choice("Column of decisions (removed: yes or no): removed and visible items are two pools.")
    ]
    removes: Annotated[Names, Choice("The decisions that take an item down, by commas, where they are words.")]
    cluster: Annotated[Text, Choice("For --design clusters: the column of threads or authors.")]


class Designed(TypedDict):
    """How items are drawn: the design, settings of the stratified one, and the seed."""

    design: Annotated[
        str, TEXT, Choice("score-driven, random, stratified, clusters or sequential.", default="score-driven")
    ]
    strata: Annotated[Text, Choice("For stratified: quantile (default), equal-width, or none but those of --by.")]
    count: Annotated[Whole, Choice("For stratified: so many parts of the score (8).")]
    allocation: Annotated[Text, Choice("For stratified: optimal (default), proportional, equal or pilot.")]
    pilot: Annotated[Whole, Choice("For the allocation pilot: labels of each stratum in the first batch (50).")]
    seed: Annotated[int, WHOLE, Choice("Seed of all draws.", default=0)]


class Wished(TypedDict):
    """How many labels, where no promise says it, and what is planned for."""

    n: Annotated[Text, Choice("How many labels: a number, or all for a census.")]
    prevalence: Annotated[Number, Choice("The share of violating items to plan for, instead of the score's own.")]
    level: Annotated[float, NUMBER, Choice("Level of the intervals.", default=0.95)]


class Purpose(TypedDict):
    """What has to be said before any number."""

    ground_truth: Annotated[
        str, TEXT, Choice("What counts as violating: illegal content, terms and conditions, …", default="")
    ]
    codebook: Annotated[
        str, TEXT, Choice("The codebook that annotators follow: a name and version, or a link.", default="")
    ]
    population: Annotated[str, TEXT, Choice("What the items are: visible, notified or all content.", default="all")]
    period: Annotated[str, TEXT, Choice("Of which time the items are.", default="")]


@with_options
def plan(
    items: Annotated[Path, typer.Argument(help="All items of the population, a row each.", show_default=False)],
    out: Annotated[Path, option("Where to write the plan, as JSON.", "--out", "-o")],
    columns: Columns,
    designed: Designed,
    promise: Annotated[
        Promise, only("cv", "width", "below", within="Instead, a promise: within this share of the truth (0.2).")
    ],
    wished: Wished,
    purpose: Purpose,
    labour: Labour,
    json: Annotated[Flag, Choice("Print the plan without its cells as JSON, and nothing else.")],
) -> None:
    """Plan a measurement: how many items of which kind people label, sealed so that it cannot be changed later."""
    from evenhand.audits.measurement.items import Roles
    from evenhand.audits.measurement.planning import make_plan
    from evenhand.audits.measurement.wish import Wish
    from evenhand.cli.progress import progress_bar
    from evenhand.files import check_writable
    from evenhand.sampling.plan import Measurement, design_named
    from evenhand.sampling.storage import check_free, write_plan

    check_writable(out.parent)
    check_free(out)
    metric = "recall, precision, F1, accuracy" if columns["decision"] else "prevalence"
    with progress_bar() as progress:
        made = make_plan(
            items,
            out,
            roles=Roles.of(given(columns)),
            design=design_named(designed["design"], _settings(designed)),
            wish=Wish.of(wished["n"], promise, wished["prevalence"], wished["level"]),
            measurement=Measurement(**purpose, metric=metric),
            seed=designed["seed"],
            progress=progress,
        )
    write_plan(made.plan, out)
    _show(made, out, labour, as_json=json)


def _settings(designed: Designed) -> dict[str, Any]:
    from evenhand.errors import InputError

    said = {name: value for name, value in given(designed).items() if name not in ("design", "seed")}
    if said and designed["design"] != "stratified":
        raise InputError("--strata, --count, --allocation and --pilot go with --design stratified")
    if "strata" in said:
        said["score"] = None if (by := said.pop("strata")) == "none" else by
    if "pilot" in said:
        said.setdefault("allocation", "pilot")
    return said


def _show(made: Made, out: Path, labour: Labour, *, as_json: bool | None) -> None:
    import json
    import shlex

    from evenhand.audits.measurement.summary import plan_lines, plan_summary

    if as_json:
        print(json.dumps(plan_summary(made, **labour), indent=1, ensure_ascii=False))
        return
    print(f"{out}: " + "\n".join(plan_lines(made, **labour, file=shlex.quote(str(out)))))
