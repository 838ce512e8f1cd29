"""All that can be reproduced of the paper, from the probabilities of runs that were made elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from evenhand.audits.collaboration.settings import PAPER
from evenhand.figures import Figure
from evenhand.figures.collaboration.curves import curves
from evenhand.figures.collaboration.reliability import reliability
from evenhand.finding import Finding, Measured
from evenhand.reports import audit
from evenhand.reproduce.collaboration.claims import claims
from evenhand.reproduce.collaboration.runs import ENVIRONMENTS, LOSSES, METHODS, Audited, Environment, read
from evenhand.reproduce.collaboration.tables import AT, STRATEGIES, model_uncertainty, tables
from evenhand.reproduce.paper import Workplace
from evenhand.reproduce.result import Omission, Result, Table

RELIABLE = ("deterministic", "sngp")  # whose reliability the paper draws
SLIPS = (
    "Section 3 describes precision and recall of uncertainty in swapped words; its formulas, and Review Efficiency and "
    "Effectiveness, are right.",
    "Section 6.1 explains better accuracy in deployment by toxic examples being “slightly less rare” in CivilComments; "
    "by its own counts they are far rarer (2.5 % against 9.6 %).",
    "Figures 11 and 12 have the same caption.",
)


def reproduce(place: Workplace) -> Result:
    """Both environments, with every run that is there."""
    test, deployment = (_audited(place, environment) for environment in read(place.folder))
    result = Result(
        claims=tuple(claims(test, deployment)),
        slips=SLIPS,
        omissions=(Omission("Figure 1", "a drawing of the definitions; the audit counts its four cells"),),
        sources=(test.environment.facts, deployment.environment.facts),
    )
    for audited in (test, deployment):
        drawn = (*_curves(audited), *_reliability(audited))
        result += Result((*tables(audited), *_unsure(place, audited)), figures=drawn)
    return result


def _audited(place: Workplace, environment: Environment) -> Audited:
    columns = [run.column for run in environment.runs]
    report = audit(
        environment.frame.select("label", *columns),
        audits="collaboration",
        score=columns,
        label="label",
        capacities=list(PAPER),
        strategies=list(STRATEGIES),
        replicates=50,  # of the ECE's interval, which is not shown: runs differ by more
        seed=place.seed,
        progress=place.progress,
    )
    return Audited(environment, report.findings[0])


def _unsure(place: Workplace, audited: Audited) -> Iterator[Table]:
    """The variance over samples or members as a review score, where runs have one."""
    runs = audited.environment.unsure
    if not runs:
        return
    columns = {run.column: run.variance for run in runs}
    report = audit(
        audited.environment.frame.select("label", *columns, *columns.values()),
        audits="collaboration",
        score=list(columns),
        uncertainty=list(columns.values()),
        label="label",
        capacities=["0.01"],
        strategies=["uncertainty"],
        replicates=50,
        seed=place.seed,
        progress=place.progress,
    )
    alone = Audited(replace(audited.environment, runs=tuple(runs)), report.findings[0])
    yield model_uncertainty(audited, alone)


def _curves(audited: Audited) -> Iterator[Figure]:
    """Figures 2 to 4 and 7 to 14: a drawing for each loss, the band from the lowest run to the highest."""
    name = audited.environment.name
    for loss in LOSSES:
        measured = [
            Measured(measure, {"model": METHODS[method], "strategy": strategy, "capacity": capacity}, estimate)
            for method in audited.methods(loss)
            for measure in AT
            for strategy in STRATEGIES
            for capacity in PAPER
            if (estimate := audited.estimate(loss, method, measure, strategy=strategy, capacity=capacity))
        ]
        drawn = curves(Finding("collaboration", "", tuple(measured), (), {}))
        if drawn:
            title = f"Figures 2 to 4 and 7 to 14: {ENVIRONMENTS[name]}, {LOSSES[loss]}"
            caption = drawn.caption.replace("Bands are the intervals.", "Bands go from the lowest run to the highest.")
            yield replace(drawn, name=f"curves_{name}_{loss}", title=title, caption=caption)


def _reliability(audited: Audited) -> Iterator[Figure]:
    """Figures 5 and 6: of the first run of each."""
    name = audited.environment.name
    number = {"test": 5, "deployment": 6}[name]
    exhibits = {e.slice["model"]: e for e in audited.finding.exhibits if e.kind == "reliability"}
    for loss in LOSSES:
        for method in RELIABLE:
            run = next((r for r in audited.environment.runs if (r.method, r.loss) == (method, loss)), None)
            if run and run.column in exhibits:
                drawn = reliability(METHODS[method], exhibits[run.column])
                title = f"Figure {number}: {METHODS[method]}, {LOSSES[loss]}, {ENVIRONMENTS[name]}, one run"
                yield replace(drawn, name=f"reliability_{name}_{loss}_{method}", title=title, about={})
