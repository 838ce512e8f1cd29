"""Rows without a score: refused with the option that leaves them out, or left out and counted, in every command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cli.program import fails, ran

ROLES = ("--score", "p", "--label", "y")
BLANK = 7
COMMANDS = {
    "audit": ("audit", "items.csv", *ROLES, "--groups", "g", "--json"),
    "plan": ("plan", "items.csv", *ROLES, "--target", "oc_accuracy=0.9", "--json"),
    "fit": ("calibrate", "fit", "items.csv", *ROLES, "-o", "c.json"),
    "sample": ("sample", "plan", "items.csv", "--score", "p", "--n", "60", "-o", "plan.json"),
    "simulate": ("sample", "simulate", "items.csv", *ROLES, "--quick", "--simulations", "100", "--json"),
}


@pytest.fixture
def items(program) -> None:
    rng = np.random.default_rng(1)
    label = rng.random(300) < 0.4
    score = np.clip(rng.normal(0.3 + 0.3 * label, 0.2), 0, 1)
    frame = pl.DataFrame({"id": range(300), "p": score, "y": label, "g": rng.random(300) < 0.5, "text": ["a b"] * 300})
    blank = pl.int_range(300, eager=True) % 43 == 3
    frame.with_columns(p=pl.when(blank).then(None).otherwise("p")).write_csv("items.csv")
    assert int(blank.sum()) == BLANK


@pytest.mark.verify
@pytest.mark.parametrize("name", list(COMMANDS))
def test_they_are_refused_or_left_out_and_counted(program, items: None, name: str) -> None:
    fails(program, *COMMANDS[name], says=["column 'p', row 4: the score is empty", "--skip-unscored"])
    done = program(*COMMANDS[name], "--skip-unscored")
    assert done.code == 0, done.err
    assert "7 of 300 rows have no score and are left out" in done.out + done.err


def test_calibrated_rows_without_a_score_stay_empty(program, items: None) -> None:
    ran(program, *COMMANDS["fit"], "--skip-unscored")
    said = ran(program, "calibrate", "apply", "c.json", "items.csv", "-o", "out.csv", "--skip-unscored")
    assert "7 of 300 rows have no score" in said
    out = pl.read_csv("out.csv")
    assert out["p_calibrated"].is_null().to_list() == out["p"].is_null().to_list()
    ran(
        program,
        "calibrate",
        "apply",
        "c.json",
        "items.csv",
        "-o",
        "some.csv",
        "--skip-unscored",
        "--where",
        "id >= 100",
    )
    some = pl.read_csv("some.csv")
    assert some.equals(out.filter(pl.col("id") >= 100))


def test_a_condition_keeps_rows_in_every_command(program, items: None) -> None:
    ran(
        program,
        "score",
        "default",
        "items.csv",
        "-o",
        "scored.csv",
        "--prefix",
        "new_",
        "--where",
        "id < 50 AND p > 0.2",
    )
    kept = pl.read_csv("items.csv").filter((pl.col("id") < 50) & (pl.col("p") > 0.2))
    assert pl.read_csv("scored.csv")["id"].to_list() == kept["id"].to_list()
    ran(program, "sample", "plan", "items.csv", "--score", "p", "--n", "40", "--where", "p > 0.3", "-o", "plan.json")
    plan = json.loads(Path("plan.json").read_text())
    population = pl.read_csv("items.csv").filter(pl.col("p") > 0.3)
    assert (plan["columns"]["where"], plan["items"]["rows"]) == ("p > 0.3", len(population))
    ran(program, "sample", "draw", "plan.json", "-o", "batch.csv")
    assert set(pl.read_csv("batch.csv")["id"]) <= set(population["id"])
