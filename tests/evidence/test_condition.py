"""A condition on the rows compares columns and does nothing else: it reads no file, asks no server, takes no memory."""

from __future__ import annotations

import ctypes
import os
import socket
import sys
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenhand import limits
from evenhand.errors import InputError
from evenhand.evidence import open_source
from evenhand.evidence.condition import FUNCTIONS, QUERIES, sql_condition

TABLE = pl.DataFrame(
    {
        "p": [0.1, 0.5, None],
        "id": [1, 2, 3],
        "t": ["ann", "Bob", "it's"],
        "b": [True, False, None],
        "when": [datetime(2024, 5, 6)] * 3,
        "from": [1, 2, 3],
        "ſelect": [1, 2, 3],  # in capitals SELECT
        "two words": ["x", "y", "z"],
        "s": [{"lang": "en"}, {"lang": "de"}, {"lang": "fr"}],
    }
)


def kept(where: str) -> list[int]:
    return TABLE.lazy().filter(sql_condition(where, open_source(TABLE))).collect()["id"].to_list()


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ("p > 0.3", [2]),
        ("id IN (1, 3) AND NOT (t LIKE 'it%')", [1]),
        ("t NOT IN ('ann') OR p IS NOT NULL", [1, 2, 3]),
        ("p IS NOT DISTINCT FROM 0.5", [2]),
        ("id BETWEEN 2 AND 2 + 1", [2, 3]),
        ("LOWER(t) = 'bob' or length(t) = 4", [2, 3]),
        ("t = 'it''s'", [3]),
        ("t ILIKE 'B%' OR t ~ '^a' OR REGEXP_LIKE(t, 'zzz')", [1, 2]),
        ("SUBSTRING(t FROM 1 FOR 1) = 'a'", [1]),
        ("TRIM(LEADING 'a' FROM t) = 'nn'", [1]),
        ("POSITION('n' IN t) > 0", [1]),
        ('EXTRACT(YEAR FROM "when") = 2024 AND "when" >= DATE \'2024-01-01\'', [1, 2, 3]),
        ("CAST(id AS VARCHAR) = '2' OR id::DOUBLE = 3", [2, 3]),
        ("CASE WHEN b THEN 1 ELSE 0 END = 1", [1]),
        ("COALESCE(p, 0) = 0", [3]),
        ("\"two words\" = 'y' AND `id` = 2", [2]),
        ('"from" = 2', [2]),
        ("s.lang = 'de'", [2]),
        ("b", [1]),
        ("id - -1 = 2", [1]),
        ("id // 2 = 1 AND id % 2 = 0", [2]),
        ("t = '-- no comment; /* none */ SELECT'", []),
        ("id IN (" + ", ".join(str(n) for n in range(1500)) + ")", [1, 2, 3]),
    ],
)
def test_what_a_condition_may_say(where: str, rows: list[int]) -> None:
    assert kept(where) == rows


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("p IN (/**/SELECT/**/a FROM read_csv('/etc/passwd'))", "no comments"),
        ("p > 1 -- all", "no comments"),
        ("p > 1; p > 2", "semicolon"),
        ("p IN (SELECT p FROM self)", "not a query (SELECT)"),
        ("p IN (seLect 1)", "not a query (SELECT)"),
        ("id IN (ſelect 1)", "not a query (SELECT)"),
        ("id IN (FROM self)", "not a query (FROM)"),
        ("from = 1", 'not a query (FROM); a column of this name is written "from"'),
        ("id IN (VALUES (1))", "not a query (VALUES)"),
        ("EXISTS (TABLE x)", "not a query (EXISTS)"),
        ("WITH a AS (p) p > 1", "not a query (WITH)"),
        ("id = ANY(id)", "not a query (ANY)"),
        ("SUM(id) OVER (PARTITION BY t) > 1", "the function SUM"),
        ("read_csv('/etc/passwd') > 1", "does not know the function READ_CSV"),
        ("LPAD(t, 2000000000) = 'a'", "does not know the function LPAD; choose from: ABS"),
        ("LENGHT(t) > 1", "the function LENGHT; did you mean 'LENGTH'?"),
        ("REPEAT(t, 2000000000) = 'a'", "does not know the function REPEAT"),
        ("t || t = 'aa'", "no '||'"),
        ("\"read_csv\"('/etc/passwd')", "cannot call"),
        ("'read_csv' ('/etc/passwd')", "cannot call"),
        ("s.read_csv('/etc/passwd')", "the function READ_CSV"),
        ("t = $$a$$", "no '$'"),
        ("t = e'a\\nb'", "in two ways"),
        ("t = 'a\\' OR id IN (SELECT 1) OR t = '", "in two ways"),
        ("t = 'open", "not closed"),
        ("(p > 1", "not closed"),
        ("p > 1) OR (p < 1", "not opened"),
        ("p > 1 AS q", "CAST"),
        ("nothing > 1", "there is no column 'nothing'"),
        ("", "empty"),
        ("  \n", "empty"),
        ("t[1] = 'a'", "no '['"),
        ("p > 1\0", "no '"),
        ("p > 'a" + "a" * 10_000 + "'", "10,000 characters"),
        (" OR ".join(["p>1"] * 1_000), "1,000 are taken"),
        ("id" + " IS NULL" * 1_000, "1,000 are taken"),
        ("(" * 21 + "b" + ")" * 21, "20 brackets"),
        (" OR ".join([r"t ~ '\w{140}'"] * 21), "21 regular expressions"),
    ],
)
def test_what_it_may_not_say(where: str, says: str) -> None:
    with pytest.raises(InputError) as error:
        sql_condition(where, open_source(TABLE))
    assert says in str(error.value)


