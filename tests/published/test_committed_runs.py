"""The audits on one committed run of the collaborative benchmark: real probabilities, without texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand as eh

RUNS = Path(__file__).parents[2] / "models" / "runs"
METHODS = ("deterministic", "mc-dropout", "ensemble", "sngp", "sngp-ensemble")
STATED = {  # AUROC and average precision with cross-entropy, as the README there says
    "test": {
        "deterministic": (0.9877, 0.929),
        "mc-dropout": (0.9877, 0.929),
        "ensemble": (0.9885, 0.932),
        "sngp": (0.9879, 0.930),
        "sngp-ensemble": (0.9886, 0.933),
    },
    "deployment": {
        "deterministic": (0.731, 0.361),
        "mc-dropout": (0.731, 0.362),
        "ensemble": (0.734, 0.362),
        "sngp": (0.738, 0.370),
        "sngp-ensemble": (0.738, 0.367),
    },
}


def values(report: eh.Report, measure: str) -> dict[str, float]:
    """Overall, by model."""
    found = [one for finding in report.findings for one in finding.estimates if one.measure == measure]
    return {one.slice["model"]: one.estimate.value for one in found if set(one.slice) == {"model"}}


@pytest.mark.parametrize("environment", list(STATED))
def test_the_audit_of_collaboration_gives_what_is_stated(environment: str) -> None:
    scores = [f"p:{method}:cross-entropy:0" for method in METHODS]
    report = eh.audit(
        RUNS / f"{environment}.parquet",
        audits="collaboration",
        label="label",
        score=scores,
        strategies=["uncertainty"],
        capacities=["0.01"],
        replicates=50,
    )
    auroc, auprc = values(report, "auroc"), values(report, "auprc")
    for method, (area, precision) in STATED[environment].items():
        name = f"p:{method}:cross-entropy:0"
        assert auroc[name] == pytest.approx(area, abs=0.0006), name
        assert auprc[name] == pytest.approx(precision, abs=0.0006), name
    said = (RUNS / "README.md").read_text()
    assert all(f"{auprc[name]:.3f}".removeprefix("0") in said for name in scores)


@pytest.mark.parametrize(("environment", "rows"), [("test", 19_568), ("deployment", 23_415)])
def test_the_files_hold_ids_labels_and_numbers_alone(environment: str, rows: int) -> None:
    table = pl.read_parquet(RUNS / f"{environment}.parquet")
    losses = ("cross-entropy", "focal")
    p = {f"p:{method}:{loss}:0" for method in METHODS for loss in losses}
    v = {f"v:{method}:{loss}:0" for method in METHODS for loss in losses} - {
        f"v:deterministic:{loss}:0" for loss in losses
    }
    assert set(table.columns) == {"id", "label"} | p | v
    assert len(table) == table["id"].n_unique() == rows
    assert table["id"].str.len_chars().max() < 20
    for name in v:
        p_of = table["p" + name[1:]].cast(pl.Float64).to_numpy()
        assert (table[name].to_numpy() >= 0).all()
        assert (table[name].to_numpy() <= p_of * (1 - p_of) * 1.01 + 1e-6).all(), name
    for name in p | v:
        number = table[name].to_numpy().astype(np.float64)
        assert np.isfinite(number).all()
    assert sum(path.stat().st_size for path in RUNS.glob("*.parquet")) < 3_000_000
