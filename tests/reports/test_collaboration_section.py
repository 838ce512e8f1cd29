"""The collaboration section: what one look in a hundred buys, in words; nothing unescaped; short in a terminal."""

from __future__ import annotations

import io

import numpy as np
import polars as pl
import pytest
from rich.console import Console

import evenhand as eh
from evenhand.reports.checked import shown
from evenhand.reports.collaboration import MOST
from evenhand.reports.summary.collaboration import points
from evenhand.reports.terminal import show
from reports.test_html import NASTY, parsed


def printed(report: eh.Report, width: int = 100) -> str:
    out = io.StringIO()
    show(report.findings, Console(file=out, width=width))
    return out.getvalue()


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
        "People look at 1 % of the items",
        "What reviewing more is worth",
        "Calibration AUPRC",
        "Short items",
    ):
        assert piece in page
    assert "secret" not in page


def test_the_card_says_what_a_look_in_a_hundred_buys(both: eh.Report) -> None:
    page, finding = both.html(), both.findings[1]
    for model in ("first", "second"):
        bought = [
            finding.get("oc_accuracy", model=model, strategy=s, capacity="0.01") for s in ("uncertainty", "toxicity")
        ]
        best, alone = max(e.value for e in bought), finding.get("accuracy", model=model).value
        assert f"accuracy <b>{alone:.3f}</b> → <b>{best:.3f}</b>" in page
    for reading in finding.readings:
        assert reading.text in page


def test_the_headline_is_what_the_card_says_to_look_at() -> None:
    """One item in fifty violates and the model finds few of them: leaving all alone is right as often."""
    rng = np.random.default_rng(4)
    y = rng.random(4000) < 0.02
    p = 1.0 / (1.0 + np.exp(-(rng.normal(size=4000) + 2.5 * y - 1.9)))
    table = pl.DataFrame({"p": p, "y": y})
    report = eh.audit(table, score="p", label="y", audits="collaboration", capacities=["1%"])
    (finding,) = report.findings
    assert any("look at recall and precision" in reading.text for reading in finding.readings)
    at = {"capacity": finding.values("capacity")[0]}
    best = max(finding.values("strategy"), key=lambda name: finding.get("oc_f1", strategy=name, **at).value)
    numbers = {n: (finding.get(n), finding.get(f"oc_{n}", strategy=best, **at)) for n in ("recall", "precision")}
    moved = [f"{n} <b>{alone.value:.3f}</b> → <b>{with_.value:.3f}</b>" for n, (alone, with_) in numbers.items()]
    headline = report.html().split('<p class="big">')[1].split("</p>")[0]
    assert headline.endswith(f"{', '.join(moved)} by {best}")
    (point,) = points(finding)
    assert f"recall goes from {finding.get('recall').value:.3f} to" in point.found
    assert "accuracy" not in headline + point.found


def test_the_four_counts_are_those_of_the_items(small: pl.DataFrame) -> None:
    """Most uncertain first, item by item: what was looked at and wrong, looked at and right, and the rest."""
    finding = eh.audit(small, score="first", label="y", capacities=["25 items", "10%"]).findings[0]
    (one,) = shown(finding)
    p, y = small["first"].to_numpy(), small["y"].to_numpy().astype(bool)
    order, wrong = np.argsort(-p * (1 - p), kind="stable"), (p >= 0.5) != y
    for name, tables in (one.front, *one.others):
        size = 25 if name == "25 items" else len(p) // 10
        looked, left = order[:size], order[size:]
        counts = [[wrong[part].sum(), (~wrong[part]).sum(), len(part)] for part in (looked, left, order)]
        assert [[int(n.replace(",", "")) for n, _ in row] for _, row in tables[0].rows] == counts
        assert tables[0].strategy == "uncertainty"
    assert one.front[0] == "10 % of the items"
    assert "looked at (uncertain)" in eh.Report((finding,)).html()


def product_sum(text: str) -> float:
    """0.96 + 0.01 × 0.3, worked out."""
    return sum(float(np.prod([float(factor) for factor in term.split("×")])) for term in text.split("+"))


def test_both_sums_are_the_accuracy_of_people_and_model(both: eh.Report) -> None:
    finding, page = both.findings[1], both.html()
    for one in shown(finding):
        for _, tables in (one.front, *one.others):
            for table in tables:
                sums = [product_sum(text) for text, _ in table.sums]
                assert sums == pytest.approx([float(table.accuracy)] * 2, abs=2e-4)  # of figures rounded to four digits
                assert all(f"= {text}" in page for text, _ in table.sums)
        best = finding.get("oc_accuracy", model=one.model, strategy="uncertainty", capacity="0.01").value
        assert one.front[1][0].accuracy == f"{best:.4f}"
    assert page.count("At the other capacities") == 2


def test_sums_with_nothing_to_add_say_so(small: pl.DataFrame) -> None:
    page = eh.audit(
        small, score="first", label="y", capacities=["0", "1", ">=0.2"], strategies=["hybrid:0.3", "uncertainty"]
    ).html()
    parsed(page)
    assert "the model alone: nothing is looked at" in page
    assert "everything is looked at, and right" in page
    finding = eh.audit(small, score="first", label="y", capacities=[">=0.2", "5%"], strategies=["hybrid:0.3"])
    (one,) = shown(finding.findings[0])  # a hybrid has no level, and no row of counts there
    assert (one.front[0], one.others) == ("5 % of the items", [])


def test_a_rank_with_a_threshold_has_counts(small: pl.DataFrame) -> None:
    report = eh.audit(
        small, score="first", scale="rank", threshold=0.5, label="y", audits="collaboration", strategies="toxicity"
    )
    assert "looked at (uncertain)" in report.html()


def test_one_model_alone(small: pl.DataFrame) -> None:
    report = eh.audit(small, score="first", label="y", capacities=["20 items", ">=0.2"], audits="collaboration")
    page = report.html()
    parsed(page)
    assert f"<h1>{report.findings[0].question}</h1>" in page
    assert "People look at 20 items: accuracy" in page
    level = eh.audit(small, score="first", label="y", capacities=[">=0.2"]).html()
    assert "People look at every item with a review score of 0.2 or more: accuracy" in level
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
    assert "No value: the score is no probability" in page
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
    assert sum(" % uncertainty" in line for line in said.splitlines()) == 2 * MOST
    assert "1 % toxicity" in said
    assert "stands out" not in said
    assert "Also in the report: 8 capacities; groups; Short items" in said
