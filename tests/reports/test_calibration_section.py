"""The calibration section: honest or not, which classes stand out beyond chance, and what to do, in words."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.reports import words
from evenhand.reports.calibration import OF_A_CLASS, OVERALL
from evenhand.reports.honesty import HIDDEN, HONEST, held
from reports.test_collaboration_section import printed
from reports.test_html import NASTY, parsed

CLASSES = ["calm", "rude", "threat"]


def audited(table: pl.DataFrame, prefix: str = "p", **options) -> eh.Report:
    options = {"probabilities": [f"{prefix}_{name}" for name in CLASSES], "label": "kind", "replicates": 50} | options
    return eh.audit(table, audits="calibration", **options)


@pytest.fixture(scope="module")
def report(classed: pl.DataFrame) -> eh.Report:
    return audited(classed, groups=["a", "b"], text="text")


@pytest.fixture(scope="module")
def honest(classed: pl.DataFrame) -> eh.Report:
    return audited(classed, "q")


def test_the_card_names_the_classes_that_are_off(report: eh.Report) -> None:
    page, (finding,) = report.html(), report.findings
    parsed(page)
    card = page.split("</article>")[0]
    assert "<b>Too sure of itself</b>" in card
    assert f"<b>{words.points(finding.get('ece').value)}</b>" in card
    off = [one for one in held(finding, {}) if one.off]
    assert off
    for one in off:
        said = f"<b>{one.name}</b>: class ECE {one.found.value:.4f} where honest probabilities would show"
        assert f"{said} {one.honest.value:.4f}" in card
    assert "evenhand calibrate compare" in card


def test_an_honest_model_has_nothing_to_mend(honest: eh.Report) -> None:
    card = honest.html().split("</article>")[0]
    assert f"<b>{HONEST}</b>, as far as 1,200 items can tell" in card
    assert "nothing to mend" in card
    assert "Off beyond chance" not in card
    assert "calm" in card.split("No more than chance")[1]


def test_a_class_that_is_off_where_the_ece_is_not_is_said() -> None:
    """All scores pushed up: too sure of violating items, too modest of benign ones, and the ECE sees neither."""
    rng = np.random.default_rng(1)
    p = rng.random(6000)
    table = pl.DataFrame({"y": rng.random(6000) < p, "p": p**0.75})
    report = eh.audit(table, audits="calibration", score="p", label="y", replicates=50)
    (finding,), card = report.findings, report.html().split("</article>")[0]
    assert "stands_out" not in finding.get("ece").flags
    assert HIDDEN in card
    assert f"ACE {finding.get('ace').value:.4f}" in card
    assert "nothing to mend" not in card
    assert "taken over every probability" in " ".join(printed(report).split())


def test_each_number_stands_beside_that_of_a_calibrated_model(report: eh.Report) -> None:
    page, (finding,) = report.html(), report.findings
    for measure in OVERALL:
        for e in (finding.get(measure), finding.get(measure, as_if="calibrated")):
            assert words.number(measure, e.value) in page
    for name in CLASSES:
        for measure in OF_A_CLASS:
            for as_if in ({}, {"as_if": "calibrated"}):
                assert words.number(measure, finding.get(measure, **{"class": name}, **as_if).value) in page
    assert page.count("Short items") == 1
    assert "2 groups" in page
    assert "used above" in page


def test_every_number_of_bins_is_there(report: eh.Report) -> None:
    table = report.html().split("What the number of bins does")[1].split("</table>")[0]
    assert re.findall(r"<th>(\d+)", table) == ["5", "10", "15", "20", "40"]
    for count in ("5", "40"):
        assert f"{report.findings[0].get('ece', bins=count).value:.4f}" in table


def test_the_drawings_are_there(report: eh.Report) -> None:
    assert report.html().count("<svg") == 5


def test_marks_are_explained_where_they_are(report: eh.Report, honest: eh.Report) -> None:
    assert "stands out" in printed(report)
    assert "marks numbers that stand out" in report.html()
    assert "stands out" not in printed(honest)
    assert "●" not in honest.html()


@pytest.mark.parametrize("width", [80, 120])
def test_a_terminal_has_short_tables(report: eh.Report, width: int) -> None:
    said = printed(report, width).splitlines()
    assert max(len(line.rstrip()) for line in said) <= width
    assert len(said) < 60
    (row,) = [line for line in said if line.startswith("threat")]
    assert f"{report.findings[0].get('class_ece', **{'class': 'threat'}).value:.4f}" in row
    assert any(line.startswith("  if calibrated") for line in said)


def test_texts_only_when_asked_for(classed: pl.DataFrame, report: eh.Report) -> None:
    assert "words of item" not in report.html()
    page = audited(classed, text="text", examples=1).html()
    parsed(page)
    assert page.split("Confidently wrong")[1].count("<td>taken for") == 3


def test_several_models_and_names_that_are_markup(small: pl.DataFrame) -> None:
    table = small.rename({"first": NASTY, "a": f"g{NASTY}"})
    options = {"score": [NASTY, "second"], "label": "y", "groups": [f"g{NASTY}"], "replicates": 50}
    page = eh.audit(table, audits="calibration", **options).html()
    parsed(page)
    assert "<script>alert" not in page
    assert page.count("</article>") == 2


def test_classes_that_are_markup_or_have_no_items(classed: pl.DataFrame) -> None:
    odd = classed.filter(pl.col("kind") != "threat").with_columns(
        pl.when(pl.col("kind") == "rude").then(pl.lit(NASTY)).otherwise("kind").alias("kind")
    )
    report = audited(odd, classes=["calm", NASTY, "threat"])
    page = report.html()
    parsed(page)
    assert "<script>alert" not in page
    assert "the class has no items" in page
    assert "undefined" in printed(report)


def test_a_finding_read_again_is_shown_again(report: eh.Report, tmp_path) -> None:
    page = eh.Report((eh.load(report.save(tmp_path) / "findings.json"),)).html()
    parsed(page)
    assert "<b>Too sure of itself</b>" in page


def test_it_stands_beside_other_audits(classed: pl.DataFrame) -> None:
    table = classed.with_columns((pl.col("kind") == "threat").alias("y"))
    asked = ["collaboration", "calibration"]
    page = eh.audit(table, audits=asked, score="p_threat", label="y", replicates=50).html()
    parsed(page)
    assert page.count('class="question"') == 2
