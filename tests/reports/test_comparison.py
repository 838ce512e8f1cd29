"""The section on what changed since an earlier run: the same from a file, and the verdict in the summary."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

import evenhand as eh
from comparison.made import audited, made
from evenhand.comparison.changes import changed_numbers
from evenhand.comparison.runs import compare_runs
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Measured, Status
from evenhand.findings_file import from_json, to_json
from evenhand.reports.audit_table import summarise
from evenhand.reports.comparison import SECTION
from evenhand.reports.terminal import print_findings

WHY = "nobody was asked"


@pytest.fixture(scope="module")
def finding() -> Finding:
    return compare_runs([audited(made(1, shift=1.2))], [audited(made(2))])


def test_a_finding_from_a_file_shows_all_that_it_showed(finding: Finding) -> None:
    (loaded,) = from_json(to_json([finding]), source="a file")
    assert to_json([loaded]) == to_json([finding])
    assert eh.Report((loaded,)).html() == eh.Report((finding,)).html()
    assert SECTION.context(loaded) == SECTION.context(finding)
    assert SECTION.lines(loaded) == SECTION.lines(finding)


def test_the_summary_says_what_the_finding_says(finding: Finding) -> None:
    (verdict,) = finding.verdicts
    assert verdict.status is Status.STANDS_OUT
    assert "are statistically significant" in verdict.statement
    assert "Negative AEG of g" in verdict.certainty
    assert verdict.action
    assert [one.verdict for one in summarise([finding]).verdicts] == [verdict]


def test_a_comparison_of_an_earlier_version_is_shown_without_its_verdict(finding: Finding) -> None:
    old = replace(finding, verdicts=(), exhibits=())
    assert SECTION.context(old) == SECTION.context(finding)
    out = StringIO()
    print_findings([old], Console(file=out, width=140))
    assert "are statistically significant" in out.getvalue()
    assert SECTION.context(replace(old, readings=()))["reading"] == ""


def test_changes_of_what_had_no_value() -> None:
    nothing = Estimate.undefined(WHY, level=0.95, n=0)
    some = Estimate(0.2, 0.1, 0.3, 0.95, "m", 9)
    estimates = (
        Measured("recall", {"of": "accuracy", "run": "earlier"}, nothing),
        Measured("recall", {"of": "accuracy", "run": "now"}, some),
        Measured("recall", {"of": "accuracy", "run": "now", "against": "earlier"}, nothing),
        Measured("precision", {"of": "accuracy", "run": "earlier"}, some),
        Measured("precision", {"of": "accuracy", "run": "now"}, nothing),
        Measured("precision", {"of": "accuracy", "run": "now", "against": "earlier"}, some),
    )
    first, second = changed_numbers(Finding("comparison", "?", estimates, (), {}))
    assert (first.measure, second.measure) == ("precision", "recall")
    assert second.size == 0.0
    assert second.now == some
    assert first.now == nothing
