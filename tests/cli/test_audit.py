"""Several audits, an earlier run and tables, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cli.program import ran

ROLES = ["--score", "first", "--label", "y", "--groups", "a,b", "--audits", "bias"]


@pytest.fixture
def items(small: pl.DataFrame, program) -> str:
    small.head(300).write_parquet("earlier.parquet")
    small.tail(300).write_parquet("now.parquet")
    return "now.parquet"


@pytest.mark.verify
def test_what_changed_is_in_the_terminal_the_json_and_the_page(program, items: str) -> None:
    assert program("audit", "earlier.parquet", *ROLES, "-o", "earlier").code == 0
    done = program("audit", items, *ROLES, "-o", "now", "--compare", "earlier/findings.json")
    assert done.code == 0, done.err
    assert "What has changed since the earlier run?" in done.out
    assert "Summary" in done.out
    found = json.loads(Path("now/findings.json").read_text())["findings"]
    assert [finding["audit"] for finding in found] == ["bias", "comparison"]
    assert found[1]["provenance"]["earlier"] == "earlier/findings.json"
    assert 'id="comparison"' in Path("now/report.html").read_text()


@pytest.mark.verify
def test_the_same_file_is_warned_about(program, items: str) -> None:
    program("audit", items, *ROLES, "-o", "once")
    done = program("audit", items, *ROLES, "--threshold", "0.7", "--json", "--compare", "once/findings.json")
    caveats = json.loads(done.out)["findings"][1]["caveats"]
    assert "not independent samples" in caveats[0]
    assert any("threshold none → 0.7" in caveat for caveat in caveats)


def test_a_missing_earlier_run_is_one_line_before_any_work(program, items: str) -> None:
    done = program("audit", items, *ROLES, "--compare", "nowhere.json")
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert "nowhere.json" in done.err


@pytest.mark.verify
def test_tables_are_written_beside_the_report(program, items: str) -> None:
    done = program("audit", items, *ROLES, "-o", "out", "--tables", "markdown,latex")
    assert done.code == 0, done.err
    assert {path.suffix for path in Path("out/tables").iterdir()} == {".md", ".tex"}


@pytest.mark.parametrize(
    ("more", "said"),
    [(["--tables", "word"], "there is no table format 'word'"), (["--tables", "latex", "--json"], "--out")],
)
def test_tables_that_cannot_be_are_one_line(program, items: str, more: list[str], said: str) -> None:
    done = program("audit", items, *ROLES, *more)
    assert done.code == 2
    assert said in done.err
    assert not Path("evenhand-report").exists()


def table(rows: int = 200, **columns) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    p = rng.beta(0.5, 2.0, rows)
    base = {
        "p": p,
        "q": rng.random(rows),
        "y": rng.random(rows) < p,
        "g": rng.random(rows) < 0.5,
        "text": ["a b"] * rows,
    }
    return pl.DataFrame({**base, **columns})


def test_words_and_ranks_beside_a_file_are_found_from_anywhere(program) -> None:
    Path("there").mkdir()
    removed = np.arange(200) < 60
    table(removed=removed, text=["women talk", "men talk"] * 100, language=["de", "en", "fr", "it"] * 50).write_parquet(
        "there/items.parquet"
    )
    Path("there/terms.txt").write_text("w: women\nm: men\n")
    columns = 'data = "items.parquet"\n[columns]\nlabel = "y"\n'
    Path("there/bias.toml").write_text(columns + 'score = "p"\ntext = "text"\nterms = "terms.txt"\n')
    found = json.loads(ran(program, "audit", "there/bias.toml", "--audits", "bias", "--json"))["findings"][0]
    assert {e["slice"].get("group") for e in found["estimates"]} >= {"w", "m"}
    pl.DataFrame({"language": ["de", "en", "fr", "it"], "prevalence": [0.1, 0.2, 0.3, 0.4]}).write_csv(
        "there/other.csv"
    )
    Path("there/ranks.toml").write_text(
        columns + 'decision = "removed"\nslices = ["language"]\n[settings]\nrank_with = "other.csv"\n'
    )
    found = json.loads(ran(program, "audit", "there/ranks.toml", "--audits", "accuracy", "--json"))["findings"][0]
    assert any(e["measure"] == "kendall_tau" for e in found["estimates"])
    assert not any("Not ranked, because missing" in caveat for caveat in found["caveats"])


def test_groups_of_whole_numbers(program) -> None:
    table().with_columns(pl.col("g").cast(pl.Int64)).write_parquet("items.parquet")
    out = ran(program, "audit", "items.parquet", "--score", "p", "--label", "y", "--groups", "g", "--json")
    assert any(e["slice"].get("group") == "g" for e in json.loads(out)["findings"][0]["estimates"])


def accuracy(**columns) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    removed = np.arange(300) < 60
    base = {
        "y": (rng.random(300) < np.where(removed, 0.9, 0.1)).astype(float),
        "removed": removed,
        "pi": np.where(removed, 0.5, 0.02),
        "s": np.where(removed, "removed", "visible"),
        "language": ["de", "fr", "it"] * 100,
    }
    return pl.DataFrame({**base, **columns}, strict=False)
