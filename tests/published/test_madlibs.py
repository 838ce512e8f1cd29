"""Jigsaw's published metrics of two Perspective models on a template set: equal, sign included."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import evenhand as eh

PUBLISHED = {
    "subgroup_auc": "subgroup_auc",
    "bpsn_auc": "negative_cross_auc",
    "bnsp_auc": "positive_cross_auc",
    "negative_aeg": "negative_aeg",
    "positive_aeg": "positive_aeg",
}


def test_all_groups_and_models_equal_the_published_file(real_data: Path) -> None:
    published = pl.read_csv(real_data / "perspective_madlibs_published_unitary.csv")
    groups = published["subgroup"].to_list()
    report = eh.audit(
        real_data / "perspective_madlibs.parquet",
        score=["toxicity_1", "toxicity_6"],
        label="label",
        positive="toxic",
        text="phrase",
        terms=groups,
        audits="bias",
    )
    finding = report.findings[0]
    assert len(groups) == 12
    for row in published.iter_rows(named=True):
        for model, prefix in (("toxicity_1", "TOXICITY@1"), ("toxicity_6", "TOXICITY@6")):
            assert finding.get("count", model=model, group=row["subgroup"]).value == row["subset_size"]
            for measure, column in PUBLISHED.items():
                value = finding.get(measure, model=model, group=row["subgroup"]).value
                assert value == pytest.approx(row[f"{prefix}_{column}"], abs=1e-9), (model, row["subgroup"], measure)
