"""evenhand sample plan: which items people will label, settled and sealed before anybody has seen one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli.options import Number, Text, Whole, listed, option

if TYPE_CHECKING:
    from evenhand.audits.measurement.planning import Made


def plan(
    items: Annotated[Path, typer.Argument(help="All items of the population, a row each.", show_default=False)],
    out: Annotated[Path, option("Where to write the plan, as JSON.", "--out", "-o")],
    id: Annotated[Text, option("Id column; `id` where there is one, else the number of the row.", "--id")] = None,
    score: Annotated[Text, option("Column of a classifier's score, from 0 to 1.", "--score")] = None,
    scale: Annotated[Text, option("How it is written: probability (default), percent or logit.")] = None,
    by: Annotated[
        Text, option("Columns (language, community) whose values are also estimated apart, by commas.")
    ] = None,
    text: Annotated[Text, option("Column that annotators see: the text; `text` where there is one.")] = None,
    context: Annotated[
        Text, option("Column that annotators see: what came before; `context` where there is one.")
    ] = None,
    link: Annotated[Text, option("Column that annotators see: where it is; `link` where there is one.")] = None,
    decision: Annotated[
        Text, option("Column of decisions (removed: yes or no): removed and visible items are two pools.")
    ] = None,
    removes: Annotated[Text, option("The decisions that take an item down, by commas, where they are words.")] = None,
    cluster: Annotated[Text, option("For --design clusters: the column of threads or authors.")] = None,
    design: Annotated[
        str, typer.Option(help="score-driven, random, stratified, clusters or sequential.")
    ] = "score-driven",
    strata: Annotated[
        Text, option("For stratified: quantile (default), equal-width, or none but those of --by.")
    ] = None,
    count: Annotated[Whole, option("For stratified: so many parts of the score (8).")] = None,
    allocation: Annotated[Text, option("For stratified: optimal (default), proportional, equal or pilot.")] = None,
    pilot: Annotated[Whole, option("For the allocation pilot: labels of each stratum in the first batch (50).")] = None,
    n: Annotated[Text, option("How many labels: a number, or all for a census.", "--n")] = None,
    within: Annotated[Number, option("Instead, a promise: within this share of the truth (0.2).")] = None,
    cv: Annotated[Number, option("Promise: this coefficient of variation.")] = None,
    width: Annotated[Number, option("Promise: an interval this wide from end to end.")] = None,
    below: Annotated[Number, option("Promise, one-sided: shown to be below this safe level.")] = None,
    prevalence: Annotated[
        Number, option("The share of violating items to plan for, instead of the score's own.")
    ] = None,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of all draws.")] = 0,
    ground_truth: Annotated[str, option("What counts as violating: illegal content, terms and conditions, …")] = "",
    codebook: Annotated[str, option("The codebook that annotators follow: a name and version, or a link.")] = "",
    population: Annotated[str, option("What the items are: visible, notified or all content (all).")] = "all",
    period: Annotated[str, option("Of which time the items are.")] = "",
    per_hour: Annotated[float, typer.Option(help="Items that an annotator labels in an hour.")] = 600.0,
    annotators: Annotated[int, typer.Option(help="Annotators who label each item.")] = 1,
    json: Annotated[bool, option("Print the plan without its cells as JSON, and nothing else.", "--json")] = False,
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
    roles = Roles(
        id=id,
        score=score,
        scale=scale or "probability",
        by=tuple(listed(by) or ()),
        text=text,
        context=context,
        link=link,
        decision=decision,
        removes=tuple(listed(removes) or ()),
        cluster=cluster,
    )
    wish = Wish.of(n, {"within": within, "cv": cv, "width": width, "below": below}, prevalence, level)
    settings = _settings(design, strata, count, allocation, pilot)
    metric = "recall, precision, F1, accuracy" if decision else "prevalence"
    with progress_bar() as progress:
        made = make_plan(
            items,
            out,
            roles=roles,
            design=design_named(design, settings),
            wish=wish,
            measurement=Measurement(ground_truth, codebook, population, period, metric),
            seed=seed,
            progress=progress,
        )
    write_plan(made.plan, out)
    _show(made, out, per_hour, annotators, as_json=json)


def _settings(
    design: str, strata: str | None, count: int | None, allocation: str | None, pilot: int | None
) -> dict[str, Any]:
    from evenhand.errors import InputError

    given = {"score": strata, "count": count, "allocation": allocation, "pilot": pilot}
    said: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if said and design != "stratified":
        raise InputError("--strata, --count, --allocation and --pilot go with --design stratified")
    if said.get("score") == "none":
        said["score"] = None
    if "pilot" in said:
        said.setdefault("allocation", "pilot")
    return said


def _show(made: Made, out: Path, per_hour: float, annotators: int, *, as_json: bool) -> None:
    import json
    import shlex

    from evenhand.audits.measurement.summary import plan_lines, plan_summary

    if as_json:
        print(json.dumps(plan_summary(made, per_hour, annotators), indent=1, ensure_ascii=False))
        return
    print(f"{out}: " + "\n".join(plan_lines(made, per_hour, annotators, file=shlex.quote(str(out)))))
