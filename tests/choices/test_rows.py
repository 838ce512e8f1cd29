"""The rows of choices hold against who takes the values: names, defaults, examples."""

from __future__ import annotations

import re
import tomllib
from dataclasses import MISSING, Field, fields
from typing import Any

import pytest

from evenhand.audits.registry import AUDITS
from evenhand.audits.request import COVER, LAYOUT, ROLES, SETTINGS, TABLES
from evenhand.choices import (
    ChoiceRow,
    CoverOptions,
    LayoutOptions,
    MigrationArguments,
    MigrationOptions,
    Options,
    RoleOptions,
    SettingOptions,
    TableOptions,
    choice_rows,
    comma_separated,
    without_unset,
)
from evenhand.cli import calibrate, plan, sample_plan, sample_simulate
from evenhand.errors import InputError
from evenhand.evidence import Declaration
from evenhand.measurement.items import ItemColumns as ItemRoles
from evenhand.measurement.simulation.scenarios import SimulationRequest
from evenhand.measurement.simulation.settings import SimulationSettings
from evenhand.migration import MigrationRequest, MigrationSettings
from evenhand.recalibration.comparison import RecalibrationSettings
from evenhand.reports.cover import ReportCover
from evenhand.staffing.plan import StaffingSettings

TAKERS = (
    (RoleOptions, Declaration),
    *((SettingOptions, audit.settings) for audit in AUDITS),
    (plan.PlanTargets, StaffingSettings),
    (calibrate.CalibratorRounds, RecalibrationSettings),
    (sample_plan.PlanColumns, ItemRoles),
    (sample_simulate.SimulationColumns, SimulationRequest),
    (sample_simulate.SimulationTrials, SimulationSettings),
    (MigrationOptions, MigrationSettings),
)


def names(choices: Any) -> list[str]:
    return [row.name for row in choice_rows(choices)]


def test_every_role_and_setting_is_a_choice() -> None:
    assert set(names(RoleOptions)) == set(ROLES)
    assert set(names(TableOptions)) == set(TABLES)
    assert set(names(SettingOptions)) == set(SETTINGS)
    assert set(names(LayoutOptions)) == set(LAYOUT)
    assert set(names(CoverOptions)) == set(COVER) == {field.name for field in fields(ReportCover)}
    assert set(names(Options)) == {*ROLES, *SETTINGS, *TABLES, *LAYOUT, *COVER}


@pytest.mark.parametrize(("choices", "taker"), TAKERS[len(AUDITS) + 1 :])
def test_what_a_command_takes_is_known_to_who_is_given_it(choices: Any, taker: Any) -> None:
    assert set(names(choices)) <= {field.name for field in fields(taker)}


def test_every_argument_of_a_migration_is_known_to_its_request() -> None:
    known = {name: None for name in MigrationArguments.__annotations__ if name not in RoleOptions.__annotations__}
    with pytest.raises(InputError, match="give the new scores"):  # and not: there is no option
        MigrationRequest.from_options(dict.fromkeys(known, 0))


def default(field: Field[Any]) -> Any:
    return field.default if field.default is not MISSING else None


def told(row: ChoiceRow) -> float | str | None:
    """The default that the help tells, if it does."""
    if number := re.search(r"\(([\d.,]*\d)\)", row.choice.help):
        return float(number[1].replace(",", "")) if number[1].count(",") < 2 else None
    word = re.search(r"([\w-]+) \(default\)", row.choice.help)
    return word[1] if word else None


@pytest.mark.parametrize(("choices", "taker"), TAKERS)
def test_the_default_that_is_told_is_the_one_taken(choices: Any, taker: Any) -> None:
    of = {field.name: default(field) for field in fields(taker)}
    own = [row for row in choice_rows(choices) if of.get(row.name) is not None and told(row) is not None]
    assert own
    for row in own:
        taken = of[row.name][0] if isinstance(of[row.name], tuple) else of[row.name]
        assert told(row) == taken, row.name


@pytest.mark.parametrize("row", [*choice_rows(RoleOptions), *choice_rows(SettingOptions)], ids=lambda row: row.name)
def test_examples_are_values_that_are_taken(row: ChoiceRow) -> None:
    if row.name == "spellings":  # a table of its own in TOML
        assert not row.choice.toml
        return
    value = tomllib.loads(f"{row.name} = {row.choice.toml}")
    assert row.choice.toml.partition("  # ")[2], "an example without a remark"
    beside = {"terms": "text", "removes": "decision", "stratum": "inclusion", "item": "annotator", "annotator": "item"}
    beside |= {"annotator_groups": "annotator", "classes": "probabilities", "reviews": "score", "gold": "reviews"}
    if row.name in ROLES and row.name not in beside and row.name != "scale":
        plain = {name: ["a", "b"] if v == ["…"] else v for name, v in value.items()}
        assert getattr(Declaration.of(plain), row.name)
    for audit in AUDITS:
        audit.settings.of(value)


def test_commas_and_nothing() -> None:
    assert comma_separated("a, b,,c ") == ("a", "b", "c")
    assert comma_separated("") == ()
    assert comma_separated(None) is None
    assert without_unset({"a": 0, "b": None, "c": False}) == {"a": 0, "c": False}
