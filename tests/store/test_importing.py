"""Past decisions come in once, whatever is repeated; a value that is not one is named by column and row."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from evenhand.errors import InputError
from evenhand.store.importing import import_decisions, parse_columns
from store.desks import Desk, check, sqlite_desk

COLUMNS = {"id": "key", "text": "body", "verdict": "bad", "score": "p", "decided_at": "when", "decided_by": "who"}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return sqlite_desk(tmp_path)


def table(rows: int = 30) -> pl.DataFrame:
    number = range(rows)
    return pl.DataFrame(
        {
            "key": [f"k{n}" for n in number],
            "body": [f"body {n}" for n in number],
            "bad": [n % 2 for n in number],
            "p": [n / rows for n in number],
            "when": ["2026-01-31T12:00:00Z"] * rows,
            "who": ["old tool"] * rows,
        }
    )


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_decisions_of_the_past_come_in_once(desk: Desk, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"past.{ending}"
    table().write_csv(path) if ending == "csv" else table().write_parquet(path)
    first = import_decisions(desk.store, str(path), COLUMNS)
    assert (first.new, first.known) == (30, 0)
    assert (lambda again: (again.new, again.known))(import_decisions(desk.store, str(path), COLUMNS)) == (0, 30)
    check(desk.store)
    item = desk.do("receive", "io", items=[])  # nothing to do, and nothing breaks
    assert item == {"items": []}


@pytest.mark.parametrize(("column", "value"), [("bad", "maybe"), ("p", "1.5"), ("when", "yesterday"), ("key", "")])
def test_a_wrong_value_is_named(desk: Desk, tmp_path: Path, column: str, value: str) -> None:
    path = tmp_path / "past.csv"
    frame = table().with_columns(pl.all().cast(pl.String))
    frame.with_columns(
        pl.when(pl.col("key") == "k4").then(pl.lit(value)).otherwise(pl.col(column)).alias(column)
    ).write_csv(path)
    with pytest.raises(InputError) as error:
        import_decisions(desk.store, str(path), COLUMNS)
    assert (error.value.column, error.value.row) == (column, 5)


def test_columns_are_checked_first(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "past.csv"
    table().write_csv(path)
    for columns, problem in (({"id": "kee"}, "key"), ({"text": "body"}, "ids"), ({"id": "key", "txt": "body"}, "text")):
        with pytest.raises(InputError, match=problem):
            import_decisions(desk.store, str(path), columns)
    assert parse_columns(["id=key", "text=body"]) == {"id": "key", "text": "body"}
    for wrong in (["id"], ["id="], ["id=a", "id=b"]):
        with pytest.raises(InputError, match="ROLE=COLUMN"):
            parse_columns(wrong)
