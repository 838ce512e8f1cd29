"""Tables and what is said of them, read and audited; every number that comes out is finite and in its range."""

from __future__ import annotations

import io
import json
import math
import tempfile
from pathlib import Path
from typing import Any

import polars as pl

from studies.fuzz.tables import Given, given_tables
from studies.fuzz.watch import Watch

SHARES = (
    *(
        "subgroup_auc",
        "bpsn_auc",
        "bnsp_auc",
        "auroc",
        "auprc",
        "auprc_interpolated",
        "accuracy",
        "brier",
        "ece",
        "ace",
    ),
    *(
        "sce",
        "class_ece",
        "class_ace",
        "cece",
        "msece",
        "wsece",
        "calibration_auroc",
        "calibration_auprc",
        "oc_accuracy",
    ),
    *("oc_auroc", "oc_auprc", "oc_precision", "oc_recall", "oc_f1", "review_efficiency", "review_effectiveness"),
    *("prevalence", "precision", "recall", "f1", "tpr", "fpr", "positive_share", "jigsaw_score"),
)
SIGNED = (
    *("negative_aeg", "positive_aeg", "tpr_gap", "fpr_gap", "conformity_delta", "f1_gap", "cohen_kappa"),
    *("krippendorff_alpha", "gwet_ac1"),
)
STRATEGY = given_tables()


def try_one(given: Given, watch: Watch) -> str:
    """One table through the door."""
    import evenhand as eh

    with tempfile.TemporaryDirectory() as folder:
        try:
            data = given.write(Path(folder))
        except (Exception, pl.exceptions.PanicException):  # not every form can hold every table: none of ours
            return "not written"

        def action() -> None:
            report = eh.audit(data, **given.options)
            check(report, drawn=watch.executions % 40 == 0)

        return watch.look(action, given)


def check(report: Any, *, drawn: bool) -> None:
    """What a report promises of itself, in every form of it."""
    data = json.loads(report.json())
    for finding in data["findings"]:
        for record in finding["estimates"]:
            _check_record(record)
    assert isinstance(report.csv(), str)
    assert isinstance(report.estimates, pl.DataFrame)
    _shown(report)
    report.tables()
    if drawn:
        report.html()


def _check_record(record: dict[str, Any]) -> None:
    parts = [record[name] for name in ("value", "low", "high")]
    if record["value"] is None:
        assert record["note"], record
        return
    known = [part for part in parts if part is not None]
    assert all(math.isfinite(part) for part in known), record
    name = record["measure"]
    if name in SHARES or name in SIGNED:
        lowest = 0.0 if name in SHARES and "against" not in record["slice"] else -1.0
        assert lowest - 1e-9 <= min(known), record
        assert max(known) <= (2.0 if name == "brier" else 1.0) + 1e-9, record


def _shown(report: Any) -> None:
    from rich.console import Console

    from evenhand.reports.terminal import print_findings as show

    show(report.findings, Console(file=io.StringIO(), width=100))
