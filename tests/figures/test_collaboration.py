"""Figures of a collaboration finding show every model and strategy, and only what fits on their axes."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.audits.collaboration.settings import capacity_in_words, headline_capacity
from evenhand.figures import draw_figures

PANELS = ("OC-AUROC", "OC-AUPRC", "OC-accuracy", "Review Efficiency", "Review Effectiveness")


def audited(table: pl.DataFrame, **options) -> eh.Finding:
    options = {"score": ["first", "second"], "label": "y"} | options
    return eh.audit(table, audits="collaboration", **options).findings[0]


@pytest.fixture
def finding(small: pl.DataFrame) -> eh.Finding:
    table = small.with_columns((pl.col("first") * (1 - pl.col("second"))).alias("doubt"))
    return audited(table, uncertainty="doubt", capacities=("0", "1%", "0.1", "50 items", ">=0.2"))


@pytest.mark.verify
def test_curves_then_two_figures_a_model(finding: eh.Finding) -> None:
    drawn = draw_figures(finding)
    assert [(f.name, f.about.get("model")) for f in drawn] == [
        ("curves", None),
        ("checked", "first"),
        ("reliability", "first"),
        ("checked", "second"),
        ("reliability", "second"),
    ]
    assert len({f.file for f in drawn}) == len(drawn)
    for figure in drawn:
        assert ET.fromstring(figure.svg).tag.endswith("svg")
        assert figure.png[:8] == b"\x89PNG\r\n\x1a\n"
        assert figure.caption


def test_the_curves_name_what_they_show(finding: eh.Finding) -> None:
    said = " ".join(ET.fromstring(draw_figures(finding)[0].svg).itertext())
    for piece in (*PANELS, "first", "second", "uncertainty", "toxicity", "column:doubt", "share reviewed", "10%"):
        assert piece in said


def test_only_shares_above_nothing_are_on_the_logarithmic_axis(finding: eh.Finding) -> None:
    (rows,) = (
        draw_figures(finding)[0].spec["datasets"].values() if "datasets" in draw_figures(finding)[0].spec else ([],)
    )
    rows = rows or draw_figures(finding)[0].spec["data"]["values"]
    assert {row["reviewed"] for row in rows} == {0.01, 0.1}
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows)


def test_the_counts_are_all_items(finding: eh.Finding) -> None:
    for exhibit in finding.exhibits:
        if exhibit.kind == "checked":
            counts = [values for name, values in exhibit.columns.items() if name.endswith(("wrong", "right"))][:4]
            assert np.sum(counts, axis=0) == pytest.approx(np.full(len(counts[0]), 600.0))


@pytest.mark.verify
def test_many_models_and_a_nasty_name(small: pl.DataFrame) -> None:
    nasty = "<script>alert(1)</script>&"
    many = small.with_columns(
        *(pl.col("first").pow(i + 2).alias(f"m{i}") for i in range(7)), pl.col("first").alias(nasty)
    )
    for figure in draw_figures(audited(many, score=[nasty, *(f"m{i}" for i in range(7))], capacities=("0.1", "0.2"))):
        assert "<script" not in figure.svg
        assert ET.fromstring(figure.svg) is not None


def test_a_score_without_threshold_draws_nothing_it_cannot(small: pl.DataFrame) -> None:
    for figure in draw_figures(audited(small, score="first", scale="rank")):
        assert figure.svg.startswith("<svg")


def test_capacities_for_a_reader() -> None:
    assert [capacity_in_words(text) for text in ("0.001", "1%", "500", ">=0.2")] == [
        "0.1 %",
        "1 %",
        "500 items",
        "≥ 0.2",
    ]
    assert headline_capacity(["0", "0.001", "0.02", "0.5"]) == "0.02"
    assert headline_capacity(["500", ">=0.2"]) == "500"
