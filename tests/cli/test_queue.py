"""evenhand plan -o, then evenhand queue: from history to today's list, to a sheet, to answers, to evidence."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cli.program import fails, ran
from evenhand.routing import ReviewPolicy

COLUMNS = ["--score", "tox_pct", "--scale", "percent", "--label", "verdict", "--positive", "remove"]
DAY = ["--reviewers", 3, "--hours-per-day", 8, "--seconds-per-review", 90, "--items-per-day", 4000]
SECRETS = {"action", "rank", "reason", "otherwise", "inclusion", "stratum", "policy", "tox_pct", "model_version"}


def items(seed: int, n: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    p = rng.beta(0.24, 1.04, n)
    return pl.DataFrame(
        {
            "id": [f"c{number}" for number in range(n)],
            "text": [f"=comment {number}" for number in range(n)],
            "before": ["earlier"] * n,
            "tox_pct": (100.0 * p).round(2),
            "verdict": np.where(rng.random(n) < p**0.8, "remove", "keep"),
        }
    )


@pytest.fixture
def plan(program) -> None:
    """A policy such as a plan writes, and today's items."""
    Path("plan").mkdir()
    policy = ReviewPolicy(
        upper=0.85,
        strategy="below-threshold:0.85",
        capacity=960,
        items_per_day=4000,
        measured_share=0.05,
        score="tox_pct",
        scale="percent",
    )
    Path("plan/policy.json").write_text(json.dumps(policy.to_dict()))
    items(2, 3000).drop("verdict").write_csv("items.csv")


def test_naming_the_score_of_the_policy_keeps_its_scale(plan, program) -> None:
    ran(program, "queue", "items.csv", "--policy", "plan/policy.json", "-o", "today.csv")
    ran(program, "queue", "items.csv", "--policy", "plan/policy.json", "--score", "tox_pct", "-o", "named.csv")
    assert Path("today.csv").read_bytes() == Path("named.csv").read_bytes()


def test_from_history_to_a_policy(program) -> None:
    items(1, 4000).write_csv("history.csv")
    asked = [*DAY, "--wrong-removals", 0.1, "--labelled", "random"]
    told = ran(program, "plan", "history.csv", *COLUMNS, *asked, "-o", "plan")
    assert told.startswith("3 reviewers can review 960 items a day. Remove items that score ")
    assert "\nGuarantee: with probability 0.9, at most 10 % of removals without review are wrong" in told
    policy = ReviewPolicy.from_dict(json.loads(Path("plan/policy.json").read_text()))
    assert (policy.capacity, policy.score, policy.scale) == (960.0, "tox_pct", "percent")
    assert "3 reviewers can review 960 items a day" in Path("plan/report.html").read_text()
    ran(program, "queue", "history.csv", "--policy", "plan/policy.json", "-o", "today.csv")
    assert (pl.read_csv("today.csv")["action"] == "review").sum() == 960


def test_from_history_to_evidence(program, plan) -> None:
    told = ran(
        program, "queue", "items.csv", "--policy", "plan/policy.json", "--capacity", 500, "-o", "today.csv", "--force",
        "--sheet", "sheet.csv", "--text", "text", "--context", "before", "--id", "id",
    )  # fmt: skip
    assert "review 500 (25 of them drawn for measurement)" in told
    today, sheet = pl.read_csv("today.csv"), pl.read_csv("sheet.csv")
    assert (today["action"] == "review").sum() == len(sheet) == 500
    assert set(sheet["id"]) == set(today.filter(pl.col("action") == "review")["id"])
    assert sheet.columns == ["id", "context", "text", "label"]
    assert not SECRETS & set(sheet.columns)
    assert today["model_version"].unique().to_list() == ["tox_pct"]
    assert today["text"][0] == "=comment 0"
    truth = dict(items(2, 3000).select("id", "verdict").iter_rows())
    answered = sheet.with_columns(label=pl.col("id").replace_strict(truth).replace({"remove": "yes", "keep": "no"}))
    answered.write_csv("answered.csv")
    told = ran(program, "queue", "today.csv", "--answers", "answered.csv", "--id", "id", "-o", "evidence.csv")
    assert told.startswith("500 of 500 reviews have an answer")
    words = pl.col("label").replace({"yes": "Remove", "no": "keep"})
    answered.with_columns(words).write_csv("worded.csv")
    taken = ["queue", "today.csv", "--answers", "worded.csv", "--id", "id", "-o", "again.csv", "--force"]
    assert "invalid answer: 'keep'" in program(*taken).err or "invalid answer: 'Remove'" in program(*taken).err
    ran(program, *taken, "--positive", "remove")
    assert Path("again.csv").read_text() == Path("evidence.csv").read_text()
    answered.with_columns(words.replace({"keep": "keep"})).with_columns(
        label=pl.when(pl.col("id") == sheet["id"][0]).then(pl.lit("kepe")).otherwise("label")
    ).write_csv("worded.csv")
    assert "invalid answer" in program(*taken, "--positive", "remove").err
    roles = ["--label", "label", "--decision", "removed", "--inclusion", "inclusion", "--stratum", "stratum"]
    (finding,) = json.loads(ran(program, "audit", "evidence.csv", "--audits", "accuracy", *roles, "--json"))["findings"]
    found = {r["measure"]: r for r in finding["estimates"] if not r["slice"]}
    violating = np.array([truth[id_] == "remove" for id_ in items(2, 3000)["id"]])
    assert found["prevalence"]["low"] <= violating.mean() <= found["prevalence"]["high"]


