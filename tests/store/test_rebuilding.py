"""The state is what the events say, and a difference is named and can be repaired."""

from __future__ import annotations

from pathlib import Path

import pytest

from evenhand.store import rebuild
from evenhand.store.cases import ITEM_COLUMNS, TASK_COLUMNS
from evenhand.store.schema import items, tasks
from store.desks import Desk, sqlite_desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = sqlite_desk(tmp_path)
    made.receive(0.5, 0.6, 0.95)
    view = made.do("claim", "ana", queue="review")
    made.do("decide", "ana", task=view["task"], version=view["version"], verdict="violating")
    return made


def test_rows_have_the_columns_of_the_tables() -> None:
    assert set(ITEM_COLUMNS) == {column.name for column in items.c}
    assert set(TASK_COLUMNS) == {column.name for column in tasks.c}


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        (
            "UPDATE items SET action = 'leave' WHERE decided_by = 'ana'",
            "action is 'leave', and the events say 'remove'",
        ),
        ("UPDATE tasks SET holder = 'bo' WHERE state = 'waiting'", "holder is 'bo'"),
        ("DELETE FROM tasks WHERE state = 'done'", "the row is missing"),
        ("DELETE FROM seen", "the row is missing"),
        ("INSERT INTO seen VALUES ('x', 'bo', 'y', 1)", "seen: 2 rows are stored, and the events say 1"),
        ("UPDATE people SET role = 'lead' WHERE id = 'ana'", "role is 'lead'"),
        ("UPDATE policies SET document = '{}'", "document is '{}'"),
    ],
)
def test_a_difference_is_named_and_repaired(desk: Desk, statement: str, named: str) -> None:
    assert rebuild(desk.store).same
    with desk.store.database.writing() as connection:
        connection.exec_driver_sql(statement)
    assert named in str(rebuild(desk.store).difference)
    assert rebuild(desk.store, repair=True).items == 3
    assert rebuild(desk.store).same
