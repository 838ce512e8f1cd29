"""The collaboration section: what one look in a hundred buys, in words; nothing unescaped; short in a terminal."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand import findings_file
from evenhand.figures import draw_figures
from evenhand.finding import Status
from evenhand.reports.collaboration import MOST_CAPACITIES
from evenhand.reports.collaboration_counts import review_counts
from reports.pages import NASTY, parsed, printed


@pytest.fixture
def both(small: pl.DataFrame) -> eh.Report:
    table = small.with_columns(pl.format("secret {}", "text").alias("text"))
    asked = ["bias", "collaboration"]
    return eh.audit(table, score=["first", "second"], label="y", groups=["a", "b"], text="text", audits=asked)


def test_two_questions_make_one_page(both: eh.Report) -> None:
    page = both.html()
    parsed(page)
    assert [finding.audit for finding in both] == ["bias", "collaboration"]
    for finding in both:
        assert page.count(f'<a href="#{finding.audit}">{finding.question}</a>') == 1
        assert f'<p class="question">{finding.question}</p>' in page
    for piece in (
        "With people reviewing 1 % of the items",
        "Effect of review capacity",
        "Calibration AUPRC",
        "Short items",
    ):
        assert piece in page
    assert "secret" not in page


def test_the_card_says_what_is_still_missed(both: eh.Report) -> None:
    page, finding = both.html(), both.findings[1]
    for model in ("first", "second"):
        missed = 1000 * (1 - finding.get("oc_recall", model=model, strategy="uncertainty", capacity="0.01").value)
        assert f"{missed:,.0f} of 1,000 violations are still missed" in page
        alone = 1000 * (1 - finding.get("recall", model=model).value)
        assert f"Without review: {alone:,.0f} (" in page
    for reading in finding.readings:
        assert reading.text in page


def test_the_answer_comes_first_in_a_terminal(both: eh.Report) -> None:
    said = printed(eh.Report((both.findings[1],)))
    assert said.index(["violations", "are", "still", "missed"][0]) < said.index("The model alone")


@pytest.mark.verify
def test_the_four_counts_are_those_of_the_items(small: pl.DataFrame) -> None:
    """Most uncertain first, item by item: what was looked at and wrong, looked at and right, and the rest."""
    finding = eh.audit(small, score="first", label="y", capacities=["25 items", "10%"]).findings[0]
    (one,) = review_counts(finding)
    p, y = small["first"].to_numpy(), small["y"].to_numpy().astype(bool)
    order, wrong = np.argsort(-p * (1 - p), kind="stable"), (p >= 0.5) != y
    for name, tables in (one.front, *one.others):
        size = 25 if name == "25 items" else len(p) // 10
        looked, left = order[:size], order[size:]
        counts = [[wrong[part].sum(), (~wrong[part]).sum(), len(part)] for part in (looked, left, order)]
        assert [[int(n.replace(",", "")) for n, _ in row] for _, row in tables[0].rows] == counts
        assert tables[0].strategy == "uncertainty"
    assert one.front[0] == "10 % of the items"
    assert "reviewed (uncertain)" in eh.Report((finding,)).html()


def product_sum(text: str) -> float:
    """0.96 + 0.01 × 0.3, worked out."""
    return sum(float(np.prod([float(factor) for factor in term.split("×")])) for term in text.split("+"))


@pytest.mark.verify
def test_both_sums_are_the_accuracy_of_people_and_model(both: eh.Report) -> None:
    finding, page = both.findings[1], both.html()
    for one in review_counts(finding):
        for _, tables in (one.front, *one.others):
            for table in tables:
                sums = [product_sum(text) for text, _ in table.sums]
                assert sums == pytest.approx([float(table.accuracy)] * 2, abs=2e-4)  # of figures rounded to four digits
                assert all(f"= {text}" in page for text, _ in table.sums)
        best = finding.get("oc_accuracy", model=one.model, strategy="uncertainty", capacity="0.01").value
        assert one.front[1][0].accuracy == f"{best:.4f}"
    assert page.count("Other capacities") == 2


@pytest.mark.verify
def test_sums_with_nothing_to_add_say_so(small: pl.DataFrame) -> None:
    page = eh.audit(
        small, score="first", label="y", capacities=["0", "1", ">=0.2"], strategies=["hybrid:0.3", "uncertainty"]
    ).html()
    parsed(page)
    assert "the model alone: nothing is reviewed" in page
    assert "everything is reviewed, and correct" in page
    finding = eh.audit(small, score="first", label="y", capacities=[">=0.2", "5%"], strategies=["hybrid:0.3"])
    (one,) = review_counts(finding.findings[0])  # a hybrid has no level, and no row of counts there
    assert (one.front[0], one.others) == ("5 % of the items", [])


def test_a_rank_with_a_threshold_has_counts(small: pl.DataFrame) -> None:
    report = eh.audit(
        small, score="first", scale="rank", threshold=0.5, label="y", audits="collaboration", strategies="toxicity"
    )
    assert "reviewed (uncertain)" in report.html()


@pytest.mark.verify
def test_a_finding_from_a_file_is_shown_as_the_one_that_was_made(small: pl.DataFrame) -> None:
    table = small.with_columns((pl.col("first") * pl.col("second")).alias("doubt"))
    report = eh.audit(
        table,
        score=["first", "second"],
        label="y",
        groups=["a"],
        uncertainty="doubt",
        capacities=["0", "1%", "50 items", ">=0.2"],
        audits="collaboration",
    )
    (loaded,) = findings_file.from_json(report.json(), source="findings.json")
    again = eh.Report((loaded,))
    assert again.json() == report.json()
    assert [figure.spec for figure in draw_figures(loaded)] == [figure.spec for figure in report.figures]
    pages = [re.sub(r"clip\d+", "clip", one.html()) for one in (report, again)]  # drawings number their clip paths on
    assert pages[0] == pages[1]
    assert (again.tables(), printed(again)) == (report.tables(), printed(report))


def test_a_finding_of_an_earlier_version_is_still_shown(both: eh.Report) -> None:
    old = replace(both.findings[1], exhibits=(), verdicts=())
    page = eh.Report((old,)).html()
    parsed(page)
    assert "Effect of review capacity" in page
    assert "None" not in page.split("Effect of review capacity")[0]
    assert "still missed" in page


@pytest.mark.verify
def test_one_model_alone(small: pl.DataFrame) -> None:
    report = eh.audit(small, score="first", label="y", capacities=["20 items", ">=0.2"], audits="collaboration")
    page = report.html()
    parsed(page)
    assert f"<h1>{report.findings[0].question}</h1>" in page
    assert "With people reviewing 20 items, chosen by" in page
    level = eh.audit(small, score="first", label="y", capacities=[">=0.2"]).html()
    assert "With people reviewing every item with a review score of 0.2 or more, chosen by" in level
    assert "the model" in page


def test_nothing_written_by_a_user_is_markup(small: pl.DataFrame) -> None:
    odd = small.rename({"first": NASTY, "a": f"g{NASTY}"}).with_columns(pl.col("second").alias(f"u{NASTY}"))
    page = eh.audit(
        odd, score=[NASTY, "second"], label="y", groups=[f"g{NASTY}"], uncertainty=f"u{NASTY}", audits="collaboration"
    ).html()
    parsed(page)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_what_has_no_value_says_why(small: pl.DataFrame) -> None:
    report = eh.audit(small, score="first", scale="rank", label="y", audits="collaboration")
    page = report.html()
    parsed(page)
    assert "The effect of review could not be measured: the score is not a probability" in page
    (verdict,) = report.findings[0].verdicts
    assert (verdict.status, verdict.certainty, verdict.action) == (Status.OPEN, "", "")
    assert "the score is not a probability" in verdict.statement
    assert "undefined" in printed(report)


def test_scores_on_other_scales_keep_what_can_be_said(small: pl.DataFrame) -> None:
    percent = small.with_columns(pl.col("first") * 100)
    finding = eh.audit(percent, score="first", scale="percent", label="y", audits="collaboration").findings[0]
    plain = eh.audit(small, score="first", label="y", audits="collaboration").findings[0]
    for measure in ("oc_accuracy", "oc_auroc", "review_efficiency"):
        for strategy in ("toxicity", "uncertainty"):
            found, same = (f.get(measure, strategy=strategy, capacity="0.1").value for f in (finding, plain))
            assert found == pytest.approx(same, abs=1e-12)
    parsed(eh.Report((finding,)).html())


def test_a_terminal_has_one_short_table_a_model(both: eh.Report) -> None:
    said = printed(eh.Report((both.findings[1],)))
    assert said.count("OC-accuracy") == 2
    assert sum(" % uncertainty" in line for line in said.splitlines()) == 2 * MOST_CAPACITIES
    assert "1 % toxicity" in said
    assert "stands out" not in said
    assert "Also in the report: 8 capacities; groups; Short items" in said
