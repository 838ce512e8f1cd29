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
from evenhand.finding import Finding, Measured, Reading, Status, Verdict
from evenhand.formatting import precision_range
from evenhand.reports.audit_table import summarise
from evenhand.reports.summary import AuditVerdict, ReportSummary
from evenhand.reports.terminal import print_findings


@pytest.fixture(scope="module")
def report() -> eh.Report:
    rng = np.random.default_rng(0)
    label, a, b = (rng.random(3000) < share for share in (0.3, 0.3, 0.2))
    logit = 2.0 * label - 1.0 + 1.5 * a + rng.normal(size=3000)
    honest = 1.0 / (1.0 + np.exp(-logit))
    frame = pl.DataFrame({"p": honest, "y": label, "a": a, "b": b})
    audits = ["bias", "collaboration", "calibration"]
    return eh.audit(frame, score="p", label="y", groups=["a", "b"], audits=audits, replicates=50)


@pytest.mark.verify
def test_every_audit_says_something_and_links_to_its_section(report: eh.Report) -> None:
    page = report.html()
    assert "<h2>Summary</h2>" in page
    for finding in report:
        assert f'href="#{finding.audit}"' in page
        assert f'id="{finding.audit}"' in page
    assert page.index("<h2>Summary</h2>") < page.index('<section class="audit"')


def test_what_stands_out_is_told_with_its_number(report: eh.Report) -> None:
    verdicts = [verdict for audit, verdict in summarise(report.findings).verdicts if audit == "bias"]
    assert verdicts[0].status is Status.STANDS_OUT
    e = report.findings[0].get("fpr_ratio", group="a")
    assert f"group a are flagged {e.value:.2g} times as often" in verdicts[0].statement
    assert f"Between {e.low:.2g} and {e.high:.2g} times" in verdicts[0].certainty
    assert verdicts[0].action


def test_what_is_undetermined_says_how_much_it_could_be(report: eh.Report) -> None:
    verdicts = [verdict for audit, verdict in summarise(report.findings).verdicts if audit == "bias"]
    (undetermined,) = [verdict for verdict in verdicts if verdict.status is Status.OPEN]
    e = report.findings[0].get("fnr_ratio", group="b")
    assert f"items in group b is between {e.low:.2g} and {e.high:.2g} times that of" in undetermined.statement
    assert undetermined.action


def test_one_audit_has_no_summary_of_the_whole(report: eh.Report) -> None:
    assert "<h2>Summary</h2>" not in eh.Report(report.findings[:1]).html()


def test_the_terminal_ends_with_it(report: eh.Report) -> None:
    out = StringIO()
    print_findings(report.findings, Console(file=out, width=100))
    text = out.getvalue()
    assert text.index("\nSummary\n") > text.index(report.findings[-1].question)
    assert "Next steps" in text


def test_an_action_that_many_ask_for_is_said_once() -> None:
    verdicts = (
        Verdict(Status.QUIET, {"model": "m"}, "x.", action="Label more."),
        Verdict(Status.STANDS_OUT, {"model": "n"}, "y.", action="Read."),
        Verdict(Status.QUIET, {"model": "k"}, "x.", action="Label more."),
    )
    actions = ReportSummary(tuple(AuditVerdict("bias", verdict) for verdict in verdicts), ()).actions()
    assert [action for action, _ in actions] == ["Read.", "Label more."]
    assert [one.model for one in actions[1][1]] == ["m", "k"]


def test_a_finding_of_an_earlier_version_is_judged_by_its_audit(report: eh.Report) -> None:
    for finding in report:
        assert finding.verdicts
        assert summarise([replace(finding, verdicts=(), exhibits=())]) == summarise([finding])


def test_the_verdicts_of_a_finding_are_shown_as_they_are() -> None:
    verdict = Verdict(Status.OPEN, {"model": "m"}, "It is open.", "Nobody knows.", "Ask.")
    finding = Finding("new", "Is it so?", (), (), {}, verdicts=(verdict,))
    assert summarise([finding]).verdicts == (("new", verdict),)
    out = StringIO()
    print_findings((finding, finding), Console(file=out, width=100))
    assert "· new, m: It is open. Nobody knows." in out.getvalue()
    assert "1. Ask." in out.getvalue()


def test_reach_goes_from_the_best_to_the_least_known() -> None:
    named = [("x", Estimate(0.5, 0.4, 0.55, 0.95, "m", 9)), ("y", Estimate(0.5, 0.49, 0.52, 0.95, "m", 9))]
    assert precision_range(named).startswith("estimated to within ±0.020 (y) to ±0.10 (x)")
    near = [(name, Estimate(0.5, 0.5 - width, 0.5, 0.95, "m", 9)) for name, width in (("w", 0.0399), ("m", 0.0412))]
    assert precision_range(near).startswith("estimated to within ±0.040 (w) to ±0.041 (m)")
    assert precision_range([near[0], ("m", near[0][1])]).startswith("estimated to within ±0.040;")
    assert precision_range([]) == ""
    assert precision_range([("z", Estimate.exact(3.0, level=0.95, n=3))]) == ""


@pytest.mark.parametrize(("groups", "said"), [(1, "the only group"), (2, "either group"), (3, "any of the 3 groups")])
def test_so_many_groups_in_words(groups: int, said: str) -> None:
    rng = np.random.default_rng(3)
    label = rng.random(900) < 0.4
    columns = {f"g{number}": rng.random(900) < 0.5 for number in range(groups)}
    frame = pl.DataFrame({"p": 1.0 / (1.0 + np.exp(-1.0 * label - rng.normal(size=900))), "y": label, **columns})
    finding = eh.audit(frame, score="p", label="y", groups=list(columns), scale="rank", audits="bias").findings[0]
    assert [verdict.statement for verdict in finding.verdicts] == [
        f"No statistically significant difference for {said}."
    ]


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
    assert summarise([finding]).verdicts[0].verdict.status == status


def test_perspective_has_points_of_its_own(perspectives: dict[str, eh.Report]) -> None:
    (finding,) = perspectives["two"].findings
    found = summarise([finding]).verdicts
    assert {one.model for one in found} == {"p", "q"}
    verdicts = [one.verdict for one in found]
    assert all(v.status is Status.STANDS_OUT and "women" in v.statement and "women" in v.certainty for v in verdicts)


def test_a_summary_without_steps() -> None:
    finding = Finding("new", "Is it so?", (Measured("share", {}, Estimate(0.2, 0.1, 0.3, 0.95, "m", 9)),), (), {})
    out = StringIO()
    print_findings((finding, replace(finding, audit="newer")), Console(file=out, width=100))
    assert "\nSummary\n" in out.getvalue()
    assert "Next steps" not in out.getvalue()


def test_a_finding_without_a_section_says_what_it_amounts_to() -> None:
    verdict = Verdict(Status.MEASURED, {}, "There are nine items.", "That is a fact.")
    count = Measured("count", {}, Estimate.exact(9.0, level=0.95, n=9))
    finding = Finding("volume", "How many items are there?", (count,), (), {"source": "t"}, verdicts=(verdict,))
    out = StringIO()
    print_findings((finding,), Console(file=out, width=100))
    assert "There are nine items. That is a fact." in out.getvalue()
