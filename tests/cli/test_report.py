"""evenhand report, statements and annotations: what they print, write and refuse."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import polars as pl
import pytest

from cli.program import Program, ran
from exchange.dsa import corpus
from exchange.dsa.simulated_service import content, sample
from store.desks import sqlite_desk

PERIOD = "2026-01-01/2026-06-30"
REPORT = ("--provider", "vlop", "--service", "Forum", "--period", PERIOD)
COLUMNS = ("--label", "label", "--decision", "decision", "--inclusion", "inclusion", "--stratum", "stratum")
MEANT = ("--automated", "automated", "--measures", "person", "--labelled-period", PERIOD)


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Program:
    monkeypatch.chdir(tmp_path)
    return Program(monkeypatch, capsys)


def rates(folder: str) -> dict[tuple[str, str], str]:
    text = Path(folder, "8_automated_means.csv").read_bytes().decode()
    rows = list(csv.reader(io.StringIO(text, newline="")))
    return {(row[4].rpartition(" ")[2], row[5]): row[6] for row in rows}


def refused(program: Program, *arguments: object) -> str:
    done = program(*arguments)
    assert done.code == 2, done.out
    (line,) = done.err.strip().splitlines()
    return line


def test_a_report_of_a_labelled_table(program: Program) -> None:
    sample(content(), 0).write_csv("labelled.csv")
    said = ran(program, "report", "dsa", "labelled.csv", *REPORT, *COLUMNS, *MEANT, "-o", "out")
    assert "11 tables and report.xlsx for Forum" in said
    assert "draft for legal review" in said
    assert rates("out")["Recall", "de"]
    assert "0 errors and 0 warnings." in ran(program, "report", "lint", "out")
    summary = json.loads(
        ran(program, "report", "dsa", "labelled.csv", *REPORT, *COLUMNS, *MEANT, "-o", "out", "--json")
    )
    assert (summary["rates"], summary["rates_with_value"]) == (84, 18)


def test_a_report_and_statements_of_a_store(program: Program, tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, "forum.db", measured=1.0)
    desk.receive(0.95, 0.99, 0.5, language="en")
    desk.store.close()
    Path("codes.toml").write_text(corpus.DESK_CODES)
    year = ("--provider", "platform", "--service", "Forum", "--period", "2027-01-01/2027-12-31", "-o", "out")
    said = ran(program, "report", "dsa", "forum.db", *year, "--codes", "codes.toml")
    assert "Rates and counts are those of store" in said
    assert "No item of the period has a verdict of the measurement that counts" in said
    rows = csv.reader(io.StringIO(Path("out", "8_automated_means.csv").read_text()))
    assert [row[6] for row in rows if row[4].startswith("Number of measures solely")] == ["2", "2"]
    assert "0 errors and 0 warnings." in ran(program, "report", "lint", "out")
    assert "Measures, notices and appeals were not counted" in ran(program, "report", "dsa", "forum.db", *year)
    ran(program, "statements", "prepare", "forum.db", "--codes", "codes.toml", "-o", "tables")
    ran(program, "statements", "write", "tables/decisions.csv", "-o", "statements.jsonl")
    assert len(Path("statements.jsonl").read_text().splitlines()) == 2
    store = ("report", "dsa", "forum.db", *year)
    assert "--automated is for a labelled sample in a file" in refused(program, *store, "--automated", "removed")
    assert "invalid --verdicts: 'panel'; choose from" in refused(program, *store, "--verdicts", "panel")
    assert "the last sealed event" in refused(program, *store, "--snapshot", "4711")
    assert "--codes is for a store of the desk" in refused(program, *("report", "dsa", *year, "--codes", "codes.toml"))


def test_a_report_of_a_plan_and_its_sheets(program: Program) -> None:
    items = content().with_row_index("id").with_columns(p=pl.lit(0.3))
    items.write_csv("items.csv")
    plan = ("sample", "plan", "items.csv", "--score", "p", "--id", "id", "--by", "language", "--design", "stratified")
    words = ("--ground-truth", "rules", "--codebook", "v1", "--period", PERIOD)
    decided = ("--decision", "decision", "--removes", "automated")
    ran(program, *plan, *decided, *words, "--strata", "none", "--n", "900", "-o", "plan.json")
    ran(program, "sample", "draw", "plan.json", "-o", "sheet.csv")
    truth = dict(items.select(pl.col("id").cast(pl.String), "label").iter_rows())
    sheet = pl.read_csv("sheet.csv", infer_schema=False)
    said = ["yes" if truth[one.removeprefix("'")] else "no" for one in sheet["id"]]
    sheet.with_columns(label=pl.Series(said)).write_csv("sheet.csv")
    command = ("report", "dsa", "plan.json", "--labels", "sheet.csv", *REPORT, "-o", "out")
    ran(program, *command, "--automated", "automated")
    filled = rates("out")
    assert filled["Recall", "Total number"]
    assert filled["Recall", "en"]
    assert not filled["Recall", "sv"]
    line = refused(program, *command, "--automated", "person")
    assert "the study counts 'automated' in 'decision' as removed, and --automated names 'person'" in line


def test_a_study_without_automated_decisions_is_refused(program: Program) -> None:
    sample(content(), 0).write_csv("labelled.csv")
    line = refused(program, "report", "dsa", "labelled.csv", *REPORT, *COLUMNS, "-o", "out")
    assert "solely by automated means with --automated" in line
    assert not Path("out").exists()


def test_a_report_of_findings(program: Program) -> None:
    sample(content(), 0).write_csv("labelled.csv")
    roles = ("--audits", "accuracy", *COLUMNS, "--removes", "automated", "--by", "language", "--json")
    Path("findings.json").write_text(ran(program, "audit", "labelled.csv", *roles))
    command = ("report", "dsa", "findings.json", *REPORT, "--labelled-period", PERIOD)
    ran(program, *command, "--automated", "automated", "-o", "out")
    ran(program, "report", "dsa", "labelled.csv", *REPORT, *COLUMNS, *MEANT, "-o", "direct")
    assert rates("out") == rates("direct")
    assert "they must be the same decisions" in refused(program, *command, "--automated", "person", "-o", "out")


def test_findings_that_do_not_say_what_was_decided_are_refused(program: Program) -> None:
    sample(content(), 0).write_csv("labelled.csv")
    roles = ("--audits", "accuracy", "--label", "label", "--inclusion", "inclusion", "--json")
    Path("findings.json").write_text(ran(program, "audit", "labelled.csv", *roles))
    line = refused(program, "report", "dsa", "findings.json", *REPORT, "--automated", "yes", "-o", "out")
    assert "do not say which decisions were automated; give the plan" in line


def test_a_platform_needs_no_languages(program: Program) -> None:
    sample(content(), 0).drop("language").write_csv("labelled.csv")
    kind = ("--provider", "platform", *REPORT[2:])
    notices = ("--notice-labels", "labelled.csv")
    ran(program, "report", "dsa", "labelled.csv", *kind, *COLUMNS, *MEANT, *notices, "-o", "out")
    filled = rates("out")
    assert filled["Recall", "Total number"]
    assert filled["Recall", "NAM Total"]
    assert not filled["Recall", "NAM Trusted Flagger"]
    line = refused(
        program, "report", "dsa", "labelled.csv", *kind, *COLUMNS, *MEANT, "--language", "tongue", "-o", "other"
    )
    assert "tongue" in line


def test_a_declaration_stands_for_the_columns(program: Program) -> None:
    sample(content(), 0).write_csv("labelled.csv")
    Path("audit.toml").write_text(
        'data = "labelled.csv"\n[columns]\nlabel = "label"\ndecision = "decision"\ninclusion = "inclusion"\n'
        'stratum = "stratum"\n'
    )
    ran(program, "report", "dsa", "audit.toml", *REPORT, *MEANT, "-o", "out")
    assert rates("out")["Recall", "de"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (("--provider", "search"), "invalid --provider: 'search' (choose from: vlop, platform, hosting)"),
        (("--period", "2026"), "invalid --period: '2026'"),
        (("--service", " "), "--service must be a name"),
        (("--published", "soon"), "invalid --published: 'soon'"),
    ],
    ids=["provider", "period", "service", "date"],
)
def test_what_cannot_be_reported_is_refused(program: Program, changed: tuple[str, str], said: str) -> None:
    assert said in refused(program, "report", "dsa", *REPORT, *changed, "-o", "out")


def test_a_report_that_was_changed_is_not_replaced(program: Program) -> None:
    ran(program, "report", "dsa", *REPORT, "-o", "out")
    ran(program, "report", "dsa", *REPORT, "-o", "out")
    Path("out", "11_qualitative.csv").write_text("my own words")
    assert "was changed since" in refused(program, "report", "dsa", *REPORT, "-o", "out")


def test_lint_ends_with_1_for_an_error(program: Program) -> None:
    ran(program, "report", "dsa", *REPORT, "-o", "out")
    path = Path("out", "9_human_resources.csv")
    path.write_text(path.read_text().replace(PERIOD, "2025-07-01/2025-12-32"))
    done = program("report", "lint", "out")
    assert done.code == 1
    assert "error: out/9_human_resources.csv: column 'Reporting period', row 2: invalid" in done.out
    assert json.loads(program("report", "lint", "out", "--json").out)["errors"] > 0


def test_statements_are_written_and_nothing_is_sent(program: Program) -> None:
    corpus.jsonl(Path("d.jsonl"), corpus.decisions(120))
    assert "120 statements of reasons" in ran(program, "statements", "write", "d.jsonl", "-o", "s.jsonl")
    said = ran(program, "statements", "submit", "s.jsonl", "--dry-run")
    assert said == "120 of 120 statements would be sent, in 2 batches; none was.\n"
    assert "nothing was sent: name the host with --send-to" in refused(program, "statements", "submit", "s.jsonl")
    assert not Path("s.jsonl.submitted").exists()


def test_a_missing_key_is_named(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_KEY", raising=False)
    corpus.jsonl(Path("d.jsonl"), corpus.decisions(2))
    ran(program, "statements", "write", "d.jsonl", "-o", "s.jsonl")
    where = ("--send-to", "https://host.invalid", "--secret", "NO_KEY")
    assert "NO_KEY, which is not set" in refused(program, "statements", "submit", "s.jsonl", *where)


def test_annotations_go_out_and_come_back(program: Program) -> None:
    Path("t.csv").write_text("item,text,annotator,label\na,some text,ann,yes\na,some text,ben,no\nb,=1+1,ann,no\n")
    ran(program, "annotations", "write", "t.csv", "-o", "tasks.json")
    said = ran(program, "annotations", "read", "tasks.json", "--from", "label-studio", "-o", "again.csv")
    assert "3 answers by 2 annotators on 2 items" in said
    again = pl.read_csv("again.csv").select("item", "text", "annotator", "label")
    assert again.equals(pl.read_csv("t.csv"))
