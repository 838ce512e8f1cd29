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
from evenhand.figures import draw_figures
from evenhand.finding import Finding, Measured
from evenhand.reports.audit_table import summarise
from evenhand.reports.paper_formats import markdown_table
from evenhand.reports.paper_tables import paper_tables
from evenhand.reports.terminal import print_findings

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
    print_findings((finding,), Console(file=out, width=120))
    assert finding.question in out.getvalue()
    page = eh.Report((finding,)).html()
    assert finding.question in page
    assert WHY in page
    list(draw_figures(finding))
    for sheet in paper_tables([finding]):
        assert sheet.title in markdown_table(sheet) or markdown_table(sheet)
    assert summarise([finding]).verdicts
