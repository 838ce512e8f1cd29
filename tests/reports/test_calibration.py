"""The calibration section: honest or not, which classes stand out beyond chance, and what to do, in words."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand import formatting
from evenhand.audits.calibration.quantities import CLASS_MEASURES
from evenhand.audits.calibration.verdicts import COLUMNS_OFF, classes_by_excess
from evenhand.reports.calibration import ALL_MEASURES
from evenhand.visible_text import html_text
from reports.pages import NASTY, parsed, printed

CLASSES = ["calm", "rude", "threat"]


def audited(table: pl.DataFrame, prefix: str = "p", **options) -> eh.Report:
    options = {"probabilities": [f"{prefix}_{name}" for name in CLASSES], "label": "kind", "replicates": 50} | options
    return eh.audit(table, audits="calibration", **options)


@pytest.fixture(scope="module")
def report(classed: pl.DataFrame) -> eh.Report:
    return audited(classed, groups=["a", "b"], text="text")


@pytest.fixture(scope="module")
def calibrated(classed: pl.DataFrame) -> eh.Report:
    return audited(classed, "q")


@pytest.mark.verify
def test_the_card_names_the_classes_that_are_off(report: eh.Report) -> None:
    page, (finding,) = report.html(), report.findings
    parsed(page)
    card = page.split("</article>")[0]
    first, *_, last = finding.verdicts
    assert ": overconfident; miscalibrated for class" in last.statement
    assert first.statement.startswith("Items scored ")
    assert "scores are too high" in first.statement
    assert f'<p class="big">{html_text(first.statement)}' in card
    assert formatting.format_points(finding.get("ece").value) in last.certainty
    classes = page.split("Which classes are miscalibrated?")[1]
    off = [one for one in classes_by_excess(finding, {}) if one.off]
    assert off
    for one in off:
        said = f"<b><bdi>{one.name}</bdi></b>: class ECE {one.error.value:.4f}, compared with"
        assert f"{said} {one.reference.value:.4f} for a calibrated model" in classes
    assert "evenhand calibrate file" in card


def test_the_first_page_says_whether_35_is_35(report: eh.Report) -> None:
    page, (finding,) = report.html(), report.findings
    table = page.split("Is a score of 35 % really 35 %?")[1].split("Which classes")[0]
    e = finding.get("observed_share", **{"class": "threat", "scored": "0.2-0.3"})
    for part in (e.value, e.low, e.high):
        assert formatting.format_share(part) in table
    assert "too high" in table
    assert printed(report).index("Items scored") < printed(report).index("All items")


@pytest.mark.verify
def test_a_calibrated_model_has_no_warning(calibrated: eh.Report) -> None:
    page = calibrated.html()
    assert "scores are too" not in page
    assert "Miscalibrated classes" not in page
    assert "calm" in page.split("Class ECE within the range of a calibrated model")[1]


@pytest.mark.verify
def test_a_class_that_is_off_where_the_ece_is_not_is_said() -> None:
    """All scores pushed up: too sure of violating items, too modest of benign ones, and the ECE sees neither."""
    rng = np.random.default_rng(1)
    p = rng.random(6000)
    table = pl.DataFrame({"y": rng.random(6000) < p, "p": p**0.75})
    report = eh.audit(table, audits="calibration", score="p", label="y", replicates=50)
    (finding,), page = report.findings, report.html()
    assert "stands_out" not in finding.get("ece").flags
    assert COLUMNS_OFF in page.split("</article>")[0]
    assert f"ACE {finding.get('ace').value:.4f}" in page
    assert "scores are too high" in page.split("</article>")[0]
    assert "Miscalibrated over the probabilities of all classes" in " ".join(printed(report).split())


def test_each_number_stands_beside_that_of_a_calibrated_model(report: eh.Report) -> None:
    page, (finding,) = report.html(), report.findings
    for measure in ALL_MEASURES:
        for e in (finding.get(measure), finding.get(measure, as_if="calibrated")):
            assert formatting.format_number(measure, e.value) in page
    for name in CLASSES:
        for measure in CLASS_MEASURES:
            for as_if in ({}, {"as_if": "calibrated"}):
                assert formatting.format_number(measure, finding.get(measure, **{"class": name}, **as_if).value) in page
    assert page.count("Short items") == 1
    assert "2 groups" in page
    assert "used above" in page


def test_every_number_of_bins_is_there(report: eh.Report) -> None:
    table = report.html().split("Effect of the number of bins")[1].split("</table>")[0]
    assert re.findall(r"<th>(\d+)", table) == ["5", "10", "15", "20", "40"]
    for count in ("5", "40"):
        assert f"{report.findings[0].get('ece', bins=count).value:.4f}" in table


def test_the_drawings_are_there(report: eh.Report) -> None:
    assert report.html().count("<svg") == 5


def test_marks_are_explained_where_they_are(report: eh.Report, calibrated: eh.Report) -> None:
    assert "statistically significant after" in printed(report)
    assert "<sup>●</sup> statistically significant" in report.html()
    assert "statistically significant after" not in printed(calibrated)
    assert "●" not in calibrated.html()


@pytest.mark.parametrize("width", [80, 120])
def test_a_terminal_has_short_tables(report: eh.Report, width: int) -> None:
    said = printed(report, width).splitlines()
    assert max(len(line.rstrip()) for line in said) <= width
    assert len(said) < 75
    (row,) = [line for line in said if line.startswith("threat")]
    assert f"{report.findings[0].get('class_ece', **{'class': 'threat'}).value:.4f}" in row
    assert any(line.startswith("  if calibrated") for line in said)


@pytest.mark.verify
def test_texts_only_when_asked_for(classed: pl.DataFrame, report: eh.Report) -> None:
    assert "words of item" not in report.html()
    page = audited(classed, text="text", examples=1).html()
    parsed(page)
    assert page.split("Confident errors")[1].count("<td>predicted") == 3


@pytest.mark.verify
def test_several_models_and_names_that_are_markup(small: pl.DataFrame) -> None:
    table = small.rename({"first": NASTY, "a": f"g{NASTY}"})
    options = {"score": [NASTY, "second"], "label": "y", "groups": [f"g{NASTY}"], "replicates": 50}
    page = eh.audit(table, audits="calibration", **options).html()
    parsed(page)
    assert "<script>alert" not in page
    assert page.count("</article>") == 2


@pytest.mark.verify
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


@pytest.mark.verify
def test_a_finding_read_again_is_shown_again(report: eh.Report, tmp_path) -> None:
    page = eh.Report((eh.load(report.save(tmp_path) / "findings.json"),)).html()
    parsed(page)
    assert without_ids(page) == without_ids(report.html())


def without_ids(page: str) -> str:
    """Without the numbers that drawings give to their parts, which go on counting."""
    return re.sub(r"\b(clip|gradient_?)\d+", r"\1", page)


@pytest.mark.verify
def test_it_stands_beside_other_audits(classed: pl.DataFrame) -> None:
    table = classed.with_columns((pl.col("kind") == "threat").alias("y"))
    asked = ["collaboration", "calibration"]
    page = eh.audit(table, audits=asked, score="p_threat", label="y", replicates=50).html()
    parsed(page)
    assert page.count('class="question"') == 2
