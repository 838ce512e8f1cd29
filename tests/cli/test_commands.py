"""The commands as a user runs them."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tomllib
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import evenhand as eh
from cli.program import refused
from evenhand.cli.output import progress_bar

ROLES = ["--score", "first,second", "--label", "y", "--groups", "a,b", "--audits", "bias"]


@pytest.fixture
def items(small: pl.DataFrame, program) -> str:
    small.write_csv("items.csv")
    return "items.csv"


def test_a_report_by_default(program, items: str) -> None:
    done = program("audit", items, *ROLES)
    assert done.code == 0, done.err
    assert "Does the model score groups differently?" in done.out
    assert "report: evenhand-report/report.html" in done.out
    files = {str(path) for path in Path("evenhand-report").rglob("*") if path.is_file()}
    assert {f"evenhand-report/{name}" for name in ("report.html", "findings.json", "estimates.csv")} <= files
    assert "evenhand-report/figures/bias_groups.svg" in files
    assert not [name for name in files if name.endswith(".png")]
    assert not [name for name in files if "/." in name]


def test_pictures_where_they_are_asked_for(program, items: str) -> None:
    assert program("audit", items, *ROLES, "--png").code == 0
    figures = Path("evenhand-report/figures")
    assert (figures / "bias_groups.png").read_bytes().startswith(b"\x89PNG")
    assert {path.stem for path in figures.glob("*.png")} == {path.stem for path in figures.glob("*.svg")}


def test_what_was_not_run_and_why(program, items: str) -> None:
    roles = ("--score", "first", "--label", "y", "--groups", "a", "--replicates", "50", "--capacities", "0.1")
    done = program("audit", items, *roles, "--where", "id < 150")
    people = "perspective (needs --annotator, --annotator-groups, --item)"
    assert f"not run: accuracy (needs --decision or --inclusion); {people}" in done.out.splitlines()
    for audit in ("bias", "collaboration", "calibration"):
        assert next(one.question for one in eh.AUDITS if one.name == audit) in done.out
    assert "not run" not in Path("evenhand-report/findings.json").read_text()


def test_json_and_nothing_else(program, items: str) -> None:
    done = program("audit", items, *ROLES, "--json")
    assert json.loads(done.out)["findings"][0]["audit"] == "bias"
    assert not Path("evenhand-report").exists()
    assert done.out == eh.audit(items, score=["first", "second"], label="y", groups=["a", "b"], audits="bias").json()


def test_json_with_a_folder(program, items: str) -> None:
    done = program("audit", items, *ROLES, "--json", "--out", "there")
    assert done.out == Path("there/findings.json").read_text()
    assert "there/report.html" in done.err


def test_csv_and_nothing_else(program, items: str) -> None:
    done = program("audit", items, *ROLES, "--csv")
    assert done.out.startswith("audit,measure,slice,value,low,high,level,method,n,note,flags")


def test_every_option_reaches_the_audit(program, small: pl.DataFrame) -> None:
    small.with_columns(
        pl.lit(1).alias("n"),
        pl.lit("en").alias("lang"),
        pl.when("y").then(pl.lit("bad")).otherwise(pl.lit("ok")).alias("y"),
    ).write_parquet("items.parquet")
    done = program(
        *("audit", "items.parquet", "--audits", "bias", "--score", "first", "--scale", "probability", "--label", "y"),
        *("--positive", "bad", "--groups", "a", "--group-threshold", "0.5", "--text", "text", "--id", "id"),
        *("--slice", "lang", "--count", "n", "--where", "id >= 0", "--threshold", "0.4", "--level", "0.9"),
        *(
            "--interval",
            "bootstrap",
            "--replicates",
            "50",
            "--seed",
            "3",
            "--intersections",
            "--tolerance",
            "1.5",
            "--examples",
            "1",
            "--json",
        ),
    )
    assert done.code == 0, done.err
    provenance = json.loads(done.out)["findings"][0]["provenance"]
    assert provenance["settings"] == {
        "level": 0.9,
        "threshold": 0.4,
        "interval": "bootstrap",
        "replicates": 50,
        "smallest_group": 5,
        "seed": 3,
        "intersections": True,
        "examples": 1,
        "tolerance": 1.5,
    }
    assert provenance["roles"]["positive"] == ["bad"]


def test_terms_from_a_file(program, small: pl.DataFrame) -> None:
    small.with_columns(
        pl.when("a").then(pl.lit("one Lesbian poet")).otherwise(pl.lit("a gay baker")).alias("text")
    ).write_csv("items.csv")
    Path("terms.txt").write_text("# words\nlesbian\nmen: gay, bi  # two\n")
    done = program(
        "audit", "items.csv", "--score", "first", "--label", "y", "--text", "text", "--terms", "terms.txt", "--json"
    )
    groups = {r["slice"].get("group") for r in json.loads(done.out)["findings"][0]["estimates"]}
    assert groups == {None, "lesbian", "men"}


def test_a_declaration_runs_again_and_again(program, items: str) -> None:
    Path("deep").mkdir()
    Path("deep/audit.toml").write_text(
        'data = "../items.csv"\naudits = ["bias"]\n[columns]\nscore = ["first", "second"]\nlabel = "y"\n'
        'groups = ["a", "b"]\n[settings]\nlevel = 0.9\n'
    )
    first = program("audit", "deep/audit.toml", "--json")
    assert first.code == 0, first.err
    assert json.loads(first.out)["findings"][0]["estimates"][0]["level"] == 0.9
    second = program("audit", "deep/audit.toml", "--json", "--level", "0.8")
    assert json.loads(second.out)["findings"][0]["estimates"][0]["level"] == 0.8


def test_init_writes_a_declaration_that_runs(program, items: str) -> None:
    done = program("init", items)
    assert done.code == 0, done.err
    written = Path("audit.toml").read_text()
    assert 'score = ["first", "second"]' in written or 'score = ["?"]' in written
    again = program("init", items)
    assert again.code == 2
    assert "--force" in again.err
    assert program("init", items, "--force").code == 0
    fixed = written.replace('score = ["?"]', 'score = ["first", "second"]').replace('label = "?"', 'label = "y"')
    Path("audit.toml").write_text(fixed)
    ran = program("audit", "audit.toml", "--json")
    assert ran.code == 0, ran.err


def test_init_guesses_the_usual_names(program, small: pl.DataFrame) -> None:
    Path("data").mkdir()
    small.rename({"first": "score_a", "second": "prob_b", "y": "toxic"}).with_columns(
        pl.Series("lang", ["en", "de"] * 300), pl.Series("comment_id", range(600))
    ).drop("id").write_parquet("data/items.parquet")
    assert program("init", "data/items.parquet", "--out", "data/audit.toml").code == 0
    text = Path("data/audit.toml").read_text()
    for line in (
        'data = "items.parquet"',
        'score = ["score_a", "prob_b"]',
        'label = "toxic"',
        'groups = ["a", "b"]',
        'text = "text"',
        'id = "comment_id"',
        'slices = ["lang"]',
    ):
        assert line in text, line
    assert program("audit", "data/audit.toml", "--json").code == 0


def test_init_of_some_rows_and_of_a_declaration(program, small: pl.DataFrame) -> None:
    small.with_columns(part=pl.Series(["x", "y"] * (len(small) // 2))).write_csv("items.csv", separator="|")
    assert program("init", "items.csv", "--separator", "|", "--where", "part = 'x'").code == 0
    written = tomllib.loads(Path("audit.toml").read_text())
    assert (written["separator"], written["columns"]["where"]) == ("|", "part = 'x'")
    assert "part: text: x\n" in Path("audit.toml").read_text()
    assert program("init", "audit.toml", "-o", "again.toml").code == 0
    assert Path("again.toml").read_text() == Path("audit.toml").read_text()
    assert program("init", "audit.toml", "-o", "y.toml", "--where", "part = 'y'").code == 0
    assert tomllib.loads(Path("y.toml").read_text())["columns"]["where"] == "part = 'y'"
    refused(program("init", "audit.toml", "--force"), "audit.toml: the output would replace the file that is read")
    refused(
        program("init", "audit.toml", "--where", "part = 'z'", "-o", "z.toml"), "no row meets the condition --where"
    )
    assert not Path("z.toml").exists()


def test_init_of_a_database(program, small: pl.DataFrame, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'items.db'}"
    small.rename({"y": "label", "first": "score"}).write_database("items", url, engine="sqlalchemy")
    assert program("init", url, "--query", "SELECT * FROM items").code == 0
    ran = program("audit", "audit.toml", "--json")
    assert ran.code == 0, ran.err


@pytest.mark.verify
def test_agreement_of_two_findings(program, small: pl.DataFrame) -> None:
    groups = [f"g{i}" for i in range(6)]
    for name, seed in (("real", 1), ("templates", 2)):
        flags = [((pl.col("id") * (i + 3 + seed) % 7) < 3).alias(g) for i, g in enumerate(groups)]
        small.with_columns(flags).write_csv(f"{name}.csv")
        assert (
            program(
                "audit", f"{name}.csv", "--score", "first", "--label", "y", "--groups", ",".join(groups), "--out", name
            ).code
            == 0
        )
    done = program("agreement", "real/findings.json", "templates/findings.json", "--json")
    records = json.loads(done.out)["findings"][0]["estimates"]
    assert [r["slice"]["of"] for r in records][:2] == ["subgroup_auc", "bpsn_auc"]
    same = program("agreement", "real/findings.json", "real/findings.json")
    assert same.code == 0
    assert "Do the two findings rank groups alike?" in same.out
    missing = program("agreement", "real/findings.json", "none.json")
    assert missing.code == 2
    assert "none.json" in missing.err


@pytest.mark.verify
def test_demo(program) -> None:
    done = program("demo", "--rows", "1000")
    assert done.code == 0, done.err
    assert "out of 1,000 synthetic ones" in done.out
    assert "evenhand serve --demo" in done.out.splitlines()[-1]
    findings = json.loads(Path("evenhand-demo/findings.json").read_text())["findings"]
    assert [finding["audit"] for finding in findings] == [audit.name for audit in eh.AUDITS]
    assert all(audit.question in Path("evenhand-demo/report.html").read_text() for audit in eh.AUDITS)
    command = next(line for line in done.out.splitlines() if line.startswith("running: ")).removeprefix(
        "running: evenhand "
    )
    again = program(*command.split(), "--force")
    assert again.code == 0, again.err


def test_a_small_demo_is_of_the_groups_that_are_mentioned(program, monkeypatch: pytest.MonkeyPatch) -> None:
    audited: list[tuple[str, dict[str, Any]]] = []

    def noted(table: str, **options: Any) -> eh.Report:
        audited.append((table, options))
        return eh.Report(())

    monkeypatch.setattr("evenhand.reports.audit", noted)
    done = program("demo", "--rows", "1000", "--seed", "1")
    assert done.code == 0, done.err
    (scored, about_items), (labels, about_people) = audited
    assert len(about_items["groups"]) >= 8
    assert "disabled" not in about_items["groups"]
    comments = pl.read_parquet(scored)
    assert all((comments[group] >= 0.5).any() for group in about_items["groups"])
    assert set(about_items) >= {"score", "label", "decision", "removes"}
    assert set(pl.read_parquet(labels)["item"]) <= set(comments["id"])
    assert about_people["annotator_groups"] == "gender"  # five columns crossed make a report of 19 MB


def test_version_and_help(program) -> None:
    assert program("--version").out == f"evenhand {eh.__version__}\n"
    assert "audit" in program("--help").out
    assert program("audit", "--nonsense").code == 2
    assert program().out.startswith("Usage:") or "Usage:" in program().err


def test_a_fault_of_our_own_is_one_line(program, items: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a\nbug")

    monkeypatch.setattr("evenhand.reports.audit", broken)
    done = program("audit", items, *ROLES, "--json")
    assert done.code == 1
    assert (
        done.err.strip()
        == "evenhand: internal error (RuntimeError: a bug); please report it, EVENHAND_DEBUG=1 shows where"
    )
    monkeypatch.setenv("EVENHAND_DEBUG", "1")
    with pytest.raises(RuntimeError):
        program("audit", items, *ROLES, "--json")


def test_the_program_is_installed(items: str) -> None:
    done = subprocess.run([sys.executable, "-m", "evenhand", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("evenhand ")


def test_init_tells_scores_from_labels(program, small: pl.DataFrame) -> None:
    """Scores named after what they look for, a label in words of which the first rows hold one, and a weight."""
    words = pl.when("y").then(pl.lit("bad")).otherwise(pl.lit("fine")).alias("label")
    small.sort("y").select(
        "text", words, "a", pl.col("first").alias("toxicity_1"), pl.col("second").alias("toxicity_6"), inclusion=0.5
    ).write_parquet("items.parquet")
    assert program("init", "items.parquet").code == 0
    text = Path("audit.toml").read_text()
    for line in ('score = ["toxicity_1", "toxicity_6"]', 'label = "label"', 'positive = "?"', 'groups = ["a"]'):
        assert line in text, line


@pytest.mark.verify
def test_names_may_look_like_markup(program, small: pl.DataFrame) -> None:
    odd = small.rename({"first": "p[/b]", "a": "[red]a"}).with_columns(pl.lit("[/b]x").alias("[bold]"))
    odd.write_parquet("items.parquet")
    roles = ["--score", "p[/b],second", "--label", "y", "--groups", "[red]a,b", "--slice", "[bold]"]
    done = program("audit", "items.parquet", *roles)
    assert done.code == 0, done.err
    assert "p[/b]: groups" in done.out
    assert "[red]a" in done.out
    with progress_on_a_terminal() as move:
        move("measuring [/b]x", 1, 2)


@contextmanager
def progress_on_a_terminal():
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", Terminal())
        with progress_bar() as move:
            yield move


@pytest.mark.verify
def test_a_terminal_shows_differences_with_their_sign(program, small: pl.DataFrame, monkeypatch) -> None:
    small.write_parquet("items.parquet")
    monkeypatch.setenv("COLUMNS", "80")
    roles = ["--score", "first,second", "--label", "y", "--groups", "a,b"]
    narrow = program("audit", "items.parquet", *roles).out
    found = eh.load("evenhand-report/findings.json", audit="bias").get("auroc", model="second", against="first").value
    assert f"{found:+.3f}" in narrow
    assert "power mean" not in narrow
    monkeypatch.setenv("COLUMNS", "200")
    assert "power mean" in program("audit", "items.parquet", *roles).out
