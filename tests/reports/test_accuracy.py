"""The section of the accuracy audit: the two sentences, the tables, and what is left out where it is not known."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from rich.console import Console

import evenhand as eh
from evenhand.audits.accuracy.verdicts import AccuracyTopic, parts_by_prevalence
from evenhand.catalogue import find_measure
from evenhand.findings_file import from_json
from evenhand.formatting import format_number
from evenhand.reports.accuracy import SECTION
from evenhand.reports.terminal import print_findings


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
    start = page[page.index("Main results") : page.index("<svg")]
    assert re.search(r"About \d+(\.\d+)? % \([\d.]+–[\d.]+ %\) of violating items were removed", start)
    assert "of removed items were not violating" in start
    assert "<b>loud</b>" not in page
    assert "&lt;b&gt;loud" in page


def test_parts_are_sorted_by_prevalence(report: eh.Report) -> None:
    (finding,) = report.findings
    values = [finding.get("prevalence", community=name).value for name in parts_by_prevalence(finding, "community")]
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
        print_findings(report.findings, Console(file=out, width=width))
        assert "were removed" in " ".join(out.getvalue().split())
        assert "Data behind the estimates" in out.getvalue()


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
    assert "no violating item was found" in report.html()


def test_small_shares_keep_their_digits() -> None:
    assert format_number("prevalence", 0.00123) == "0.123 %"
    assert format_number("prevalence", 0.11) == "11.0 %"
    assert format_number("detectable_effect", 0.0083) == "0.830 points"
    assert format_number("efficiency", -0.1) == "−10.0 %"


def test_every_measure_has_words(report: eh.Report) -> None:
    (finding,) = report.findings
    for measure in {m.measure for m in finding}:
        assert find_measure(measure).explanation, measure


def test_a_finding_from_a_file_shows_all_that_it_showed(report: eh.Report) -> None:
    (finding,) = report.findings
    (loaded,) = from_json(report.json(), source="a file")
    again = eh.Report((loaded,))
    assert again.json() == report.json()
    assert [figure.spec for figure in again.figures] == [figure.spec for figure in report.figures]
    assert again.html() == report.html()
    assert SECTION.lines(loaded) == SECTION.lines(finding)


def test_headlines_are_chosen_by_topic(report: eh.Report) -> None:
    (finding,) = report.findings
    turned = replace(finding, readings=finding.readings[::-1])
    for one in (finding, turned):
        context = SECTION.context(one)
        assert len(context["headlines"]) == 2
        assert all("removed" in text for text in context["headlines"])
        assert len(context["readings"]) == 1
        assert "labels drawn in the same way" in context["readings"][0]
        assert "Few" in context["few"]


def test_a_file_of_an_earlier_version_still_has_its_headlines(report: eh.Report) -> None:
    (finding,) = report.findings
    readings = tuple(replace(r, topic=None) for r in finding.readings if r.topic != AccuracyTopic.FEW_LABELS)
    old = replace(finding, verdicts=(), exhibits=(), readings=readings)
    assert set(SECTION.context(finding)["headlines"]) <= set(SECTION.context(old)["headlines"])
    assert eh.Report((old,)).html()


def test_parts_have_their_accuracy_in_the_page(report: eh.Report) -> None:
    (finding,) = report.findings
    page = re.sub("</?bdi>", "", report.html())
    section = page[page.index("<h2>By community") :]
    section = section[section.index("<table") : section.index("</table>")]
    heads = re.findall(r"<th[^>]*>([^<]+)</th>", section[: section.index("</thead>")])
    assert heads[-4:] == ["Recall", "Precision", "Accuracy", "Still visible"]
    for name in ("calm", "tiny"):
        accuracy = finding.get("accuracy", community=name)
        row = section[section.index(f"<th>{name}") :]
        row = row[: row.index("</tr>")]
        assert accuracy.value is not None
        assert format_number("accuracy", accuracy.value) in row


def test_where_the_score_may_miss_violations_both_intervals_are_in_the_page() -> None:
    """Of the visible items nearly all labels have a high score, and none of the few others is violating."""
    high = np.arange(1000) < 400
    bad = (np.arange(1000) < 100) | (np.arange(1000) >= 900)
    frame = pl.DataFrame({"y": bad, "removed": np.arange(1000) >= 880, "stratum": np.where(high, "high", "low")})
    frame = frame.with_columns(
        pi=pl.when("removed").then(0.5).when(pl.col("stratum") == "high").then(0.5).otherwise(0.01),
        stratum=pl.when("removed").then(pl.lit("removed")).otherwise("stratum"),
    )
    roles = {"label": "y", "decision": "removed", "inclusion": "pi", "stratum": "stratum"}
    report = eh.audit(frame, audits="accuracy", **roles)
    (finding,) = report.findings
    page = report.html()
    assert "blind_spot" in finding.get("recall").flags
    assert "All items, whatever the score misses" in page
    assert "All items, if the score misses no kind of violation" in page
    (which,) = [r.text for r in finding.readings if r.topic == AccuracyTopic.BLIND_SPOT]
    assert which in page
    robust = finding.get("recall", estimator="robust")
    assert f"({100 * robust.low:.0f}–{100 * robust.high:.0f} %) of violating items were removed" in page
    assert re.sub(r"\s+", " ", page).count("assume that the score misses no kind of violation") >= 1
