"""evenhand reproduce: lists, writes, prints, and fails in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evenhand.reproduce import PAPERS
from reproduce import tiny


def test_without_a_paper_it_lists_all_with_their_data(program) -> None:
    done = program("reproduce")
    assert done.code == 0
    for paper in PAPERS.values():
        assert f"{paper.name}: {paper.title}" in done.out
    assert "https://www.kaggle.com/c/jigsaw-unintended-bias" in done.out


@pytest.mark.verify
def test_it_writes_a_report_and_says_what_held(program, tmp_path: Path) -> None:
    tiny.madlibs(tmp_path)
    done = program("reproduce", "bias", "--data", tmp_path, "--out", tmp_path / "out")
    assert done.code == 0, done.err
    assert "held       Each shape moves the measures" in done.out
    assert f"report: {tmp_path / 'out' / 'report.html'}" in done.out
    data = json.loads((tmp_path / "out" / "results.json").read_text())
    assert data["command"] == "evenhand reproduce bias --data DATA"
    assert str(tmp_path) not in (tmp_path / "out" / "results.md").read_text()


@pytest.mark.verify
def test_json_is_all_that_is_printed(program, tmp_path: Path) -> None:
    tiny.madlibs(tmp_path)
    done = program("reproduce", "bias", "--data", tmp_path, "--json", "--seed", 3)
    assert json.loads(done.out)["command"].endswith("--seed 3")
    assert not Path("evenhand-reproduced").exists()


def test_bad_input_is_one_line(program, tmp_path: Path) -> None:
    for arguments, said in (
        (("bia", "--data", tmp_path), "there is no paper 'bia'; did you mean 'bias'?"),
        (("bia",), "there is no paper 'bia'; did you mean 'bias'?"),
        (("bias",), "name the folder of the data: --data FOLDER, or --download FOLDER to download it"),
        (("bias", "--data", tmp_path, "--download", tmp_path), "name the folder of the data"),
        (("bias", "--data", tmp_path / "none"), "there is no such folder"),
        (
            ("bias", "--data", tmp_path),
            "no data that this paper needs is in this folder: get Jigsaw's scored template set",
        ),
    ):
        done = program("reproduce", *arguments)
        assert done.code == 2, arguments
        assert said in done.err
        assert done.err.count("\n") == 1


def test_data_is_fetched_and_what_cannot_be_is_said(program, tmp_path: Path, monkeypatch) -> None:
    """The fetching itself is tested beside the fetcher; here what is told of it."""
    from evenhand.reproduce.corpora import fetching

    def fetch_all(corpora, folder: Path, *, progress):
        tiny.madlibs(folder)
        names = [corpus.name for corpus in corpora]
        return [fetching.FetchedFile("https://x/data.csv", 3, "0" * 64, fetching.ChecksumSource.FIRST_FETCH)], [
            f"{names[0]} is not to be had"
        ]

    monkeypatch.setattr(fetching, "fetch_all", fetch_all)
    folder = tmp_path / "fetched"
    folder.mkdir()
    done = program("reproduce", "bias", "--download", folder, "--json")
    assert done.code == 0
    assert "no checksum is published, so this one was written down: https://x/data.csv" in done.err
    assert "not fetched: civil_comments is not to be had" in done.err
    done = program("reproduce", "collaboration", "--download", folder)
    assert done.code == 2
    assert "these cannot be fetched: give --data" in done.err
