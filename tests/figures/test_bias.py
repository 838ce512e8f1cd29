"""Figures are drawn from a finding alone, worst group first, and show what they say."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.audits.bias.verdicts import worst_first
from evenhand.figures import draw_figures
from evenhand.findings_file import from_json, to_json


@pytest.fixture
def finding(small: pl.DataFrame) -> eh.Finding:
    return eh.audit(
        small, score=["first", "second"], label="y", groups=["b", "a"], text="text", audits="bias"
    ).findings[0]


@pytest.mark.verify
def test_an_overview_then_two_figures_a_group(finding: eh.Finding) -> None:
    drawn = draw_figures(finding)
    assert [(f.name, f.about.get("group")) for f in drawn] == [
        ("groups", None),
        ("distribution", "a"),
        ("curve", "a"),
        ("distribution", "b"),
        ("curve", "b"),
    ]
    assert worst_first(finding) == ["a", "b"]
    assert len({f.file for f in drawn}) == len(drawn)


def test_of_many_groups_small_ones_are_left_to_the_tables() -> None:
    rng = np.random.default_rng(0)
    groups = {f"g{n}": rng.random(2000) < (0.2 if n < 3 else 0.02) for n in range(13)}
    y = rng.random(2000) < 0.3
    table = pl.DataFrame({"p": np.clip(rng.normal(0.3 + 0.3 * y, 0.1), 0, 1), "y": y, **groups})
    for number, shown in ((12, 12), (13, 3)):
        report = eh.audit(table, score="p", label="y", groups=list(groups)[:number], audits="bias")
        overview = draw_figures(report.findings[0])[0]
        assert sum(f">{group}<" in overview.svg for group in groups) == shown
        assert ("Small groups are left out." in overview.caption) == (shown < number)
        assert ("Small groups (up to 100 items): " in report.html().split("All groups")[1].split("<svg")[0]) is True


def test_svg_and_png(finding: eh.Finding) -> None:
    overview = draw_figures(finding)[0]
    assert overview.svg.startswith("<svg")
    assert overview.png[:8] == b"\x89PNG\r\n\x1a\n"
    assert overview._repr_mimebundle_()["image/svg+xml"] == overview.svg


def test_the_area_of_the_curve_is_the_equality_gap(finding: eh.Finding) -> None:
    for kind, measure in (("tpr_curve", "positive_aeg"), ("fpr_curve", "negative_aeg")):
        for exhibit in finding.exhibits:
            if exhibit.kind == kind and "length" not in exhibit.slice:
                x, y = (np.asarray(exhibit.columns[axis]) for axis in ("background", "group"))
                assert (x[0], y[0]) == (0.0, 0.0)
                assert (x[-1], y[-1]) == (1.0, 1.0)
                area = float(np.trapezoid(y, x)) - 0.5
                gap = finding.get(measure, model=exhibit.slice["model"], group=exhibit.slice["group"]).value
                assert area == pytest.approx(gap, abs=0.01)


def test_distributions_are_shares(finding: eh.Finding) -> None:
    for exhibit in finding.exhibits:
        if exhibit.kind == "distribution":
            for name in ("group_violating", "group_benign", "background_violating", "background_benign"):
                assert sum(exhibit.columns[name]) == pytest.approx(1.0, abs=1e-9)


def test_file_names_are_safe(small: pl.DataFrame) -> None:
    odd = "../../x y/<z>"
    drawn = draw_figures(
        eh.audit(small.rename({"a": odd}), score="first", label="y", groups=[odd], audits="bias").findings[0]
    )
    assert drawn[1].file == "bias_distribution_-x-y-z"
    assert "/" not in drawn[1].file


def test_a_finding_of_nothing_draws_nothing_it_cannot(small: pl.DataFrame) -> None:
    """A group without background: nothing to compare, and no broken picture."""
    finding = eh.audit(
        small.with_columns(pl.lit(True).alias("a")), score="first", label="y", groups="a", audits="bias"
    ).findings[0]
    for figure in draw_figures(finding):
        assert figure.svg.startswith("<svg")
        assert figure.png


def test_a_name_with_a_backslash_is_drawn(small: pl.DataFrame) -> None:
    report = eh.audit(small.rename({"a": r"a\x"}), score="first", label="y", groups=[r"a\x"], audits="bias")
    assert all("<svg" in figure.svg for figure in report.figures)


@pytest.mark.verify
def test_a_finding_from_a_file_draws_all_that_it_drew(finding: eh.Finding) -> None:
    (loaded,) = from_json(to_json([finding]), source="findings.json")
    assert to_json([loaded]) == to_json([finding])
    assert [(f.name, f.about, f.title, f.spec) for f in draw_figures(loaded)] == [
        (f.name, f.about, f.title, f.spec) for f in draw_figures(finding)
    ]
    assert bias_section(loaded) == bias_section(finding)


def bias_section(finding: eh.Finding) -> str:
    page = eh.Report((finding,)).html()
    return page[page.index("<h2>Main results</h2>") :]