@pytest.mark.parametrize("where", ["NOT " * 900 + "b", "-" + " -" * 900 + "p > 1", "p" + "::INT" * 450 + " = 1"])
def test_what_is_deep_without_brackets_ends_in_one_line(where: str) -> None:
    try:
        kept(where)
    except InputError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017


libc = ctypes.CDLL(None, use_errno=True)
OPENED = 0x00000020  # IN_OPEN


class Bait:
    """A file and a server that a condition might reach for, and whether anything did, in Python or below it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "bait.csv"
        self.path.write_text("p,id\n1,2\n")
        self._watch = libc.inotify_init1(os.O_NONBLOCK)
        assert libc.inotify_add_watch(self._watch, str(self.path).encode(), OPENED) >= 0
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.settimeout(0.2)
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}/bait.csv"
        self.asked = 0
        self._listening = True
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        while self._listening:
            try:
                self._server.accept()[0].close()
                self.asked += 1
            except TimeoutError:
                pass

    def was_touched(self) -> bool:
        try:
            return bool(os.read(self._watch, 4096))
        except BlockingIOError:
            return self.asked > 0

    def close(self) -> None:
        self._listening = False
        self._thread.join()
        self._server.close()
        os.close(self._watch)


@pytest.fixture(scope="module")
def bait(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bait]:
    if not sys.platform.startswith("linux"):
        pytest.skip("watches files as Linux does")
    found = Bait(tmp_path_factory.mktemp("bait"))
    yield found
    found.close()


def test_the_bait_is_watched(bait: Bait) -> None:
    """What the checks keep out: a condition that Polars takes for itself opens the file."""
    assert not bait.was_touched()
    with pytest.raises(pl.exceptions.PolarsError):
        pl.select(pl.sql_expr(f"1 IN (SELECT id FROM read_csv('{bait.path}'))"))
    assert bait.was_touched()


words = st.sampled_from(
    [*sorted(FUNCTIONS), *sorted(QUERIES), "FROM", "DISTINCT FROM", "IS", "NOT", "AND", "IN", "NULL", "AS", "CASE WHEN"]
)
pieces = st.one_of(
    words,
    st.sampled_from(
        ["p", "id", "t", "b", "s.lang", '"from"', "`id`", "read_csv", '"read_csv"', "read_parquet", "self"]
    ),
    st.sampled_from(
        ["BAIT", "URL", "'a'", "''", "'''", "\\'", "1", "0.5", "1e9", "$$", "e'", "u&'", "x'41'", '"', "`"]
    ),
    st.sampled_from(
        ["(", ")", ",", ".", ";", "--", "/*", "*/", "//", "/**/", "=", ">", "<=>", "||", "::", "~", "[", "\n"]
    ),
    st.sampled_from(
        ["SELECT id FROM read_csv(BAIT)", "SELECT * FROM BAIT", "FROM read_csv(URL)", "IN (", "read_csv(BAIT)"]
    ),
    st.text(max_size=3),
)
conditions = st.one_of(
    st.lists(pieces, max_size=12).map(" ".join),
    st.lists(pieces, max_size=8).map("".join),
    st.tuples(
        st.sampled_from(["p > 0 OR id IN (", "p IN (", "EXISTS ("]), st.lists(pieces, max_size=6).map(" ".join)
    ).map(lambda parts: parts[0] + parts[1] + ")"),
    st.tuples(pieces, pieces, pieces).map(lambda parts: f"{parts[0]}({parts[1]} {parts[2]}) = id"),
)


def look(bait: Bait, where: str) -> None:
    """Take the condition as a user's; whatever passes is also applied."""
    written = where.replace("BAIT", f"'{bait.path}'").replace("URL", f"'{bait.url}'")
    source = open_source(TABLE)
    try:
        found = sql_condition(written, source)
        source.collect(lambda lazy: lazy.filter(found))
    except InputError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017
    assert not bait.was_touched(), written


@given(where=conditions)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_passes_reaches_for_nothing(bait: Bait, where: str) -> None:
    look(bait, where)


@pytest.mark.verify
@given(where=conditions)
@settings(max_examples=20_000, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_passes_reaches_for_nothing_at_length(bait: Bait, where: str) -> None:
    look(bait, where)


@pytest.mark.parametrize("function", sorted(FUNCTIONS))
def test_no_function_makes_a_value_much_longer(function: str) -> None:
    """Those that take a number take a large one as well; letters such as ŉ have two capitals."""
    table = pl.DataFrame({"t": ["ŉ" * 1000], "id": [9]})
    for arguments in ("t", "t, 2000000000", "t, 2000000000, 'x'", "t, 'a', 2000000000", "2000000000", "id, 9999"):
        try:
            value = table.select(pl.sql_expr(f"{function}({arguments})")).item()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            continue
        assert len(str(value)) <= 2000


def test_the_limits_can_be_met() -> None:
    assert len("id IN (" + ", ".join(["'a name'"] * 900) + ")") < limits.CONDITION_CHARACTERS
