"""Several audits, an earlier run and tables, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

ROLES = ["--score", "first", "--label", "y", "--groups", "a,b"]


@pytest.fixture
def items(small: pl.DataFrame, program) -> str:
    small.head(300).write_parquet("earlier.parquet")
    small.tail(300).write_parquet("now.parquet")
    return "now.parquet"


def test_what_changed_is_in_the_terminal_the_json_and_the_page(program, items: str) -> None:
    assert program("audit", "earlier.parquet", *ROLES, "-o", "earlier").code == 0
    done = program("audit", items, *ROLES, "-o", "now", "--compare", "earlier/findings.json")
    assert done.code == 0, done.err
    assert "What has changed since the earlier run?" in done.out
    assert "The whole in one minute" in done.out
    found = json.loads(Path("now/findings.json").read_text())["findings"]
    assert [finding["audit"] for finding in found] == ["bias", "comparison"]
    assert found[1]["provenance"]["earlier"] == "earlier/findings.json"
    assert 'id="comparison"' in Path("now/report.html").read_text()


def test_the_same_file_is_warned_about(program, items: str) -> None:
    program("audit", items, *ROLES, "-o", "once")
    done = program("audit", items, *ROLES, "--threshold", "0.7", "--json", "--compare", "once/findings.json")
    caveats = json.loads(done.out)["findings"][1]["caveats"]
    assert "no independent samples" in caveats[0]
    assert any("threshold none → 0.7" in caveat for caveat in caveats)


def test_a_missing_earlier_run_is_one_line_before_any_work(program, items: str) -> None:
    done = program("audit", items, *ROLES, "--compare", "nowhere.json")
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert "nowhere.json" in done.err


def test_tables_are_written_beside_the_report(program, items: str) -> None:
    done = program("audit", items, *ROLES, "-o", "out", "--tables", "markdown,latex")
    assert done.code == 0, done.err
    assert {path.suffix for path in Path("out/tables").iterdir()} == {".md", ".tex"}


@pytest.mark.parametrize(
    ("more", "said"), [(["--tables", "word"], "no tables in 'word'"), (["--tables", "latex", "--json"], "--out")]
)
def test_tables_that_cannot_be_are_one_line(program, items: str, more: list[str], said: str) -> None:
    done = program("audit", items, *ROLES, *more)
    assert done.code == 2
    assert said in done.err
    assert not Path("evenhand-report").exists()
