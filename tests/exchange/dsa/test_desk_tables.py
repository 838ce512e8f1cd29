"""From the export of a store to statements that keep the rules and a report whose counts are those of the desk."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from evenhand.errors import InputError
from evenhand.exchange.dsa.census import DecisionCensus
from evenhand.exchange.dsa.desk_tables import DeskTables, PlatformCodes
from evenhand.exchange.dsa.period import ReportingPeriod
from evenhand.exchange.dsa.statements import StatementSource
from exchange.dsa.corpus import DESK_CODES
from store.desks import sqlite_desk

YEAR = ReportingPeriod.parse("2027-01-01/2027-12-31")


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    from evenhand.store.exporting import export

    desk = sqlite_desk(tmp_path, measured=0.3, reserved=0.5, second=0.0, panel=0.0)
    items = desk.receive(*(number / 20 for number in range(20)), language="en", author="writer")
    desk.do("notice", "io", item=items[10], reason="insult", clause="hate", trusted=True)
    punished = {11: ("leave", "warn"), 9: ("remove", "suspend"), 7: ("leave", "suspend")}
    for number in range(12):
        view = desk.do("claim", "ana", queue="review")
        verdict, clause = ("violating", "hate") if number % 2 else ("benign", None)
        answer = {"task": view["task"], "version": view["version"], "verdict": verdict}
        action, account = punished.get(number, (None, None))
        desk.do("decide", "ana", **answer, clause=clause, ground="terms", action=action, account_action=account)
    desk.do("appeal", "io", item=items[19], reason="quoted")
    export(desk.store, tmp_path / "out", texts=False)
    return tmp_path / "out"


@pytest.fixture
def codes(tmp_path: Path) -> Path:
    (tmp_path / "codes.toml").write_text(DESK_CODES)
    return tmp_path / "codes.toml"


def test_every_restriction_becomes_a_statement_and_a_count(exported: Path, codes: Path, tmp_path: Path) -> None:
    decided = pl.read_parquet(exported / "decisions.parquet")
    suspended = decided["account_action"] == "suspend"
    restricted = decided.filter((pl.col("action") == "remove") | suspended)
    assert 0 < len(restricted) < len(decided)  # a warning restricts nothing
    made = DeskTables.read(exported, PlatformCodes.read(codes))
    made.save(tmp_path / "tables")
    statements = list(StatementSource.read(tmp_path / "tables" / "decisions.csv").statements())
    assert [one["puid"] for one in statements] == restricted["decision_id"].to_list()
    machine = sum(one["automated_decision"] == "AUTOMATED_DECISION_FULLY" for one in statements)
    assert machine == restricted["automated"].sum() > 0
    hate = sum(one.get("category_specification") == ["KEYWORD_HATE_SPEECH"] for one in statements)
    assert hate == (restricted["clause"] == "hate").sum() > 0
    accounts = [one.get("decision_account") for one in statements]
    assert accounts == [
        "DECISION_ACCOUNT_SUSPENDED" if yes else None for yes in restricted["account_action"].is_not_null()
    ]
    assert suspended.sum() == 2
    alone = ["decision_visibility" not in one for one in statements]  # the account, and nothing of the item
    assert alone == (restricted["action"] == "leave").to_list()
    assert any(alone)
    counted = DecisionCensus.read(tmp_path / "tables" / "decisions.csv", YEAR)
    assert (len(counted.frame), counted.fully_automated) == (len(restricted), machine)
    assert made.tables["notices"]["category"].to_list() == ["STATEMENT_CATEGORY_ILLEGAL_OR_HARMFUL_SPEECH"]
    assert made.tables["appeals"]["about"].to_list() == ["visibility"]


def test_tables_without_rows_keep_their_columns(codes: Path, exported: Path, tmp_path: Path) -> None:
    for name in ("notices", "appeals"):
        pl.read_parquet(exported / f"{name}.parquet").head(0).write_parquet(exported / f"{name}.parquet")
    DeskTables.read(exported, PlatformCodes.read(codes)).save(tmp_path / "tables")
    assert pl.read_csv(tmp_path / "tables" / "notices.csv").columns[:3] == ["notice_id", "received_at", "category"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[account_actions.warn]", "", "the action 'warn' is not described: add .account_actions.warn."),
        ("[actions.remove]", "[actions.hide]", "the action 'remove' is not described: add .actions.remove."),
        ("category =", "categroy =", "there is no field 'categroy'; did you mean 'category'"),
        ("[otherwise]", "[other]", "there is no section 'other'"),
        ('"Rule 3: hate speech"', "3", "'incompatible_content_ground' must be a text or a list of codes"),
    ],
)
def test_a_file_of_codes_that_does_not_fit(exported: Path, codes: Path, old: str, new: str, message: str) -> None:
    codes.write_text(DESK_CODES.replace(old, new, 1))
    with pytest.raises(InputError, match=message):
        DeskTables.read(exported, PlatformCodes.read(codes))


def test_a_folder_that_is_no_export(codes: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no table of decisions"):
        DeskTables.read(tmp_path, PlatformCodes.read(codes))