def test_items_without_a_score_are_no_evidence(program, plan) -> None:
    blank = pl.when(pl.col("id") == "c7").then(None).otherwise("tox_pct").alias("tox_pct")
    items(2, 3000).drop("verdict").with_columns(blank).write_csv("items.csv")
    line = [
        "queue",
        "items.csv",
        "--policy",
        "plan/policy.json",
        "--capacity",
        500,
        "--skip-unscored",
        "-o",
        "today.csv",
    ]
    ran(program, *line, "--sheet", "sheet.csv", "--text", "text", "--id", "id")
    sheet = pl.read_csv("sheet.csv")
    sheet.with_columns(label=pl.lit("no")).write_csv("answered.csv")
    ran(program, "queue", "today.csv", "--answers", "answered.csv", "--id", "id", "-o", "evidence.csv")
    assert set(items(2, 3000)["id"]) - set(pl.read_csv("evidence.csv")["id"]) == {"c7"}
    roles = ["--label", "label", "--decision", "removed", "--inclusion", "inclusion", "--stratum", "stratum"]
    ran(program, "audit", "evidence.csv", "--audits", "accuracy", *roles, "--json")


@pytest.mark.parametrize("ending", ["jsonl", "parquet", "xlsx", "json"])
def test_other_formats(program, plan, ending: str) -> None:
    ran(program, "queue", "items.csv", "--policy", "plan/policy.json", "-o", f"today.{ending}")
    if ending == "json":
        tasks = json.loads(Path("today.json").read_text())
        table = pl.DataFrame([task["data"] for task in tasks])
    else:
        read = {"jsonl": pl.read_ndjson, "parquet": pl.read_parquet, "xlsx": pl.read_excel}[ending]
        table = read(f"today.{ending}")
    assert len(table) == 3000
    assert (table["action"] == "review").sum() == 960
    assert table["text"][0] == "=comment 0"


def test_without_ids_places_are_ids(program, plan) -> None:
    line = ["queue", "items.csv", "--policy", "plan/policy.json", "--where", "tox_pct < 50", "--capacity", 30]
    ran(program, *line, "-o", "today.csv", "--sheet", "sheet.csv", "--text", "text")
    today, sheet = pl.read_csv("today.csv"), pl.read_csv("sheet.csv")
    for id_, text in sheet.select("id", "text").iter_rows():
        assert today["text"][int(id_) - 1] == text.removeprefix("'")
        assert today["action"][int(id_) - 1] == "review"


def test_what_cannot_be_queued(program, plan) -> None:
    line = ["queue", "items.csv", "--policy", "plan/policy.json", "-o", "today.csv", "--force"]
    fails(program, "queue", "items.csv", "-o", "today.csv", says=["set --policy"])
    fails(program, *line, "--sheet", "sheet.csv", says=["a sheet needs the text column: set --text"])
    fails(program, *line[:-2], "today.doc", says=["the output must end in one of"])
    fails(program, *line, "--capacity", -1, says=["capacity"])
    fails(program, *line, "--measured-share", 2, says=["measured-share"])
    fails(program, *line, "--score", "p", says=["there is no column 'p'"])
    fails(program, "queue", "items.csv", "--policy", "items.csv", "-o", "x.csv", says=["items.csv", "not a policy"])
    fails(program, "queue", "items.csv", "--policy", "plan/policy.json", "-o", "items.csv", says=["items.csv"])
    ran(program, *line)
    fails(program, "queue", "today.csv", "--policy", "plan/policy.json", "-o", "x.csv", says=["queued before"])
    pl.DataFrame({"id": [1, 1], "label": ["yes", "no"]}).write_csv("twice.csv")
    fails(program, "queue", "today.csv", "--answers", "twice.csv", "-o", "x.csv", says=["two different answers"])


def test_a_plan_reads_a_declaration(program) -> None:
    items(1, 1000).write_csv("history.csv")
    columns = 'score = "tox_pct"\nscale = "percent"\nlabel = "verdict"\npositive = "remove"\n'
    Path("audit.toml").write_text(f'data = "history.csv"\n[columns]\n{columns}')
    told = ran(program, "plan", "audit.toml", "--reviewers", 1)
    assert told.startswith(
        "1 reviewer can review 720 items a day. Remove nothing without review; review the 684 items with the highest"
    )


def test_a_day_of_another_size_is_said(program, plan) -> None:
    line = ["queue", "items.csv", "--policy", "plan/policy.json", "-o", "today.csv", "--force"]
    policy = json.loads(Path("plan/policy.json").read_text())
    assert "planned for 4,000 items a day; these are 3,000" in ran(program, *line)
    assert "planned for" not in ran(program, *line, "--capacity", 100)
    Path("plan/policy.json").write_text(json.dumps({**policy, "items_per_day": 3100}))
    assert "planned for" not in ran(program, *line)
    reasons = set(pl.read_csv("today.csv").filter(pl.col("action") == "remove")["reason"])
    assert reasons == {f"score at or above {100.0 * policy['upper']:.6g}"}  # as the column has it
