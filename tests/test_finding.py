"""Estimates and findings in a notebook."""

from __future__ import annotations

import math

import polars as pl
import pytest

import evenhand as eh
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Measured, Reading


def test_an_estimate_says_how_sure_it_is() -> None:
    e = Estimate(0.5, 0.4, 0.6, 0.95, "wilson", 1200, flags=("stands_out",))
    assert e._repr_html_() == (
        "<b>0.500</b> <small>(0.400 to 0.600; 95% wilson)</small> <small>n = 1,200</small> <em>stands out</em>"
    )
    assert Estimate.exact(12.0, level=0.95, n=12)._repr_html_() == "<b>12</b> <small>n = 12</small>"
    assert "p = 0.03" in Estimate.tested(0.1, 0.03, level=0.95, method="permutation", n=5)._repr_html_()


def test_an_undefined_one_says_why_and_is_escaped() -> None:
    e = Estimate.undefined("nobody is in '<b>'", level=0.95, n=0)
    assert e._repr_html_() == "<i>undefined: nobody is in &#39;&lt;b&gt;&#39;</i>"


def test_a_finding_shows_its_question_readings_numbers_and_caveats() -> None:
    e = Estimate(0.5, 0.4, 0.6, 0.95, "wilson", 12)
    estimates = tuple(Measured("share", {"group": f"<g{n}>"}, e) for n in range(20))
    finding = Finding("x", "Is it <so>?", estimates, ("Beware & be kind.",), {}, (Reading({"group": "<g1>"}, "High."),))
    page = finding._repr_html_()
    assert "Is it &lt;so&gt;?" in page
    assert "<b><bdi>&lt;g1&gt;</bdi></b>: High." in page
    assert page.count("<tr>") == 1 + 15
    assert "5 more" in page
    assert "Beware &amp; be kind." in page
    assert "<so>" not in page
    assert "<g" not in page


def test_an_estimate_is_a_number() -> None:
    assert float(Estimate(0.5, 0.4, 0.6, 0.95, "wilson", 12)) == 0.5
    assert math.isnan(float(Estimate.undefined("there are none", level=0.95, n=0)))


def test_an_unknown_measure_is_answered_with_those_there_are() -> None:
    e = Estimate(0.5, 0.4, 0.6, 0.95, "wilson", 12)
    finding = Finding("x", "?", (Measured("ece", {}, e), Measured("brier", {}, e)), (), {})
    with pytest.raises(KeyError, match="no measure 'auc' in this finding; there is: ece, brier"):
        finding.get("auc")
    with pytest.raises(KeyError, match="exactly the slice"):
        finding.get("ece", group="women")


def test_estimates_as_data_frames() -> None:
    table = pl.DataFrame({"p": [0.1, 0.4, 0.6, 0.9] * 10, "y": [0, 1, 0, 1] * 10, "a": [True, False] * 20})
    report = eh.audit(table, score="p", label="y", groups="a", audits="bias")
    finding = report.findings[0]
    for frame in (report.to_polars(), finding.to_polars()):
        assert frame.columns[:6] == ["audit", "measure", "title", "slice", "value", "low"]
        assert {"high", "level", "method", "n", "note", "flags", "p_value", "group"} <= set(frame.columns)
        row = frame.row(by_predicate=(pl.col("measure") == "bpsn_auc") & (pl.col("group") == "a"), named=True)
        assert (row["value"], row["title"]) == (finding.get("bpsn_auc", group="a").value, "BPSN AUC")
    assert report.to_polars().drop("title").equals(report.estimates)
    pandas = finding.to_pandas()
    assert list(pandas.columns) == finding.to_polars().columns
    assert pandas.loc[pandas["measure"] == "count", "value"].iloc[0] == 40.0


def test_a_slice_called_title_keeps_its_name() -> None:
    one = Measured("count", {"title": "x"}, Estimate.exact(3.0, level=0.95, n=3))
    frame = Finding("a", "?", (one,), (), {}).to_polars()
    assert frame.columns[2] == "measure_title"
    assert frame["title"].to_list() == ["x"]
