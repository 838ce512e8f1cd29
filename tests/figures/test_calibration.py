"""Figures of a calibration finding show every class beside what a calibrated model would show."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import polars as pl
import pytest

import evenhand as eh
from evenhand.figures import draw_figures
from figures.drawings import drawn, rows, said

NAMES = ["class_errors", "reliability", "class_reliability", "column_reliability", "bins"]
CLASSES = ["calm", "rude", "threat"]


def audited(table: pl.DataFrame, prefix: str = "p", **options) -> eh.Finding:
    options = {"probabilities": [f"{prefix}_{name}" for name in CLASSES], "label": "kind", "replicates": 50} | options
    return eh.audit(table, audits="calibration", **options).findings[0]


@pytest.fixture(scope="module")
def finding(classed: pl.DataFrame) -> eh.Finding:
    return audited(classed)


def test_five_figures(finding: eh.Finding) -> None:
    found = draw_figures(finding)
    assert [figure.name for figure in found] == NAMES
    for figure in found:
        assert figure.png[:8] == b"\x89PNG\r\n\x1a\n"
        assert figure.caption
        assert figure.about == {}


@pytest.mark.verify
def test_several_models_have_their_own(small: pl.DataFrame) -> None:
    nasty = "<script>alert(1)</script>&"
    table = small.rename({"first": nasty})
    finding = eh.audit(table, audits="calibration", score=[nasty, "second"], label="y", replicates=50).findings[0]
    found = draw_figures(finding)
    assert [(f.name, f.about["model"]) for f in found] == [(n, m) for m in (nasty, "second") for n in NAMES]
    assert len({figure.file for figure in found}) == len(found)
    for figure in found:
        assert "<script" not in figure.svg
        assert ET.fromstring(figure.svg) is not None


def test_classes_are_beside_what_a_calibrated_model_would_show(finding: eh.Finding) -> None:
    figure = drawn(finding, "class_errors")
    found = {row["class"].split(" (")[0]: row for row in rows(dict(figure.spec)) if "reference" in row}
    excess = [row["excess"] for row in found.values()]
    assert sorted(found) == CLASSES
    assert excess == sorted(excess, reverse=True)
    for name, row in found.items():
        e, honest = (finding.get("class_ece", **{"class": name}, **more) for more in ({}, {"as_if": "calibrated"}))
        assert (row["value"], row["low"], row["high"]) == (e.value, e.low, e.high)
        assert (row["reference"], row["reference_low"], row["reference_high"]) == (
            honest.value,
            honest.low,
            honest.high,
        )
        assert row["kind"] == (
            "miscalibrated (statistically significant)" if "stands_out" in e.flags else "no miscalibration detected"
        )
    assert "miscalibrated (statistically significant)" in said(figure)


def test_colours_stay_with_their_meaning_when_no_class_is_off(classed: pl.DataFrame) -> None:
    figure = drawn(audited(classed, "q"), "class_errors")
    scale = figure.spec["layer"][0]["encoding"]["color"]["scale"]
    assert scale["domain"] == ["no miscalibration detected", "calibrated model"]
    assert scale["range"] == ["#0072b2", "#9aa5b1"]


@pytest.mark.verify
def test_confidence_starts_where_the_model_would_be_guessing(finding: eh.Finding, small: pl.DataFrame) -> None:
    two = eh.audit(small, audits="calibration", score="first", label="y", replicates=50).findings[0]
    for found, start in ((finding, 1 / 3), (two, 1 / 2)):
        for name in ("reliability", "class_reliability"):
            assert f'"domain": [{start}, 1.0]' in json.dumps(dict(drawn(found, name).spec))
    assert '"domain": [0.0, 1.0]' in json.dumps(dict(drawn(two, "column_reliability").spec))


def test_bins_are_those_of_the_exhibit(finding: eh.Finding) -> None:
    (exhibit,) = [e for e in finding.exhibits if e.kind == "reliability"]
    found = [row for row in rows(dict(drawn(finding, "reliability").spec)) if "items" in row]
    kept = [n for n in exhibit.columns["weight"] if n]
    assert {row["items"] for row in found} == set(kept)
    assert sum(kept) == pytest.approx(1200)
    assert all(row["low"] <= row["correct"] <= row["high"] for row in found)


@pytest.mark.verify
def test_a_calibrated_model_leaves_the_diagonal_where_only_one_class_is_looked_at(classed: pl.DataFrame) -> None:
    """The grey line of a rare class lies below the diagonal, that of a frequent one above; honest dots lie near it."""
    finding = audited(classed, "q")
    columns = {
        (e.slice["class"], "as_if" in e.slice): e.columns for e in finding.exhibits if e.kind == "class_reliability"
    }

    def gap(name: str, *, honest: bool) -> float:
        own = columns[name, honest]
        sums = zip(own["weight"], own["accuracy"], own["confidence"], strict=True)
        return sum(w * (a - c) for w, a, c in sums) / sum(own["weight"])

    assert gap("calm", honest=True) > 0.02
    assert gap("threat", honest=True) < -0.1
    for name in CLASSES:
        assert gap(name, honest=False) == pytest.approx(gap(name, honest=True), abs=0.08)
    for name in CLASSES:
        assert name in said(drawn(finding, "class_reliability"))
        assert name in said(drawn(finding, "column_reliability"))


@pytest.mark.verify
def test_bins_of_equal_mass_and_classes_without_items(classed: pl.DataFrame) -> None:
    some = classed.filter(pl.col("kind") != "threat")
    for options in ({"bins_by": "mass"}, {"bins": 1}):
        for figure in draw_figures(audited(some, **options)):
            assert ET.fromstring(figure.svg) is not None
    without = drawn(audited(some), "class_errors")
    assert "threat" not in said(without)


@pytest.mark.verify
def test_more_bins_are_on_the_axis_in_order(finding: eh.Finding) -> None:
    figure = drawn(finding, "bins")
    assert figure.spec["layer"][0]["encoding"]["x"]["sort"] == ["5", "10", "15", "20", "40"]
    assert "number of bins" in said(figure)


@pytest.mark.verify
def test_a_finding_read_from_a_file_draws_the_same(finding: eh.Finding, tmp_path) -> None:
    eh.Report((finding,)).save(tmp_path)
    again = draw_figures(eh.load(tmp_path / "findings.json"))
    assert [figure.name for figure in again] == NAMES
    assert [figure.spec for figure in again] == [figure.spec for figure in draw_figures(finding)]


def test_a_finding_of_an_earlier_version_draws_what_it_can(finding: eh.Finding) -> None:
    assert [figure.name for figure in draw_figures(replace(finding, exhibits=()))] == ["class_errors", "bins"]
