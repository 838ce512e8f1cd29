"""Hostile SQL: conditions on rows, queries, and databases that are not what they seem."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from hostile.corpus.registry import hostile, put
from hostile.corpus.rows import rows
from hostile.site import Site

CONDITIONS: dict[str, str] = {
    "condition_that_pads": "LENGTH(LPAD(text, 2000000000, 'x')) > 0",
    "condition_that_pads_right": "RPAD(text, 2000000000, 'x') IS NOT NULL",
    "condition_that_repeats": "LENGTH(REPEAT(text, 2000000000)) > 0",
    "condition_that_replaces": "LENGTH(" + "REPLACE(" * 9 + "text" + ", 'a', 'aaaaaaaaaaaaaaaaaaaa')" * 9 + ") > 0",
    "condition_that_joins": "LENGTH(" + "CONCAT(text, " * 30 + "text" + ")" * 30 + ") > 0",
    "condition_with_a_query": "text IN (SELECT * FROM read_csv('PRECIOUS/precious.csv'))",
    "condition_with_a_hidden_query": "text IN (/* */SELECT/* */ id /**/FROM/**/read_csv('PRECIOUS/precious.csv'))",
    "condition_with_a_table": "EXISTS (TABLE items)",
    "condition_that_reaches_out": "text = read_csv('URL/x.csv')",
    "condition_with_a_second_statement": "y = 1; DROP TABLE items",
    "condition_that_explodes": "UNNEST(STRING_TO_ARRAY(text, '')) = 'a'",
    "condition_nested_deep": "(" * 5_000 + "y = 1" + ")" * 5_000,
    "condition_of_many_parts": " OR ".join(f"y = {n}" for n in range(40_000)),
    "condition_that_denies": "NOT " * 20_000 + "(y = 1)",
    "condition_of_a_long_sum": "p" + " + p" * 40_000 + " > 0",
    "condition_with_a_pattern": f"text REGEXP '{'(a+)+' * 40}$' OR text REGEXP '(((a{{100}}){{100}}){{100}})'",
    "condition_with_characters": "text = '\u202e\x1b[2J' AND nowhere = 1",
    "condition_with_nul": "y = 1 \0 OR 1 = 1",
    "condition_of_huge_numbers": f"y < {'9' * 5000} AND p > 1e99999",
    "condition_on_a_pattern_of_columns": '"^.*$" = 1 OR "*" = 1 OR * IS NULL',
    "condition_that_shifts": "DATE('2020-01-01') + INTERVAL '9999999999 years' > DATE('2020-01-01')",
}


def condition(name: str, site: Site) -> str:
    return CONDITIONS[name].replace("PRECIOUS", str(site.precious)).replace("URL", site.url)


def _condition(name: str) -> Callable[[Site], str]:
    return lambda site: condition(name, site).replace("\0", "")  # no argument can hold one


for _name in CONDITIONS:
    put(_name, ("condition",), _condition(_name))


QUERIES: dict[str, str] = {
    "query_that_deletes": "DELETE FROM items RETURNING *",
    "query_that_drops": "DROP TABLE items",
    "query_that_updates": "UPDATE items SET p = 0.5 RETURNING *",
    "query_that_inserts": "INSERT INTO items SELECT * FROM items RETURNING *",
    "query_that_replaces": "REPLACE INTO items SELECT * FROM items RETURNING *",
    "query_that_creates": "CREATE TABLE canary AS SELECT * FROM items",
    "query_behind_another": "SELECT * FROM items; DELETE FROM items",
    "query_behind_a_comment": "/* SELECT */ -- only\nDELETE FROM items RETURNING *",
    "query_with_a_deleting_part": "WITH gone AS (SELECT 1) DELETE FROM items RETURNING *",
    "query_that_attaches": "ATTACH DATABASE 'CANARY' AS other",
    "query_that_attaches_what_is_there": "ATTACH DATABASE 'PRECIOUS/precious.txt' AS other",
    "query_that_copies": "VACUUM INTO 'CANARY'",
    "query_that_packs": "VACUUM",
    "query_that_sets_the_schema": "PRAGMA writable_schema = 1",
    "query_that_sets_the_journal": "PRAGMA journal_mode = WAL",
    "query_that_sets_the_folder": "PRAGMA temp_store_directory = 'PRECIOUS'",
    "query_that_loads": "SELECT load_extension('CANARY')",
    "query_that_writes_a_file": "SELECT writefile('CANARY', 'x') AS p",
    "query_that_reads_a_file": "SELECT readfile('PRECIOUS/precious.txt') AS text FROM items",
    "query_without_end": "WITH RECURSIVE n(p) AS (SELECT 0.5 UNION ALL SELECT p FROM n) SELECT p, 1 AS y FROM n",
    "query_that_counts_for_ever": "WITH RECURSIVE n(p) AS (SELECT 1 UNION ALL SELECT p FROM n) SELECT sum(p) FROM n",
    "query_of_one_huge_value": "SELECT hex(zeroblob(900000000)) AS text, p, y FROM items",
    "query_of_huge_values": "SELECT *, zeroblob(50000000) AS more FROM items",
    "query_nested_deep": "SELECT " + "(" * 5_000 + "1" + ")" * 5_000,
    "query_of_nothing": "",
    "query_with_a_trigger": "CREATE TEMP TRIGGER t BEFORE UPDATE ON items BEGIN DELETE FROM items; END",
}
QUERIES_THAT_READ = {"query_of_one_huge_value", "query_of_huge_values", "query_without_end"}


def query(name: str, site: Site) -> str:
    return QUERIES[name].replace("PRECIOUS", str(site.precious)).replace("CANARY", str(site.canary))


def _query(name: str) -> Callable[[Site], str]:
    return lambda site: query(name, site)


for _name in QUERIES:
    put(_name, ("query",), _query(_name), refused=_name not in QUERIES_THAT_READ)


def write_database(path: Path) -> None:
    """The rows of every table as `items`."""
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        columns = ", ".join(f'"{name}"' for name in rows()[0])
        connection.execute(f"CREATE TABLE items ({columns})")
        marks = ", ".join("?" * len(rows()[0]))
        connection.executemany(f"INSERT INTO items VALUES ({marks})", [tuple(row.values()) for row in rows()])
    connection.close()


def _with_view(site: Site, view: str) -> str:
    path = site.work / "in.db"
    write_database(path)
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE items RENAME TO hidden")
        connection.execute("PRAGMA writable_schema = 1")
        row = "INSERT INTO sqlite_master VALUES ('view', 'items', 'items', 0, ?)"
        connection.execute(row, (f"CREATE VIEW items AS {view}",))
    connection.close()
    return path.name


@hostile("database")
def database_without_end(site: Site) -> str:
    return _with_view(site, "WITH RECURSIVE n(p) AS (SELECT 0.5 UNION ALL SELECT p FROM n) SELECT p, 1 AS y FROM n")


@hostile("database")
def database_of_huge_values(site: Site) -> str:
    return _with_view(site, "SELECT *, hex(zeroblob(100000000)) AS more FROM hidden")


@hostile("database", refused=True)
def database_that_loads(site: Site) -> str:
    return _with_view(site, f"SELECT load_extension('{site.canary}') AS p, 1 AS y")


@hostile("database")
def database_with_a_journal(site: Site) -> str:
    """Another's unfinished change lies beside it: who opens it to write would undo that, and delete the journal."""
    path = site.work / "in.db"
    write_database(path)
    (site.work / "in.db-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"\0\0\0\1" + b"\7" * 500)
    return path.name


@hostile("database")
def database_with_a_log(site: Site) -> str:
    path = site.work / "in.db"
    write_database(path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    return path.name


@hostile("database", refused=True)
def database_that_is_none(site: Site) -> str:
    return site.write("in.db", b"SQLite format 3\0" + bytes(range(256)) * 30).name


@hostile("database")
def database_with_characters_in_names(site: Site) -> str:
    path = site.work / "in.db"
    with sqlite3.connect(path) as connection:
        connection.execute('CREATE TABLE items ("p", "y", "te\u202ext\x1b[2J", "a", "b", "text", "id")')
        connection.execute("INSERT INTO items VALUES ('\u202e\x1b[2J', 1, 2, 0, 1, 'x', 1)")
    connection.close()
    return path.name
