"""The comparison of calibrators: the recommendation first, then the paper's tables, the best of a column marked."""

from __future__ import annotations

import re

import polars as pl
import pytest

import evenhand as eh
from evenhand.audits.calibration.quantities import CLASSWISE_ERRORS
from evenhand.calibrators import METHODS
from evenhand.recalibration.comparison import RecalibrationSettings, compare_calibrators
from evenhand.recalibration.recommendation import RecalibrationTopic
from evenhand.reports.calibrators import OVERALL_MEASURES, calibrator_title
from reports.pages import NASTY, parsed, printed

CLASSES = ["calm", "rude", "threat"]


def compared(table: pl.DataFrame, beside: str | None = None, **roles) -> eh.Report:
    roles = {"probabilities": [f"p_{name}" for name in CLASSES], "label": "kind"} | roles
    first, second = (eh.open_evidence(half, eh.Declaration.of(roles)) for half in (table.head(600), table.tail(-600)))
    settings = RecalibrationSettings.of({"seeds": 3})
    return eh.Report((compare_calibrators(first, second, settings, beside={beside: second} if beside else None),))


@pytest.fixture(scope="module")
def report(classed: pl.DataFrame) -> eh.Report:
    return compared(classed)


def table(page: str, title: str) -> str:
    return page.split(title)[1].split("</table>")[0]


def test_the_recommendation_comes_first(report: eh.Report) -> None:
    page, (finding,) = report.html(), report.findings
    parsed(page)
    card = page.split("</article>")[0]
    (verdict,) = finding.verdicts
    (chosen,) = finding.readings_about(RecalibrationTopic.RECOMMENDED)
    assert (verdict.statement, verdict.slice) == (chosen.text, chosen.slice)
    assert f'<p class="big"><b>{verdict.statement}</b></p>' in card
    for reading in finding.readings:
        assert reading.text in card
    assert f"`method` {chosen.slice['calibrator']}" in verdict.action
    assert verdict.action.replace("`method`", "<code>--method</code>") in card
    assert "confidence intervals" not in page.split("</header>")[0]


def test_rows_are_calibrators_and_columns_classes(report: eh.Report) -> None:
    page = report.html()
    names = ["none", *(name for name, method in METHODS.items() if not method.binary)]
    for title, overall in (("<h3>Class ECE", "all items (ECE)"), ("<h3>Class ACE", "all items (ACE)")):
        found = table(page, title)
        assert re.findall(r"<tr><th><bdi>([^<]+)</bdi></th>\n<td", found) == [calibrator_title(name) for name in names]
        assert re.findall(r'<th title="[^"]*"><bdi>([^<]+)</bdi></th>', found) == [*CLASSES, overall, "Weighted F1"]


def test_the_best_of_each_column_is_marked_and_explained(report: eh.Report) -> None:
    page, (finding,) = report.html(), report.findings
    shown = table(page, "<h3>Class ECE")
    for name in CLASSES:
        best = [
            e
            for m in finding
            if m.measure == "class_ece" and set(m.slice) == {"calibrator", "class"}
            if m.slice["class"] == name and "best" in (e := m.estimate).flags
        ]
        assert len(best) == 1
        assert f'class="best"><span class="value">{best[0].value:.4f}</span>' in shown
    assert "is the best value of its column" in page
    said = printed(report)
    assert "* best of its column" in said
    assert "●" not in said
    assert "stands out" not in said


def test_all_measures_are_there(report: eh.Report) -> None:
    page, (finding,) = report.html(), report.findings
    for measure in (*OVERALL_MEASURES, *CLASSWISE_ERRORS):
        found = finding.get(measure, calibrator="ts")
        assert f"{found.value:.{3 if measure in ('accuracy', 'weighted_f1') else 4}f}" in page
    bins = table(page, "Effect of the number of bins")
    assert f"{finding.get('cece', calibrator='none', bins='20').value:.4f}" in bins
    assert 'class="best"' not in bins


@pytest.mark.parametrize("width", [80, 120])
def test_a_terminal_has_the_tables_too(report: eh.Report, width: int) -> None:
    said = printed(report, width).splitlines()
    assert max(len(line.rstrip()) for line in said) <= width
    for title in ("Class ECE", "Class ACE", "All items", "Summary of the class ECEs", "Uncalibrated, by"):
        assert any(line.startswith(title) for line in said)
    e = report.findings[0].get("class_ece", calibrator="wts", **{"class": "threat"})
    rows = [line for line in said if line.startswith("wts")]
    assert f"{e.value:.4f}" in rows[0]
    spread = [line for line in said if re.search(r"\.\d+ to \.\d+", line)]
    assert bool(spread) == (width == 120)


def test_many_classes_are_folded_in_a_terminal() -> None:
    import numpy as np

    rng = np.random.default_rng(2)
    p = rng.dirichlet(np.full(9, 0.6), 1200)
    names = [f"class number {k}" for k in range(9)]
    label = (rng.random((1200, 1)) > p.cumsum(axis=1)).sum(axis=1).clip(0, 8)
    frame = pl.DataFrame({name: p[:, k] for k, name in enumerate(names)}).with_columns(
        pl.Series("kind", np.array(names)[label])
    )
    said = printed(compared(frame, probabilities=names, classes=names), 80).splitlines()
    assert max(len(line.rstrip()) for line in said) <= 80
    assert sum(line.startswith("Class ECE ") or line.strip() == "Class ECE" for line in said) == 3


def test_other_models_beside_and_markup(classed: pl.DataFrame) -> None:
    report = compared(classed, beside=NASTY)
    page = report.html()
    parsed(page)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_two_classes(small: pl.DataFrame) -> None:
    wide = pl.concat([small, small.with_columns(pl.col("first") ** 1.1)])
    page = compared(wide, probabilities=None, score="first", label="y").html()
    parsed(page)
    assert "beta calibration (beta)" in page
    assert "Platt scaling (platt)" in page
