"""The summary of several audits: what stands out, what could have been seen, and what to do next."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import numpy as np
import polars as pl
import pytest
from rich.console import Console

import evenhand as eh
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Measured, Reading
from evenhand.reports.summary import Summary, bias, summary
from evenhand.reports.summary.point import Point, reach
from evenhand.reports.terminal import show


@pytest.fixture(scope="module")
def report() -> eh.Report:
    rng = np.random.default_rng(0)
    label, a, b = (rng.random(3000) < share for share in (0.3, 0.3, 0.2))
    logit = 2.0 * label - 1.0 + 1.5 * a + rng.normal(size=3000)
    honest = 1.0 / (1.0 + np.exp(-logit))
    frame = pl.DataFrame({"p": honest, "y": label, "a": a, "b": b})
    audits = ["bias", "collaboration", "calibration"]
    return eh.audit(frame, score="p", label="y", groups=["a", "b"], audits=audits, replicates=50)


def test_every_audit_says_something_and_links_to_its_section(report: eh.Report) -> None:
    page = report.html()
    assert "The whole in one minute" in page
    for finding in report:
        assert f'href="#{finding.audit}"' in page
        assert f'id="{finding.audit}"' in page
    assert page.index("The whole in one minute") < page.index('<section class="audit"')


def test_what_stands_out_is_told_with_its_number(report: eh.Report) -> None:
    points = [p for p in summary(report.findings).points if p.audit == "bias"]
    assert points[0].status == "stands_out"
    assert "a" in points[0].found
    e = report.findings[0].get("bpsn_auc", group="a")
    assert f"{e.value:.3f}" in points[0].sure
    assert points[0].next


def test_nothing_that_stands_out_says_how_much_could_have_been_seen(report: eh.Report) -> None:
    quiet = [p for p in summary(report.findings).points if p.status == "quiet" and p.audit == "bias"]
    assert quiet
    assert "±" in quiet[0].sure
    assert "hardly show" in quiet[0].sure


def test_one_audit_has_no_summary_of_the_whole(report: eh.Report) -> None:
    assert "The whole in one minute" not in eh.Report(report.findings[:1]).html()


def test_the_terminal_ends_with_it(report: eh.Report) -> None:
    out = StringIO()
    show(report.findings, Console(file=out, width=100))
    text = out.getvalue()
    assert text.index("The whole in one minute") > text.index(report.findings[-1].question)
    assert "What to do next" in text


def test_a_step_that_many_ask_for_is_said_once() -> None:
    points = (
        Point("quiet", "bias", "m", "x.", next="Label more."),
        Point("stands_out", "bias", "n", "y.", next="Read."),
    )
    steps = Summary((*points, replace(points[0], model="k")), ()).next()
    assert [step for step, _ in steps] == ["Read.", "Label more."]
    assert [point.model for point in steps[1][1]] == ["m", "k"]


def test_reach_goes_from_the_best_to_the_least_known() -> None:
    named = [("x", Estimate(0.5, 0.4, 0.55, 0.95, "m", 9)), ("y", Estimate(0.5, 0.49, 0.52, 0.95, "m", 9))]
    assert reach(named).startswith("known to within ±0.020 (y) to ±0.10 (x)")
    near = [(name, Estimate(0.5, 0.5 - width, 0.5, 0.95, "m", 9)) for name, width in (("w", 0.0399), ("m", 0.0412))]
    assert reach(near).startswith("known to within ±0.040 (w) to ±0.041 (m)")
    assert reach([near[0], ("m", near[0][1])]).startswith("known to within ±0.040;")
    assert reach([]) == ""
    assert reach([("z", Estimate.exact(3.0, level=0.95, n=3))]) == ""


@pytest.mark.parametrize(("groups", "said"), [(1, "the one group"), (2, "both groups"), (3, "all 3 groups")])
def test_so_many_groups_in_words(groups: int, said: str) -> None:
    rng = np.random.default_rng(3)
    label = rng.random(900) < 0.4
    columns = {f"g{number}": rng.random(900) < 0.5 for number in range(groups)}
    frame = pl.DataFrame({"p": 1.0 / (1.0 + np.exp(-1.0 * label - rng.normal(size=900))), "y": label, **columns})
    finding = eh.audit(frame, score="p", label="y", groups=list(columns), audits="bias").findings[0]
    assert [point.found for point in bias.points(finding)] == [f"No difference of {said} stands out."]


@pytest.mark.parametrize(
    ("estimate", "readings", "status"),
    [
        (Estimate(0.2, 0.1, 0.3, 0.95, "m", 9, flags=("stands_out",)), (), "stands_out"),
        (Estimate(0.2, 0.1, 0.3, 0.95, "m", 9), (Reading({}, "It is so."),), "measured"),
        (Estimate(0.2, 0.1, 0.3, 0.95, "m", 9), (), "quiet"),
    ],
)
def test_an_audit_without_words_of_its_own_is_summed_up_by_its_marks(
    estimate: Estimate, readings: tuple[Reading, ...], status: str
) -> None:
    finding = Finding("new", "Is it so?", (Measured("share", {}, estimate),), (), {}, readings)
    assert summary([finding]).points[0].status == status


def test_perspective_has_points_of_its_own(perspectives: dict[str, eh.Report]) -> None:
    (finding,) = perspectives["two"].findings
    points = summary([finding]).points
    assert {p.model for p in points} == {"p", "q"}
    assert all(p.status == "stands_out" and "women" in p.found and "women" in p.sure for p in points)
    unmarked = (replace(m, estimate=replace(m.estimate, flags=())) for m in finding)
    quiet = summary([replace(finding, estimates=tuple(unmarked))]).points
    assert all(p.status == "quiet" and "±" in p.sure for p in quiet)
