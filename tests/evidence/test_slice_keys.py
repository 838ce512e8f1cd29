"""Columns whose names findings use themselves: sliced by like any other, under a key of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.evidence import Declaration
from evenhand.finding import RECORD_KEYS, SliceKey
from evenhand.recalibration.rounds import rounds_as_given

NAMES = (*SliceKey, *RECORD_KEYS)


def table(name: str, rows: int = 600) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    y = rng.random(rows) < 0.4
    return pl.DataFrame(
        {
            "p": np.clip(0.3 * y + 0.7 * rng.random(rows), 0.0, 1.0),
            "y": y,
            "gay": rng.random(rows) < 0.5,
            name: rng.choice(["one", "two"], rows),
        }
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_name_that_findings_use_has_another_key(name: str) -> None:
    assert Declaration(slices=(name,)).slice_keys == {name: f"{name}_column"}


def test_a_column_that_already_has_that_key_keeps_it() -> None:
    keys = Declaration(slices=("run", "run_column", "language")).slice_keys
    assert keys == {"run": "run_column_column", "run_column": "run_column", "language": "language"}


@pytest.mark.parametrize("name", ["run", "model", "group", "pool", "value", "length"])
def test_estimates_by_such_a_column_are_those_of_the_same_column_under_another_name(name: str) -> None:
    roles = {"score": "p", "label": "y", "groups": ["gay"], "audits": "bias"}
    (found,) = eh.audit(table(name), **roles, slices=[name])
    (plain,) = eh.audit(table("part"), **roles, slices=["part"])
    assert found.values(f"{name}_column") == plain.values("part")
    renamed = [{f"{name}_column" if key == "part" else key: v for key, v in m.slice.items()} for m in plain]
    assert [m.slice for m in found] == renamed
    assert [m.estimate for m in found] == [m.estimate for m in plain]


def test_an_audit_by_a_column_run(program, tmp_path: Path) -> None:
    path = tmp_path / "items.parquet"
    table("run").write_parquet(path)
    done = program("audit", str(path), "--score", "p", "--label", "y", "--groups", "gay", "--slice", "run", "--json")
    assert done.code == 0, done.err
    assert '"run_column": "one"' in done.out


def test_runs_of_a_model_that_a_column_run_tells_apart() -> None:
    declaration = Declaration(score=("p",), label="y", slices=("run",))
    first, second = (eh.open_evidence(table("run", rows), declaration) for rows in (600, 500))
    assert len(rounds_as_given(first, second, "run")) == 2
