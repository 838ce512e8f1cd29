"""The rows of choices hold against who takes the values: names, defaults, examples."""

from __future__ import annotations

import re
import tomllib
from dataclasses import MISSING, Field, fields
from typing import Any

import pytest

from evenhand.audits.calibrators import ComparisonSettings
from evenhand.audits.measurement.items import Roles as ItemRoles
from evenhand.audits.planning import PlanSettings
from evenhand.audits.request import ROLES, SETTINGS, TABLES
from evenhand.audits.simulation import Asked, SimulationSettings
from evenhand.audits.table import AUDITS
from evenhand.choices import Options, Roles, Row, Settings, Tables, given, listed, rows
from evenhand.cli import calibrate, plan
from evenhand.cli.sample import plan as sample_plan
from evenhand.cli.sample import simulate as sample_simulate
from evenhand.evidence import Declaration

TAKERS = (
    (Roles, Declaration),
    *((Settings, audit.settings) for audit in AUDITS),
    (plan.Wishes, PlanSettings),
    (calibrate.Rounds, ComparisonSettings),
    (sample_plan.Columns, ItemRoles),
    (sample_simulate.Columns, Asked),
    (sample_simulate.Trials, SimulationSettings),
)


def names(choices: Any) -> list[str]:
    return [row.name for row in rows(choices)]


def test_every_role_and_setting_is_a_choice() -> None:
    assert set(names(Roles)) == set(ROLES)
    assert set(names(Tables)) == set(TABLES)
    assert set(names(Settings)) == set(SETTINGS)
    assert set(names(Options)) == {*ROLES, *SETTINGS, *TABLES}


@pytest.mark.parametrize(("choices", "taker"), TAKERS[len(AUDITS) + 1 :])
def test_what_a_command_takes_is_known_to_who_is_given_it(choices: Any, taker: Any) -> None:
    assert set(names(choices)) <= {field.name for field in fields(taker)}


def default(field: Field[Any]) -> Any:
    return field.default if field.default is not MISSING else None


def told(row: Row) -> float | str | None:
    """The default that the help tells, if it does."""
    if number := re.search(r"\(([\d.,]*\d)\)", row.choice.help):
        return float(number[1].replace(",", "")) if number[1].count(",") < 2 else None
    word = re.search(r"([\w-]+) \(default\)", row.choice.help)
    return word[1] if word else None


@pytest.mark.parametrize(("choices", "taker"), TAKERS)
def test_the_default_that_is_told_is_the_one_taken(choices: Any, taker: Any) -> None:
    of = {field.name: default(field) for field in fields(taker)}
    own = [row for row in rows(choices) if of.get(row.name) is not None and told(row) is not None]
    assert own
    for row in own:
        taken = of[row.name][0] if isinstance(of[row.name], tuple) else of[row.name]
        assert told(row) == taken, row.name


@pytest.mark.parametrize("row", [*rows(Roles), *rows(Settings)], ids=lambda row: row.name)
def test_examples_are_values_that_are_taken(row: Row) -> None:
    if row.name == "spellings":  # a table of its own in TOML
        assert not row.choice.toml
        return
    value = tomllib.loads(f"{row.name} = {row.choice.toml}")
    assert row.choice.toml.partition("  # ")[2], "an example without a remark"
    beside = {"terms": "text", "removes": "decision", "stratum": "inclusion", "item": "annotator", "annotator": "item"}
    beside |= {"annotator_groups": "annotator", "classes": "probabilities"}
    if row.name in ROLES and row.name not in beside and row.name != "scale":
        plain = {name: ["a", "b"] if v == ["…"] else v for name, v in value.items()}
        assert getattr(Declaration.of(plain), row.name)
    for audit in AUDITS:
        audit.settings.of(value)


def test_commas_and_nothing() -> None:
    assert listed("a, b,,c ") == ("a", "b", "c")
    assert listed("") == ()
    assert listed(None) is None
    assert given({"a": 0, "b": None, "c": False}) == {"a": 0, "c": False}
