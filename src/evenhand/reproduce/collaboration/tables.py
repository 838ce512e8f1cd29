"""Tables 1 to 3, and the numbers behind the figures: every measure at every capacity."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.audits.collaboration.settings import PAPER
from evenhand.reproduce.collaboration.runs import ENVIRONMENTS, LOSSES, METHODS, Audited
from evenhand.reproduce.published import published
from evenhand.reproduce.result import Cell, Row, Table

PLAIN = {"auroc": "AUROC", "auprc": "AUPRC", "accuracy": "Acc", "ece": "ECE", "brier": "Brier"}
UNSURE = {"calibration_auroc": "Cal. AUROC", "calibration_auprc": "Cal. AUPRC"}
AT = {
    "oc_auroc": "OC-AUROC",
    "oc_auprc": "OC-AUPRC",
    "oc_accuracy": "OC-Acc",
    "review_efficiency": "Review Efficiency",
    "review_effectiveness": "Review Effectiveness",
}
FIGURES = {
    ("test", "oc_auroc"): "2",
    ("deployment", "oc_auroc"): "3",
    ("test", "oc_auprc"): "7",
    ("deployment", "oc_auprc"): "8",
    ("test", "oc_accuracy"): "9",
    ("deployment", "oc_accuracy"): "10",
    ("test", "review_efficiency"): "4 and 11",
    ("deployment", "review_efficiency"): "4 and 12",
    ("test", "review_effectiveness"): "13",
    ("deployment", "review_effectiveness"): "14",
}
STRATEGIES = ("uncertainty", "toxicity")
WHY = (
    "The paper: BERT-base, Wikipedia talk pages against a million CivilComments, ten runs. Another encoder, other "
    "comments and another balance of classes give other numbers; compare the order of methods and what a strategy does."
)


def tables(audited: Audited) -> Iterator[Table]:
    """Of one environment."""
    yield _metrics(audited)
    yield from (_at(audited, measure) for measure in AT)


def told(audited: Audited) -> str:
    """What it was measured on, and over how many runs."""
    counts: dict[str, int] = {}
    for run in audited.environment.runs:
        counts[run.method] = max(counts.get(run.method, 0), _runs(audited, run.method, run.loss))
    runs = ", ".join(f"{METHODS[method]} {counts[method]}" for method in METHODS if method in counts)
    rows, share = len(audited.environment.frame), 100.0 * float(audited.environment.frame["label"].mean() or 0.0)  # type: ignore[arg-type]
    where = ENVIRONMENTS[audited.environment.name]
    return f"{rows:,} items ({where}), {share:.1f} % violating; means over runs, the lowest and highest ({runs})"


def _runs(audited: Audited, method: str, loss: str) -> int:
    return sum((run.method, run.loss) == (method, loss) for run in audited.environment.runs)


def _metrics(audited: Audited) -> Table:
    """Tables 2 and 3; Table 1 is part of both."""
    name = audited.environment.name
    number = {"test": 2, "deployment": 3}[name]
    printed = published("collaboration")[f"table_{number}_{name}"]
    rows: list[Row] = []
    for loss, method in audited.settings:
        known = printed.get(loss, {}).get(method, {})
        cells = [Cell(audited.estimate(loss, method, m), known.get(m)) for m in PLAIN]
        cells += [Cell(audited.estimate(loss, method, m, strategy="uncertainty"), known.get(m)) for m in UNSURE]
        rows.append((f"{LOSSES[loss]}: {METHODS[method]}", tuple(cells)))
    lacking = "The paper's Table 2 is legible only in its last column." if name == "test" else ""
    return Table(
        f"table_{number}",
        f"Tables 1 and {number}: {ENVIRONMENTS[name]}",
        "loss and method",
        (*PLAIN.values(), *UNSURE.values()),
        tuple(rows),
        on=told(audited),
        digits=4,
        notes=(WHY, *([lacking] if lacking else [])),
    )


def _at(audited: Audited, measure: str) -> Table:
    """The numbers of a figure."""
    name = audited.environment.name
    rows: list[Row] = []
    for loss, method in audited.settings:
        for strategy in STRATEGIES:
            found = [audited.estimate(loss, method, measure, strategy=strategy, capacity=c) for c in PAPER]
            rows.append((f"{LOSSES[loss]}: {METHODS[method]}, {strategy}", tuple(Cell(e) for e in found)))
    return Table(
        f"{measure}_{name}",
        f"Figure {FIGURES[name, measure]}: {AT[measure]}, {ENVIRONMENTS[name]}",
        "loss, method and strategy",
        tuple(f"{100 * float(c):g} %" for c in PAPER),
        tuple(rows),
        on=told(audited),
        digits=4,
        notes=("The paper draws these curves and prints no numbers.",),
    )


def model_uncertainty(audited: Audited, alone: Audited) -> Table:
    """Beyond the paper: the variance of p over samples or members alone, beside p(1 − p), as a review score."""
    rows: list[Row] = []
    for loss, method in alone.settings:
        cells = [Cell(audited.estimate(loss, method, m, strategy="uncertainty")) for m in UNSURE]
        cells += [Cell(alone.estimate(loss, method, m, strategy=_supplied(alone))) for m in UNSURE]
        rows.append((f"{LOSSES[loss]}: {METHODS[method]}", tuple(cells)))
    name = audited.environment.name
    return Table(
        f"model_uncertainty_{name}",
        f"Beyond the paper: how well model uncertainty alone finds errors, {ENVIRONMENTS[name]}",
        "loss and method",
        tuple(f"{title}, {of}" for of in ("p(1 − p)", "Var p") for title in UNSURE.values()),
        tuple(rows),
        on=told(audited),
        digits=4,
    )


def _supplied(alone: Audited) -> str:
    """What the audit calls the column that was supplied."""
    return next(name for name in alone.finding.values("strategy") if name.startswith("column:"))
