"""The head of a report and its brief form: said in Python, on the command line or in TOML; two pages when printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.reports.cover import ReportCover
from reports.pages import NASTY, parsed

ROLES = {"score": "first", "label": "y", "groups": ["a", "b"], "replicates": 50}


@contextmanager
def opened(chromium: Any, page: str, width: int) -> Iterator[Any]:
    """The report in a browser, as wide as the window of a desk or of a phone."""
    window = chromium.new_page(viewport={"width": width, "height": 844})
    window.set_content(page)
    yield window
    window.close()


def printed_pages(chromium: Any, page: str) -> int:
    with opened(chromium, page, 1280) as window:
        return len(re.findall(rb"/Type\s*/Page[^s]", window.pdf(format="A4")))


UNLABELLED = """() => [...document.querySelectorAll("figure")].filter(figure => {
  const words = figure.querySelector("figcaption, h4") || figure.closest("details")?.querySelector("summary")
    || figure.previousElementSibling?.closest("h3, h4, figure")
  return !words?.textContent.trim() || !figure.querySelector(".role-axis-title text, .role-axis-title, [aria-label]")
}).length"""
TOO_SMALL = """() => [...document.querySelectorAll("figure svg text, td, th, p, li")].filter(one => {
  if (!one.textContent.trim() || !one.checkVisibility()) return false
  const drawn = one.ownerSVGElement
  const scale = drawn ? drawn.getBoundingClientRect().width / drawn.viewBox.baseVal.width : 1
  return parseFloat(getComputedStyle(one).fontSize) * scale < 8.9
}).length"""


def test_the_head_says_what_was_given(small: pl.DataFrame) -> None:
    given = {"title": f"Comments {NASTY}", "period": "July", "author": "T & S", "date": "2 October"}
    page = eh.audit(small, **ROLES, audits="bias", **given).html()
    parsed(page)
    assert "<script>alert" not in page
    assert re.search(r"<h1>Comments ", page)
    assert '<p class="byline">July · T &amp; S · 2 October</p>' in page
    plain = eh.audit(small, **ROLES, audits="bias").html()
    assert "byline" not in plain.split("</style>")[1]
    assert "<title>Evenhand report</title>" in plain


def test_a_declaration_has_a_head_and_options_replace_it(small: pl.DataFrame, tmp_path: Path) -> None:
    small.write_csv(tmp_path / "small.csv")
    text = 'data = "small.csv"\ntitle = "Comments"\nperiod = "July"\nbrief = true\naudits = ["bias"]\n[columns]\n'
    (tmp_path / "audit.toml").write_text(text + 'score = "first"\nlabel = "y"\ngroups = ["a"]\n', encoding="utf-8")
    cover = eh.audit(tmp_path / "audit.toml", period="August").cover
    assert (cover.title, cover.period, cover.brief) == ("Comments", "August", True)


@pytest.mark.parametrize(("name", "value"), [("title", 5), ("brief", "yes"), ("period", "x" * 301)])
def test_what_is_not_a_text_is_refused(small: pl.DataFrame, name: str, value: object) -> None:
    with pytest.raises(eh.InputError, match=f"invalid `{name}`"):
        eh.audit(small, **ROLES, audits="bias", **{name: value})  # type: ignore[arg-type]


def test_a_brief_report_has_the_answers_one_table_and_one_figure_each(small: pl.DataFrame) -> None:
    audits = ["bias", "calibration", "collaboration"]
    report = eh.audit(small, **ROLES, audits=audits, capacities=["1%", "5%"], brief=True)
    page = report.html()
    parsed(page)
    assert (page.count("<table"), page.count("<svg")) == (3, 3)
    assert "application/json" not in page
    for finding in report:
        assert f"<h2>{finding.question}</h2>" in page
    assert "Definitions" not in page


def test_audits_without_a_table_of_their_own_are_brief_too(perspectives: dict[str, eh.Report]) -> None:
    page = eh.Report(perspectives["one"].findings, cover=ReportCover(brief=True)).html()
    parsed(page)
    assert (page.count("<table"), page.count("<svg")) == (1, 1)


def test_one_capacity_has_no_curves(small: pl.DataFrame) -> None:
    one, two = (
        eh.audit(small, **ROLES, audits="collaboration", capacities=shares).html() for shares in (["5%"], ["1%", "5%"])
    )
    curves = [page.split("Effect of review capacity")[1].split("<table")[0].count("<svg") for page in (one, two)]
    assert curves == [0, 1]


@pytest.mark.verify
def test_a_report_of_many_groups_is_short_and_legible(chromium: Any) -> None:
    """27,750 items in 11 groups, three questions: at most 12 printed pages, or 2 in brief; every figure labelled."""
    rng = np.random.default_rng(3)
    y = rng.random(27_750) < 0.11
    groups = {f"group_with_a_long_name_{k}": rng.random(27_750) < 0.002 * 1.6**k for k in range(11)}
    logit = rng.normal(-2.6, 1.3, 27_750) + 3.6 * y + sum(0.3 * (k % 4) * g for k, g in enumerate(groups.values()))
    table = pl.DataFrame({"p": 1 / (1 + np.exp(-logit)), "y": y, "text": ["some words"] * 27_750, **groups})
    asked = ["bias", "calibration", "collaboration"]
    report = eh.audit(table, score="p", label="y", text="text", groups=list(groups), audits=asked, replicates=50)
    page = report.html()
    assert printed_pages(chromium, page) <= 12
    assert len(page.encode()) < 1_500_000
    brief = eh.Report(report.findings, cover=ReportCover(brief=True))
    assert printed_pages(chromium, brief.html()) <= 2
    with opened(chromium, page, 390) as window:
        assert window.evaluate("document.documentElement.scrollWidth") == 390
        assert window.evaluate("document.querySelectorAll('figure svg').length") > 10
        assert window.evaluate(UNLABELLED) == 0
        assert window.evaluate(TOO_SMALL) == 0
