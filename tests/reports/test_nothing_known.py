"""Reports of data that say nothing: every number undefined, every reason shown, and nothing breaks."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import numpy as np
import polars as pl
import pytest
from rich.console import Console

import evenhand as eh
from evenhand.estimate import Estimate
from evenhand.figures import figures
from evenhand.finding import Finding, Measured
from evenhand.reports.bias import shade
from evenhand.reports.comparison import changes
from evenhand.reports.papers import sheets
from evenhand.reports.papers.markdown import markdown
from evenhand.reports.summary import summary
from evenhand.reports.summary.point import half_width, listed
from evenhand.reports.terminal import show

WHY = "nobody was asked"


def table() -> pl.DataFrame:
    rng = np.random.default_rng(4)
    label, a = rng.random(600) < 0.3, rng.random(600) < 0.4
    p = 1.0 / (1.0 + np.exp(-(2.0 * label - 1.0 + 0.8 * a + rng.normal(size=600))))
    return pl.DataFrame({"p": p, "y": label, "a": a, "removed": p > 0.8, "lang": rng.choice(["de", "en"], 600)})


def unknown(finding: Finding) -> Finding:
    """The same finding where nothing but what was counted has a value."""

    def emptied(m: Measured) -> Measured:
        kept = (m.estimate.method == "exact" and m.measure.endswith("count")) or m.estimate.value is None
        return m if kept else replace(m, estimate=Estimate.undefined(WHY, level=m.estimate.level, n=m.estimate.n))

    return replace(finding, estimates=tuple(map(emptied, finding)), exhibits=())


@pytest.fixture(scope="module")
def known(perspectives: dict[str, eh.Report]) -> dict[str, Finding]:
    first = ["bias", "collaboration", "calibration"]
    roles = {"score": "p", "label": "y", "groups": ["a"], "slices": "lang", "replicates": 50}
    report = eh.audit(table().head(300), audits=first, **roles)
    found = {finding.audit: finding for finding in report}
    (found["accuracy"],) = eh.audit(table(), audits="accuracy", label="y", decision="removed", slices="lang")
    (found["perspective"],) = perspectives["one"]
    return found


@pytest.mark.parametrize("audit", ["bias", "collaboration", "calibration", "accuracy", "perspective"])
def test_a_finding_without_values(known: dict[str, Finding], audit: str) -> None:
    finding = unknown(known[audit])
    out = StringIO()
    show((finding,), Console(file=out, width=120))
    assert finding.question in out.getvalue()
    page = eh.Report((finding,)).html()
    assert finding.question in page
    assert WHY in page
    list(figures(finding))
    for sheet in sheets([finding]):
        assert sheet.title in markdown(sheet) or markdown(sheet)
    points = summary([finding]).points
    if audit in ("collaboration", "calibration", "perspective"):
        assert [point.status for point in points] == ["open"]
        assert WHY in points[0].found


def test_a_summary_without_steps() -> None:
    finding = Finding("new", "Is it so?", (Measured("share", {}, Estimate(0.2, 0.1, 0.3, 0.95, "m", 9)),), (), {})
    out = StringIO()
    show((finding, replace(finding, audit="newer")), Console(file=out, width=100))
    assert "The whole in one minute" in out.getvalue()
    assert "What to do next" not in out.getvalue()


def test_many_names_are_cut() -> None:
    assert listed(list("abcdefgh")) == "a, b, c, d, e, f and 2 more"
    assert listed(list("abc")) == "a, b, c"


def test_tables_of_one_name_do_not_write_over_one_another() -> None:
    one = Finding("new", "Is it so?", (Measured("count", {}, Estimate.exact(3.0, level=0.95, n=3)),), (), {})
    first, second, third = sheets([one, one, one])
    assert (second.name, third.name) == (f"{first.name}-2", f"{first.name}-3")
    assert not any("intervals" in meaning for _, meaning in first.notes)
    assert markdown(first).count("\n\n") == 1  # a title and a table, and no notes


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
    first, second = changes(Finding("comparison", "?", estimates, (), {}))
    assert (first.measure, second.measure) == ("precision", "recall")
    assert second.size == 0.0
    assert second.now == some
    assert first.now == nothing


def test_nothing_is_as_wide_as_what_has_no_value() -> None:
    assert half_width(Estimate.undefined(WHY, level=0.95, n=0)) is None
    assert half_width(Estimate.tested(0.3, 0.04, level=0.95, method="m", n=9)) is None
    assert shade("bpsn_auc", Estimate.undefined(WHY, level=0.95, n=0)) == ""
    assert shade("bpsn_auc", None) == ""


def test_tables_of_data_without_groups() -> None:
    audits = ["collaboration", "calibration"]
    report = eh.audit(table().head(150), audits=audits, score="p", label="y", capacities=[0.1, 0.3], replicates=50)
    named = [sheet.title for sheet in sheets(report.findings)]
    assert any("with review" in title for title in named)
    assert not any("group" in title.lower() for title in named)
    assert "10 %" in report.html()


def test_the_ends_of_several_fits_are_no_intervals() -> None:
    fits = Estimate(0.2, 0.1, 0.3, 0.95, "lowest_and_highest", 9)
    (sheet,) = sheets([Finding("new", "Is it so?", (Measured("share", {}, fits),), (), {})])
    assert ("", "In brackets the lowest and the highest of the fits.") in sheet.notes
