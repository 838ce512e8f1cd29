"""Tables 1 to 3, and the numbers behind the figures: every measure at every capacity."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.audits.collaboration.settings import PAPER_CAPACITIES
from evenhand.catalogue import Measure
from evenhand.catalogue.collaboration import (
    CALIBRATION_AUPRC,
    CALIBRATION_AUROC,
    OC_ACCURACY,
    OC_AUPRC,
    OC_AUROC,
    REVIEW_EFFECTIVENESS,
    REVIEW_EFFICIENCY,
)
from evenhand.catalogue.shared import ACCURACY, AUPRC, AUROC, BRIER, ECE
from evenhand.finding import SliceKey
from evenhand.reproduce.collaboration.runs import LOSSES, METHODS, STRATEGIES, UNCERTAIN_FIRST, AuditedEnvironment
from evenhand.reproduce.result import ReproducedCell, ReproducedRow, ReproducedTable, cells_beside
from evenhand.reproduce.workspace import published_tables, published_values
from evenhand.routing.strategies import ReviewBasis, parse_strategy

SCORE_MEASURES = (AUROC, AUPRC, ACCURACY, ECE, BRIER)
UNCERTAINTY_MEASURES = (CALIBRATION_AUROC, CALIBRATION_AUPRC)
CAPACITY_MEASURES = (OC_AUROC, OC_AUPRC, OC_ACCURACY, REVIEW_EFFICIENCY, REVIEW_EFFECTIVENESS)
PAPER_TITLES = {  # what the paper calls otherwise
    ACCURACY: "Acc",
    CALIBRATION_AUROC: "Cal. AUROC",
    CALIBRATION_AUPRC: "Cal. AUPRC",
    OC_ACCURACY: "OC-Acc",
}
FIGURES = {
    ("test", OC_AUROC): "2",
    ("deployment", OC_AUROC): "3",
    ("test", OC_AUPRC): "7",
    ("deployment", OC_AUPRC): "8",
    ("test", OC_ACCURACY): "9",
    ("deployment", OC_ACCURACY): "10",
    ("test", REVIEW_EFFICIENCY): "4 and 11",
    ("deployment", REVIEW_EFFICIENCY): "4 and 12",
    ("test", REVIEW_EFFECTIVENESS): "13",
    ("deployment", REVIEW_EFFECTIVENESS): "14",
}
DIFFERENCES_NOTE = (
    "The paper: BERT-base, Wikipedia talk pages against a million CivilComments, ten runs. Another encoder, other "
    "comments and another balance of classes give other numbers; compare the order of methods and what a strategy does."
)


def paper_title(measure: Measure) -> str:
    """As the paper heads a column."""
    return PAPER_TITLES.get(measure, measure.title)


def environment_tables(audited: AuditedEnvironment) -> Iterator[ReproducedTable]:
    """Of one environment."""
    yield _metrics_table(audited)
    yield from (_capacity_table(audited, measure) for measure in CAPACITY_MEASURES)


def data_description(audited: AuditedEnvironment) -> str:
    """What it was measured on, and over how many runs."""
    counts: dict[str, int] = {}
    for run in audited.environment.runs:
        counts[run.method] = max(counts.get(run.method, 0), _run_count(audited, run.method, run.loss))
    runs = ", ".join(f"{METHODS[method]} {counts[method]}" for method in METHODS if method in counts)
    rows, share = len(audited.environment.frame), 100.0 * audited.violating_share
    items = f"{rows:,} items ({audited.title}), {share:.1f} % violating"
    return f"{items}; means over runs, the lowest and highest ({runs})"


def _run_count(audited: AuditedEnvironment, method: str, loss: str) -> int:
    return sum((run.method, run.loss) == (method, loss) for run in audited.environment.runs)


def _metrics_table(audited: AuditedEnvironment) -> ReproducedTable:
    """Tables 2 and 3; Table 1 is part of both."""
    name = audited.environment.name
    number = {"test": 2, "deployment": 3}[name]
    printed = published_tables("collaboration")[f"table_{number}_{name}"]
    rows: list[ReproducedRow] = []
    for loss, method in audited.settings:
        known = printed.get(loss, {}).get(method, {})
        ours = [audited.estimate(loss, method, m) for m in SCORE_MEASURES]
        ours += [audited.estimate(loss, method, m, **UNCERTAIN_FIRST) for m in UNCERTAINTY_MEASURES]
        theirs = published_values(known, (*SCORE_MEASURES, *UNCERTAINTY_MEASURES))
        rows.append((f"{LOSSES[loss]}: {METHODS[method]}", cells_beside(ours, theirs)))
    lacking = "The paper's Table 2 is legible only in its last column." if name == "test" else ""
    return ReproducedTable(
        f"table_{number}",
        f"Tables 1 and {number}: {audited.title}",
        "loss and method",
        tuple(paper_title(measure) for measure in (*SCORE_MEASURES, *UNCERTAINTY_MEASURES)),
        tuple(rows),
        on=data_description(audited),
        digits=4,
        notes=(DIFFERENCES_NOTE, *([lacking] if lacking else [])),
    )


def _capacity_table(audited: AuditedEnvironment, measure: Measure) -> ReproducedTable:
    """The numbers of a figure."""
    name = audited.environment.name
    rows: list[ReproducedRow] = []
    for loss, method in audited.settings:
        for strategy in STRATEGIES:
            estimates = [
                audited.estimate(loss, method, measure, strategy=strategy, capacity=c) for c in PAPER_CAPACITIES
            ]
            rows.append((f"{LOSSES[loss]}: {METHODS[method]}, {strategy}", tuple(ReproducedCell(e) for e in estimates)))
    return ReproducedTable(
        f"{measure}_{name}",
        f"Figure {FIGURES[name, measure]}: {paper_title(measure)}, {audited.title}",
        "loss, method and strategy",
        tuple(f"{100 * float(c):g} %" for c in PAPER_CAPACITIES),
        tuple(rows),
        on=data_description(audited),
        digits=4,
        notes=("The paper draws these curves and prints no numbers.",),
    )


def model_uncertainty_table(audited: AuditedEnvironment, alone: AuditedEnvironment) -> ReproducedTable:
    """Beyond the paper: the variance of p over samples or members alone, beside p(1 − p), as a review score."""
    rows: list[ReproducedRow] = []
    for loss, method in alone.settings:
        cells = [ReproducedCell(audited.estimate(loss, method, m, **UNCERTAIN_FIRST)) for m in UNCERTAINTY_MEASURES]
        cells += [
            ReproducedCell(alone.estimate(loss, method, m, strategy=_supplied_strategy(alone)))
            for m in UNCERTAINTY_MEASURES
        ]
        rows.append((f"{LOSSES[loss]}: {METHODS[method]}", tuple(cells)))
    name = audited.environment.name
    return ReproducedTable(
        f"model_uncertainty_{name}",
        f"Beyond the paper: how well model uncertainty alone finds errors, {audited.title}",
        "loss and method",
        tuple(f"{paper_title(m)}, {of}" for of in ("p(1 − p)", "Var p") for m in UNCERTAINTY_MEASURES),
        tuple(rows),
        on=data_description(audited),
        digits=4,
    )


def _supplied_strategy(alone: AuditedEnvironment) -> str:
    """What the audit calls the column that was supplied."""
    strategies = alone.finding.values(SliceKey.STRATEGY)
    return next(name for name in strategies if parse_strategy(name).basis is ReviewBasis.COLUMN)
