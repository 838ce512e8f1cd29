"""Numbers, counts and names beyond all bounds: one line at once, never an internal error."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pytest

import evenhand as eh
from cli.program import refused
from evenhand.choices import SettingOptions, choice_rows
from evenhand.errors import InputError
from evenhand.limits import MOST

AUDIT = "audit items.csv --score first --label y --groups a --audits bias --json"
PLAN = "sample plan items.csv --score first -o plan.json"


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("sample size --prevalence 0.1 --within 1e308", "invalid --within: 1e+308 (must be above 0 and below 1"),
        ("sample size --prevalence 0.1 --within 1e-320", "too small"),
        ("sample size --prevalence 1e-320 --within 0.2", "the prevalence is 9.99989e-321: too small"),
        ("sample size --prevalence 0.1 --within 0.2 --level 1e-18", "the level"),
        (
            "sample size --prevalence 0.1 --below 0.2 --level 0.5",
            "invalid --level: 0.5 (a one-sided bound needs a level above 0.5",
        ),
        ("sample mde --prevalence 0.1 --effect 1e308", "the effect is 1e+308: too large"),
        (f"{PLAN} --width 1e-320", "the width"),
        (f"{PLAN} --n 50 --prevalence 1e-99", "the prevalence is 1e-99: too small to plan for"),
        ("audit items.csv --audits accuracy --label y --decision a --effect 1e-320 --json", "effect is 9.99989e-321"),
        ("audit items.csv --audits accuracy --label y --decision a --target 1e-320 --json", "target is 9.99989e-321"),
        (
            "plan items.csv --score first --label y --target oc_accuracy=0.9 --hours-per-day 1e-320",
            "--hours-per-day is",
        ),
        (
            "plan items.csv --score first --label y --missed-violation 1e308 --false-removal 1 --review 1",
            "the cost 'missed_violation' is 1e+308",
        ),
        ("init items.csv --out .", "this is a folder"),
    ],
)
def test_numbers_that_nothing_can_be_computed_with(program, small: pl.DataFrame, command: str, says: str) -> None:
    small.write_csv("items.csv")
    refused(program(*command.split()), says)


@pytest.mark.parametrize(
    "command",
    [
        f"{AUDIT} --replicates",
        f"{AUDIT} --examples",
        "audit items.csv --audits calibration --score first --label y --json --bins",
        "audit items.csv --audits perspective --item id --annotator a --label y --permutations",
        "calibrate compare items.csv items.csv --score first --label y --seeds",
        "calibrate fit items.csv --score first --label y -o c.json --method histogram --bins",
        "sample simulate items.csv --score first --label y --simulations",
        "sample simulate items.csv --score first --label y --strata",
        "sample simulate items.csv --score first --label y --pilots",
        f"{PLAN} --n 50 --design stratified --count",
        "train items.csv --label y -o m --balance",
        "train items.csv --label y -o m --set rounds=",
        "train items.csv --label y -o m --method ensemble --set epochs=",
        "train items.csv --label y -o m --method ensemble --set members=",
        "synthesise community -o made --items",
    ],
)
def test_counts_that_no_run_would_come_to_an_end_of(program, small: pl.DataFrame, command: str) -> None:
    small.write_csv("items.csv")
    many = [*command.split()[:-1], command.split()[-1] + str(10**12)] if command.endswith("=") else None
    done = program(*(many or [*command.split(), 10**12]))
    refused(done, "1,000,000,000,000")
    assert sorted(path.name for path in Path().iterdir()) == ["items.csv"]


def test_python_has_the_same_limits(small: pl.DataFrame) -> None:
    with pytest.raises(InputError, match="`replicates` is 1,000,000,000,000: it may be 1,000,000 at most"):
        eh.audit(small, score="first", label="y", groups="a", replicates=10**12, audits="bias")


def test_lists_have_a_limit(small: pl.DataFrame) -> None:
    many = [f"hybrid:0.{number}" for number in range(200)]
    with pytest.raises(InputError, match=r"`strategies` has 200 values: it may have 100 at most"):
        eh.audit(small, score="first", label="y", audits="collaboration", strategies=many)


def test_every_whole_number_of_an_audit_has_a_limit() -> None:
    wholes = [row.name for row in choice_rows(SettingOptions) if row.kind.typed == int | None]
    assert len(wholes) >= 7
    assert not set(wholes) - set(MOST)


@pytest.mark.parametrize(
    "command",
    [
        "audit \udcff.csv --score first --label y --groups a",
        f"{AUDIT} --where y='\udcff'",
        f"{PLAN} --n 50 --codebook \udcff",
        "score default items.csv -o scored.csv --prefix \udcff",
        "synthesise templates -o \udcff.csv",
    ],
    ids=["file", "where", "codebook", "prefix", "output"],
)
def test_names_that_are_not_text(program, small: pl.DataFrame, command: str) -> None:
    small.write_csv("items.csv")
    refused(program(*command.split()), "\\udcff", "is not UTF-8")


def test_a_terminal_that_knows_few_letters(program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with (tmp_path / "out.txt").open("w", encoding="ascii") as narrow:
        monkeypatch.setattr(sys, "stdout", narrow)
        done = program("reproduce")
    assert done.code == 0, done.err
    assert "\\u201caccuracy\\u201d" in (tmp_path / "out.txt").read_text()


@pytest.mark.parametrize(
    "arguments", [["audit", "a", "b\u202e\x1b[31m"], ["no\u202esuch"], ["audit", "--\u2028"]], ids=ascii
)
def test_usage_errors_show_what_was_typed(program, arguments: list[str]) -> None:
    done = program(*arguments)
    assert done.code == 2
    assert done.err.startswith("evenhand: ")
    assert not {"\u202e", "\u2028", "\x1b"} & set(done.err)
