"""A report in Python, and what lies in its folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

import evenhand as eh
from evenhand.audits.bias.verdicts import worst_first
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Measured
from evenhand.output_folder import write_file_list


@pytest.fixture
def report(small: pl.DataFrame) -> eh.Report:
    return eh.audit(small, score=["first", "second"], label="y", groups=["a", "b"], audits="bias")


def test_it_says_what_it_is(report: eh.Report) -> None:
    assert repr(report) == f"<Report of the frame (bias: {len(report.estimates)} estimates)>"
    assert len(repr(report.findings[0])) < 200
    assert [finding.audit for finding in report] == ["bias"]


def test_a_slice_that_is_not_there_is_explained(report: eh.Report) -> None:
    with pytest.raises(KeyError, match=r"exactly the slice.*'model': \['first', 'second'\]"):
        report.findings[0].get("bpsn_auc", group="a")


def test_findings_are_loaded_again(report: eh.Report, tmp_path: Path) -> None:
    path = report.save(tmp_path / "there") / "findings.json"
    again = eh.load(path)
    assert [m.record("bias") for m in again] == [m.record("bias") for m in report.findings[0]]
    assert again.readings == report.findings[0].readings
    with pytest.raises(eh.InputError, match="no finding of the audit 'other'"):
        eh.load(path, audit="other")
    with pytest.raises(eh.InputError, match="load them with evenhand"):
        eh.agreement(str(path), str(path))


def test_a_finding_agrees_with_itself(small: pl.DataFrame) -> None:
    groups = [f"g{i}" for i in range(8)]
    table = small.with_columns([((pl.col("id") * (i + 3) % 11) < 4).alias(name) for i, name in enumerate(groups)])
    found = eh.audit(table, score="first", label="y", groups=groups, audits="bias").findings[0]
    for measured in eh.agreement(found, found):
        assert measured.estimate.value == 1.0
        assert 0.5 < measured.estimate.low < 0.999


@pytest.mark.verify
def test_every_figure_has_a_file_and_old_ones_go(small: pl.DataFrame, tmp_path: Path) -> None:
    names = ["a/b", "a b", "A-b", "日本", "中国"]
    table = small.with_columns([((pl.col("id") + i) % 3 == 0).alias(name) for i, name in enumerate(names)])
    whole = eh.audit(table, score="first", label="y", groups=names, audits="bias")
    whole.save(tmp_path)
    files = [path.stem for path in (tmp_path / "figures").glob("*.svg")]
    assert len(files) == len(whole.figures) == 11
    assert len({name.casefold() for name in files}) == 11
    assert "bias_curve_日本" in files
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "figures" / "thesis.png").write_text("mine")
    eh.audit(table, score="first", label="y", groups=names[:1], audits="bias").save(tmp_path)
    assert len(list((tmp_path / "figures").glob("*.svg"))) == 3
    assert (tmp_path / "figures" / "thesis.png").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "estimates.csv",
        "figures",
        "files.json",
        "findings.json",
        "notes.txt",
        "report.html",
    ]


@pytest.mark.verify
def test_what_another_audit_left_goes_and_nothing_of_the_users(report: eh.Report, tmp_path: Path) -> None:
    report.save(tmp_path, tables=["markdown"])
    wrote = sorted(json.loads((tmp_path / "files.json").read_text())["files"])
    assert wrote == sorted(_files(tmp_path) - {"files.json"})
    kept = {"figures/bias_groups_mine.svg": "mine", "tables/bias-mine.md": "mine", wrote[-1]: "changed by hand"}
    for name, text in kept.items():
        (tmp_path / name).write_text(text)
    share = Measured("share", {}, Estimate(0.2, 0.1, 0.3, 0.9, "m", 9))
    other = Finding("other", "Is it so?", (share,), (), {"source": "x", "rows": 9})
    eh.Report((other,)).save(tmp_path)
    assert _files(tmp_path) == {"report.html", "findings.json", "estimates.csv", "files.json", *kept}
    assert {name: (tmp_path / name).read_text() for name in kept} == kept


@pytest.mark.verify
def test_folders_that_are_left_empty_go(report: eh.Report, tmp_path: Path) -> None:
    report.save(tmp_path, tables=["latex"])
    report.save(tmp_path)
    assert (tmp_path / "figures").is_dir()
    assert not (tmp_path / "tables").exists()


@pytest.mark.verify
def test_a_report_beside_the_tables_of_somebody_else(report: eh.Report, tmp_path: Path) -> None:
    (tmp_path / "items.parquet").write_text("theirs")
    write_file_list(tmp_path, {})
    report.save(tmp_path)
    report.save(tmp_path)
    assert (tmp_path / "items.parquet").read_text() == "theirs"
    assert "items.parquet" in json.loads((tmp_path / "files.json").read_text())["files"]


def _files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.verify
def test_a_failure_changes_nothing(report: eh.Report, tmp_path: Path) -> None:
    here = tmp_path / "here"
    report.save(here)
    shutil.rmtree(here / "figures")
    (here / "figures").symlink_to(tmp_path / "nowhere")
    before = (here / "estimates.csv").stat().st_mtime_ns
    with pytest.raises(eh.InputError, match="'figures' is a link to another folder"):
        report.save(here)
    assert (here / "estimates.csv").stat().st_mtime_ns == before
    assert not [path for path in here.iterdir() if path.name.startswith(".")]


def test_small_groups_come_last(small: pl.DataFrame) -> None:
    table = small.with_columns((pl.col("id") < 40).alias("few")).with_columns(
        pl.when(pl.col("few")).then(1.0 - pl.col("first")).otherwise("first").alias("first")
    )
    found = eh.audit(table, score="first", label="y", groups=["few", "a", "b"], audits="bias").findings[0]
    assert worst_first(found)[-1] == "few"
    assert found.get("subgroup_auc", group="few").value < found.get("subgroup_auc", group="a").value


def test_headers_of_a_spreadsheet_are_harmless(small: pl.DataFrame) -> None:
    odd = "=cmd|calc!A1"
    table = small.with_columns(pl.when("a").then(pl.lit("+x")).otherwise(pl.lit("y")).alias(odd))
    lines = eh.audit(table, score="first", label="y", groups="b", slices=odd, audits="bias").csv().splitlines()
    assert lines[0].endswith(f"'{odd}")
    assert any(line.endswith(",'+x") for line in lines)


@pytest.mark.verify
def test_the_threshold_is_said(small: pl.DataFrame) -> None:
    assert "at the threshold of 0.5" in eh.audit(small, score="first", label="y", groups="a", audits="bias").html()
    half = small.with_columns((100 * pl.col("second")).alias("second"))
    both = eh.audit(
        half, score=["first", "second"], scale=["probability", "percent"], label="y", groups="a", audits="bias"
    )
    assert "at the threshold (first: 0.5, second: 50)" in both.html()
    ranks = eh.audit(
        small, score=["first", "second"], scale=["probability", "rank"], label="y", groups="a", audits="bias"
    )
    assert "at the threshold (first: 0.5)" in ranks.html()
    with pytest.raises(eh.InputError, match="different scales"):
        eh.audit(
            half,
            score=["first", "second"],
            scale=["probability", "percent"],
            label="y",
            groups="a",
            threshold=0.4,
            audits="bias",
        )
