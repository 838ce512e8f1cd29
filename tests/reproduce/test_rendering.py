"""What is written: a page that loads nothing, Markdown, JSON, figures; the same numbers everywhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from evenhand.estimate import Estimate
from evenhand.reproduce import PAPERS
from evenhand.reproduce.corpora import CORPORA
from evenhand.reproduce.rendering import format_number, markdown_cell, save_result
from evenhand.reproduce.result import (
    EXACT,
    Omission,
    PaperResult,
    ReproducedCell,
    ReproducedTable,
    claims_about,
    exact_estimate,
    interval_of,
    judge_claim,
    mean_over_runs,
    not_testable,
    range_of_intervals,
    widest_interval,
)
from evenhand.reproduce.workspace import citation, published_tables
from evenhand.synthetic.bias_shapes import scores_with_shape
from reproduce.about import ABOUT


@pytest.fixture(scope="module")
def result() -> PaperResult:
    import evenhand as eh
    from evenhand.figures import draw_figures as figures

    finding = eh.audit(
        scores_with_shape("A", rows=2000, seed=1), score="score", label="label", groups=["group"], audits="bias"
    ).findings[0]
    rows = (
        ("one | two", (ReproducedCell(Estimate(0.51, 0.4, 0.6, 0.95, "m", 9), 0.5), ReproducedCell(None, 0.25))),
        ("<script>", (ReproducedCell(Estimate.undefined("no items", level=0.95, n=0), 0.5), ReproducedCell())),
    )
    table = ReproducedTable("table_1", "Table 1", "row", ("a", "b"), rows, on="made up", digits=2, notes=("why",))
    source = {
        "title": "C",
        "layout": "CSV",
        "rows": 3,
        "licence": "none",
        "files": [{"source": "c.csv", "sha256": "0" * 64}],
    }
    return PaperResult(
        (table,),
        (
            *claims_about("2,000 scores", [judge_claim("it is so", True, "1 > 0", interval="0.2 to 1.8")]),
            judge_claim("it is not", False, "", interval=EXACT),
            judge_claim("who knows", None, "", interval=not_testable("one | run")),
        ),
        tuple(figures(finding))[:1],
        slips=("a slip",),
        omissions=(Omission("Figure 9", "no data"),),
        sources=(source,),
    )


def test_everything_is_written_and_loads_nothing(result: PaperResult, tmp_path: Path) -> None:
    save_result(result, ABOUT, tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert "<script" not in page
    assert "http" not in page.split("</style>")[1].replace("http://www.w3.org/", "")
    assert "&lt;script&gt;" in page
    assert "A paper &lt;b&gt;" in page
    for said in ("not held", "undecided", "a slip", "Figure 9", "0" * 64, "evenhand reproduce bias --data DATA"):
        assert said in page
    text = (tmp_path / "results.md").read_text()
    assert "| claim | here | data used | numbers | interval (95 %) |" in text
    assert "| it is so | held | 2,000 scores | 1 > 0 | 0.2 to 1.8 |" in text
    assert "| who knows | undecided |  |  | not testable here: one \\| run |" in text
    assert "<td>0.2 to 1.8</td>" in page
    assert "| one \\| two | 0.51 (0.40 to 0.60) · paper 0.50 (+0.01) |" in text
    picture = text.split("](")[1].split(")")[0]
    assert (tmp_path / picture).exists()
    assert (tmp_path / picture).with_suffix(".png").read_bytes().startswith(b"\x89PNG")


def test_the_records_are_flat_and_know_the_difference(result: PaperResult, tmp_path: Path) -> None:
    save_result(result, ABOUT, tmp_path)
    data = json.loads((tmp_path / "results.json").read_text())
    assert data["command"] == ABOUT["command"]
    first, second, third = data["records"]
    assert first["difference"] == pytest.approx(0.01)
    assert (first["ours"], first["low"], first["published"]) == (0.51, 0.4, 0.5)
    assert "ours" not in second
    assert third["note"] == "no items"
    assert third["difference"] is None
    assert [one["verdict"] for one in data["claims"]] == ["held", "not held", "undecided"]


def test_how_numbers_are_written() -> None:
    assert format_number(1234.0, 0) == "1,234"
    assert format_number(1234.0, 3) == "1,234"
    assert format_number(12.0, 1) == "12.0"
    assert format_number(-0.25, 2) == "−0.25"
    assert format_number(0.00004, 4) == "4.0e−05"
    assert format_number(-0.00004, 3) == "0.000"
    assert format_number(-0.00004, 4, signed=True) == "0.0000"
    assert format_number(0.02, 2, signed=True) == "+0.02"
    table = ReproducedTable("t", "t", "r", ("c",), (), on="", digits=3)
    assert markdown_cell(ReproducedCell(exact_estimate(2.0)), table) == "2.000"
    assert markdown_cell(ReproducedCell(None, 0.5), table) == "paper 0.500"
    assert markdown_cell(ReproducedCell(), table) == "–"
    assert (
        markdown_cell(ReproducedCell(mean_over_runs([1.0, 3.0], n=2), 1.5), table)
        == "2.000 (1.000 to 3.000) · paper 1.500 (+0.500)"
    )
    assert (
        markdown_cell(ReproducedCell(Estimate.tested(0.1, 0.04, level=0.95, method="m", n=3)), table)
        == "0.100 (p = 0.040)"
    )


def test_papers_name_corpora_that_there_are_and_where_they_are_published() -> None:
    for paper in PAPERS.values():
        assert set(paper.needs) <= set(CORPORA)
        assert set(paper.any_of) <= set(paper.needs)
        assert published_tables(paper.name)
        assert citation(paper.name) == paper.citation


def test_every_paper_has_its_section_in_the_docs_and_every_corpus_its_place() -> None:
    root = Path(__file__).parents[2]
    page = (root / "docs" / "reproduce.md").read_text()
    for name in PAPERS:
        assert f"\n## {name}\n" in page
    assert {name for paper in PAPERS.values() for name in paper.needs} | {"perspective_madlibs_published"} == set(
        CORPORA
    )


def test_committed_results_are_of_these_papers_small_and_without_a_path() -> None:
    folder = Path(__file__).parents[2] / "reproduced"
    found = [path for path in folder.rglob("*") if path.suffix in (".md", ".json", ".svg")]
    assert sum(path.stat().st_size for path in found) < 3_200_000
    for name in PAPERS:
        data = json.loads((folder / name / "results.json").read_text())
        assert data["command"] == f"evenhand reproduce {name} --data DATA"
        assert data["citation"] == PAPERS[name].citation
        text = (folder / name / "results.md").read_text()
        assert not re.search(r"""(?:^|[\s"'(`])(?:/\w+/\w|[A-Z]:\\)""", text + json.dumps(data)), "a path of a machine"
        for picture in re.findall(r"\]\((figures/[^)]+)\)", text):
            assert (folder / name / picture).exists()


def test_how_certain_the_numbers_of_a_claim_are() -> None:
    one, two = Estimate(0.5, 0.4, 0.7, 0.95, "m", 9), Estimate(0.9, 0.85, 0.95, 0.95, "m", 9)
    assert interval_of(one, ".1f") == "0.4 to 0.7"
    assert interval_of(exact_estimate(3.0)) == "exact"
    assert interval_of(None) == "none"
    assert widest_interval([one, None, two]) == "the widest of 2 intervals is ±0.150"
    assert range_of_intervals("groups", [one, two], ".2f") == "single groups: 0.40 to 0.95"
    assert range_of_intervals("groups", [None]) == "not testable here: groups have no intervals"
