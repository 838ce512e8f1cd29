"""Tables for papers: escaped, aligned, intervals in brackets, a note for every mark and undefined cell."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Measured
from evenhand.reports import paper_formats as latex_tables
from evenhand.reports import paper_formats as markdown_tables
from evenhand.reports.paper_formats import latex_table, markdown_table
from evenhand.reports.paper_tables import PaperTable, TableCell, _note_letter, file_slug, paper_tables

AWKWARD = r"50% of $A & B_{1}^2 #~ <i>|\x"


@pytest.fixture(scope="module")
def report() -> eh.Report:
    rng = np.random.default_rng(2)
    label, a = rng.random(900) < 0.3, rng.random(900) < 0.3
    p = 1.0 / (1.0 + np.exp(-(2.0 * label - 1.0 + 1.4 * a + rng.normal(size=900))))
    few = np.arange(900) < 4
    frame = pl.DataFrame({"p": p, "y": label & ~few, AWKWARD: a, "few": few, "lang": rng.choice(["de", "en"], 900)})
    audits = ["bias", "collaboration", "calibration"]
    groups = [AWKWARD, "few"]
    return eh.audit(frame, audits=audits, score="p", label="y", groups=groups, slices="lang", replicates=50)


def balanced(text: str) -> bool:
    depth = 0
    for one in re.findall(r"\\.|[{}]", text):
        depth += {"{": 1, "}": -1}.get(one, 0)
        if depth < 0:
            return False
    return depth == 0


def test_every_latex_table_is_balanced_and_of_one_width(report: eh.Report) -> None:
    tables = report.tables("latex")
    assert len(tables) > 10
    for name, text in tables.items():
        assert balanced(text), name
        columns = len(re.search(r"\\begin\{tabular\}\{(l[r]*)\}", text).group(1))  # type: ignore[union-attr]
        body = text[text.index(r"\toprule") : text.index(r"\bottomrule")]
        for line in body.splitlines():
            if line.endswith(r"\\"):
                assert len(re.findall(r"(?<!\\)&", line)) == columns - 1, line
        assert text.count(r"\begin") == text.count(r"\end") == 2
        for command in ("toprule", "midrule", "bottomrule", "caption", "label"):
            assert text.count(rf"\{command}") == 1


@pytest.mark.parametrize("letter", list("&%$#_{}~^\\"))
def test_no_letter_of_a_name_is_a_command(letter: str) -> None:
    made = latex_tables.escape_latex(f"x{letter}y")
    assert balanced(made)
    assert re.fullmatch(r"x(\\[&%$#_{}]|\\text\w+\{\})y", made)


def test_what_users_wrote_is_plain_in_both(report: eh.Report) -> None:
    table = next(t for n, t in report.tables("latex").items() if "groups-lowest" in n)
    assert r"50\% of \$A \& B\_\{1\}\textasciicircum{}2 \#\textasciitilde{}" in table
    assert r"\textless{}i\textgreater{}\textbar{}\textbackslash{}x" in table
    lines = next(t for n, t in report.tables("markdown").items() if "groups-lowest" in n)
    assert markdown_tables.escape_markdown(AWKWARD) in lines
    assert "<i>" not in lines


def test_rows_that_start_like_an_option_are_guarded() -> None:
    sheet = PaperTable("t", "T", ("n",), [("[a]", [TableCell("1")]), ("*", [TableCell("2")])], ())
    assert "{}[a] & 1" in latex_table(sheet)
    assert "{}* & 2" in latex_table(sheet)


def test_markdown_is_aligned(report: eh.Report) -> None:
    for text in report.tables("markdown").values():
        rows = [line for line in text.splitlines() if line.startswith("|")]
        assert len({len(row) for row in rows}) == 1
        pipes = [[m.start() for m in re.finditer(r"(?<!\\)\|", row)] for row in rows]
        assert all(one == pipes[0] for one in pipes)


def test_intervals_stand_in_brackets_with_the_numbers_of_the_finding(report: eh.Report) -> None:
    e = report.findings[0].get("auroc")
    overall = next(t for n, t in report.tables("markdown").items() if n == "bias-overall.md")
    assert f"{e.value:.3f} \\[{e.low:.3f}, {e.high:.3f}\\]" in overall
    assert "In brackets: 95 % confidence intervals." in overall
    assert f"{e.value:.3f} [{e.low:.3f}, {e.high:.3f}]" in report.tables("latex")["bias-overall.tex"]


def test_undefined_cells_and_marks_have_notes(report: eh.Report) -> None:
    groups = next(t for n, t in report.tables("markdown").items() if "groups-lowest" in n)
    assert "–<sup>a</sup>" in groups
    assert "<sup>a</sup> undefined: there are no violating items in the group" in groups
    assert "<sup>*</sup> statistically significant after correction" in groups
    assert "<sup>†</sup> based on few items" in groups


def test_an_audit_without_a_section_has_a_table_too() -> None:
    estimates = (
        Measured("share", {}, Estimate(0.2, 0.1, 0.3, 0.9, "m", 9)),
        Measured("share", {"group": "x"}, Estimate.tested(0.2, 0.04, level=0.9, method="m", n=9)),
        Measured("other", {"group": "x"}, Estimate.undefined("nobody", level=0.9, n=0)),
    )
    (sheet,) = paper_tables([Finding("new", "Is it so?", estimates, (), {})])
    assert [title for title, _ in sheet.rows] == ["everything", "x"]
    assert sheet.rows[1][1][0].text == "0.200 (p = .040)"
    assert sheet.rows[0][1][1] == TableCell()
    assert "90 %" in markdown_table(sheet)


def test_names_differ_and_are_safe() -> None:
    assert file_slug("a/b: c?") == "a-b-c"
    assert file_slug("…") == "table"
    assert [_note_letter(n) for n in (0, 25, 26, 27, 701, 702)] == ["a", "z", "aa", "ab", "zz", "aaa"]


def test_files_are_written_on_request_and_old_ones_go(report: eh.Report, tmp_path: Path) -> None:
    one = eh.Report(report.findings[:1])
    one.save(tmp_path, tables=["markdown", "latex"])
    names = {path.name for path in (tmp_path / "tables").iterdir()}
    assert names == set(one.tables())
    assert {path.suffix for path in (tmp_path / "tables").iterdir()} == {".md", ".tex"}
    one.save(tmp_path, tables=["markdown"])
    assert {path.name for path in (tmp_path / "tables").iterdir()} == set(one.tables("markdown"))
    with pytest.raises(InputError, match="did you mean 'latex'"):
        one.save(tmp_path, tables=["latx"])


def table() -> pl.DataFrame:
    rng = np.random.default_rng(4)
    label, a = rng.random(600) < 0.3, rng.random(600) < 0.4
    p = 1.0 / (1.0 + np.exp(-(2.0 * label - 1.0 + 0.8 * a + rng.normal(size=600))))
    return pl.DataFrame({"p": p, "y": label, "a": a, "removed": p > 0.8, "lang": rng.choice(["de", "en"], 600)})


def test_tables_of_one_name_do_not_write_over_one_another() -> None:
    one = Finding("new", "Is it so?", (Measured("count", {}, Estimate.exact(3.0, level=0.95, n=3)),), (), {})
    first, second, third = paper_tables([one, one, one])
    assert (second.name, third.name) == (f"{first.name}-2", f"{first.name}-3")
    assert not any("intervals" in meaning for _, meaning in first.notes)
    assert markdown_table(first).count("\n\n") == 1  # a title and a table, and no notes


@pytest.mark.verify
def test_tables_of_data_without_groups() -> None:
    audits = ["collaboration", "calibration"]
    report = eh.audit(table().head(150), audits=audits, score="p", label="y", capacities=[0.1, 0.3], replicates=50)
    named = [sheet.title for sheet in paper_tables(report.findings)]
    assert any("with review" in title for title in named)
    assert not any("group" in title.lower() for title in named)
    assert "10 %" in report.html()


def test_the_ends_of_several_fits_are_no_intervals() -> None:
    fits = Estimate(0.2, 0.1, 0.3, 0.95, "lowest_and_highest", 9)
    (sheet,) = paper_tables([Finding("new", "Is it so?", (Measured("share", {}, fits),), (), {})])
    assert ("", "In brackets: lowest and highest of the fits.") in sheet.notes
