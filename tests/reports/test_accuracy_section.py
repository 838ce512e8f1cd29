"""The section of the accuracy audit: the two sentences, the tables, and what is left out where it is not known."""

from __future__ import annotations

import io
import re

import numpy as np
import polars as pl
import pytest
from rich.console import Console

import evenhand as eh
from evenhand.figures.accuracy import sorted_parts
from evenhand.reports.terminal import show
from evenhand.reports.words import number, word


def table(**columns) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    removed = np.arange(2000) < 400
    names = np.array(["<b>loud</b>", "calm", "tiny"])
    community = names[np.minimum(rng.integers(0, 20, 2000) // 10 + (rng.random(2000) < 0.01), 2)]
    bad = rng.random(2000) < np.where(removed, 0.9, np.where(community == "calm", 0.03, 0.12))
    base = {"y": bad, "removed": removed, "pi": np.where(removed, 0.5, 0.02), "community": community}
    return pl.DataFrame({**base, **columns})


@pytest.fixture(scope="module")
def report() -> eh.Report:
    return eh.audit(table(), label="y", decision="removed", inclusion="pi", slices="community", audits="accuracy")


def test_the_page_opens_with_the_two_sentences(report: eh.Report) -> None:
    page = report.html()
    start = page[page.index("In one minute") : page.index("<svg")]
    assert re.search(r"Of all violating items, about \d+(\.\d+)? % \([\d.]+–[\d.]+ %\) were removed", start)
    assert "Of what was removed" in start
    assert "<b>loud</b>" not in page
    assert "&lt;b&gt;loud" in page


def test_parts_are_sorted_by_prevalence(report: eh.Report) -> None:
    (finding,) = report.findings
    values = [finding.get("prevalence", community=name).value for name in sorted_parts(finding, "community")]
    assert values == sorted(values, reverse=True)


def test_figures(report: eh.Report) -> None:
    assert [(figure.name, dict(figure.about)) for figure in report.figures] == [
        ("overview", {}),
        ("parts", {"by": "community"}),
        ("needed", {"by": "community"}),
    ]
    for figure in report.figures:
        assert figure.svg.startswith("<svg")
        assert "NaN" not in figure.svg


def test_the_terminal_says_the_same(report: eh.Report) -> None:
    for width in (80, 140):
        out = io.StringIO()
        show(report.findings, Console(file=out, width=width))
        assert "were removed" in " ".join(out.getvalue().split())
        assert "What it rests on" in out.getvalue()


def test_without_decisions_nothing_is_said_of_them() -> None:
    report = eh.audit(table(), label="y", inclusion="pi")
    page = report.html()
    assert "No decisions were declared" in page
    assert "Recall" not in page[: page.index('id="findings">')]
    assert [figure.name for figure in report.figures] == ["overview"]


def test_nothing_found_is_drawn_too() -> None:
    report = eh.audit(
        table(y=np.zeros(2000, dtype=bool)), label="y", decision="removed", inclusion="pi", slices="community"
    )
    assert "no violation was found" in report.html()


def test_small_shares_keep_their_digits() -> None:
    assert number("prevalence", 0.00123) == "0.123 %"
    assert number("prevalence", 0.11) == "11.0 %"
    assert number("detectable_effect", 0.0083) == "0.830 points"
    assert number("efficiency", -0.1) == "−10.0 %"


def test_every_measure_has_words(report: eh.Report) -> None:
    (finding,) = report.findings
    for measure in {m.measure for m in finding}:
        assert word(measure).meaning, measure
