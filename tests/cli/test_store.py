"""The commands of the store, as somebody uses them: each says what it did, and what is wrong in one line."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest

from cli.program import Program, ran
from evenhand.store import DeskPolicy


@pytest.fixture
def desk(program: Program) -> Path:
    """A store with two decisions of the past."""
    pl.DataFrame({"i": ["a", "b"], "y": [1, 0], "t": ["one", "two"]}).write_csv("past.csv")
    ran(program, "store", "init", "desk.db")
    columns = [part for role in ("id=i", "verdict=y", "text=t") for part in ("--column", role)]
    assert "2 items" in ran(program, "store", "import", "desk.db", "past.csv", *columns)
    return Path("desk.db")


def refusal(program: Program, *arguments: object) -> str:
    done = program("store", *arguments)
    assert done.code == 2, (done.out, done.err)
    (line,) = done.err.splitlines()
    return line


def test_a_store_from_beginning_to_end(program: Program, desk: Path) -> None:
    assert "head of event 3" in ran(program, "store", "head", desk, "-o", "head.json")
    said = ran(program, "store", "verify", desk, "--head", "head.json")
    assert said == "unchanged: 3 events and 2 contents, and as the head of event 3 says\n"
    assert ran(program, "store", "rebuild", desk) == "the same: 2 items from 3 events\n"
    assert "judgements: 0 rows" in ran(program, "store", "export", desk, "-o", "out", "--format", "csv")
    assert dict(pl.read_csv("out/items.csv").select("item_id", "decision").iter_rows()) == {"a": "remove", "b": "leave"}
    assert "verified" in ran(program, "store", "backup", desk, "-o", "copy.db")
    assert "verified" in ran(program, "store", "restore", "copy.db", "again.db", "--key", "desk.db.key")
    assert "up to date" in ran(program, "store", "upgrade", "again.db")
    assert ran(program, "store", "erase", desk, "--item", "a", "--reason", "request").startswith("erased: 1")
    assert ran(program, "store", "hold", desk, "b", "--reason", "court") == "held: b\n"
    assert "legal hold" in refusal(program, "erase", desk, "--item", "b")
    assert ran(program, "store", "hold", desk, "b", "--reason", "closed", "--lift") == "hold lifted: b\n"
    assert json.loads(ran(program, "store", "verify", desk, "--head", "head.json", "--json"))["ok"]


def test_a_policy_is_activated_by_a_person(program: Program, desk: Path) -> None:
    Path("policy.json").write_text(json.dumps(DeskPolicy.from_thresholds(upper=0.9, lower=0.1).to_dict()))
    ran(program, "store", "invite", desk, "lee", "--role", "lead")
    ran(program, "store", "invite", desk, "ana", "--role", "moderator")
    assert ran(program, "store", "activate", desk, "policy.json", "--actor", "lee") == "active: policy 1, by lee\n"
    assert "may not" in refusal(program, "activate", desk, "policy.json", "--actor", "ana")
    assert "no access" in refusal(program, "activate", desk, "policy.json", "--actor", "stranger")
    assert "nothing to measure" in refusal(program, "measure", desk)


def test_a_change_is_found(program: Program, desk: Path) -> None:
    ran(program, "store", "head", desk, "-o", "head.json")
    with closing(sqlite3.connect(desk)) as connection:
        connection.execute("DROP TRIGGER events_unchanged")
        connection.execute("UPDATE events SET payload = replace(payload, 'violating', 'benign') WHERE number = 2")
        connection.commit()
    done = program("store", "verify", desk)
    assert done.code == 1
    assert done.out.splitlines()[0].startswith("not as it was: event 2 (imported) does not fit")
    done = program("store", "rebuild", desk)
    assert done.code == 1
    assert "and the events say 'benign'" in done.out


def test_what_is_wrong_is_one_line(program: Program, desk: Path) -> None:
    assert "no such store" in refusal(program, "verify", "other.db")
    assert "not an SQLite database" in refusal(program, "verify", "past.csv")
    assert "this file exists" in refusal(program, "init", "past.csv")
    assert "set what to erase" in refusal(program, "erase", desk)
    assert "--days" in refusal(program, "erase", desk, "--days", "7")
    assert "--column" in refusal(program, "import", desk, "past.csv")
    assert "choose from: parquet" in refusal(program, "export", desk, "-o", "out", "--format", "xml")
    assert "EVENHAND_STORE_KEY" in refusal(program, "verify", "postgresql://nobody@127.0.0.1:1/none")
    assert "PostgreSQL" in refusal(program, "verify", "mysql://nobody@127.0.0.1/none")
    Path("desk.db.key").unlink()
    assert "no such file" in refusal(program, "verify", desk)


def test_a_new_link_for_who_lost_a_password(program: Program, desk: Path) -> None:
    ran(program, "store", "invite", desk, "lee", "--role", "lead")
    done = program("desk", "recover", desk, "lee", "--url", "https://desk.example/")
    assert done.code == 0, done.err
    assert done.out.startswith("for lee, once, within 72 hours: https://desk.example/invitation/")
    done = program("desk", "recover", desk, "nobody")
    assert (done.code, done.out) == (2, "")
    assert "nobody named 'nobody' works here: invite them first" in done.err
