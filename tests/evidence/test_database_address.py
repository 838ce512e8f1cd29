"""A password in a URL: in no message, in no file, and never sent to the wrong host."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest

from cli.program import fails, ran
from evenhand.errors import InputError
from evenhand.evidence import open_source
from evenhand.evidence.database_address import declared_address, parse_address, resolve_address, without_secrets

AMBIGUOUS = [
    "postgresql://me:se@cret@host/db",
    "postgresql://me:se@c/ret@host/db",
    "postgresql://me:se@c?ret@host/db",
    "postgresql://me:se@c/r?et@host/db",
    "postgresql://me:se@c:ret@host/db",
    "postgresql://m/e:secret@host/db",
]


@pytest.mark.parametrize("url", AMBIGUOUS)
def test_an_at_that_is_not_escaped_is_refused_and_shows_nothing(url: str) -> None:
    with pytest.raises(InputError) as caught:
        open_source(url, query="select 1")
    assert str(caught.value) == (
        "postgresql://…: the URL has an '@' or ':' too many: write @ as %40 and : as %3A in a password"
    )


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:se%40cret@host/db",
        "postgresql://me:se:c/ret?@host/db",
        "postgresql://host/db?user=me@home&password=se@cret",
        "sqlite:////home/me@work/x.db",
        "postgresql://me@host/db",
    ],
)
def test_other_urls_are_read(url: str) -> None:
    assert parse_address(url).database


def test_what_a_driver_says_is_masked() -> None:
    address = parse_address("postgresql://me:s.c@host/db?sslpassword=also&x=1&x=2")
    said = without_secrets('no "s.c" at host (also s.c, sac, 2); 12', address)
    assert said == 'no "***" at host (*** ***, sac, ***); 12'


def test_a_declaration_holds_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_DATABASE", raising=False)
    assert declared_address("sqlite:///x.db") == "sqlite:///x.db"
    for url in (
        "postgresql://me@host/db",
        "postgresql://me:x@host/db",
        "postgresql://host/db?password=x",
        "postgresql://me:@host/db",
    ):
        assert declared_address(url) == "${DATABASE_URL}"
    assert resolve_address("items.csv") == "items.csv"
    assert resolve_address("sqlite:///x.db") == "sqlite:///x.db"
    with pytest.raises(InputError, match="a declaration may not name a server"):
        resolve_address("postgresql://me@host/db")
    with pytest.raises(InputError, match="the environment variable MY_DATABASE, which is not set"):
        resolve_address("${MY_DATABASE}")
    monkeypatch.setenv("MY_DATABASE", "sqlite:///x.db")
    assert resolve_address("${MY_DATABASE}") == "sqlite:///x.db"
    monkeypatch.setenv("MY_DATABASE", "s3cr3t")
    with pytest.raises(InputError, match=r"the environment variable MY_DATABASE, which is not a database URL$"):
        resolve_address("${MY_DATABASE}")


def test_init_keeps_a_password_out_of_the_file(program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with sqlite3.connect("d.sqlite") as connection:
        connection.execute("create table t (id int, score real, label int, women int)")
        rows = [(k, (k * 37 % 100) / 100, k % 2, k % 3 == 0) for k in range(200)]
        connection.executemany("insert into t values (?, ?, ?, ?)", rows)
    url = f"sqlite:///{tmp_path}/d.sqlite?timeout=7"
    said = ran(program, "init", url, "--query", "select * from t")
    text = Path("audit.toml").read_text()
    assert 'data = "${DATABASE_URL}"' in text
    assert "timeout" not in text + said
    assert "set the environment variable DATABASE_URL to it" in said
    assert stat.S_IMODE(Path("audit.toml").stat().st_mode) == 0o600
    fails(program, "audit", "audit.toml", says=["audit.toml", "DATABASE_URL, which is not set"])
    monkeypatch.setenv("DATABASE_URL", url)
    ran(program, "audit", "audit.toml", "--json")
    ran(program, "init", url.partition("?")[0], "--query", "select * from t", "--out", "plain.toml")
    assert f'data = "{url.partition("?")[0]}"' in Path("plain.toml").read_text()
    assert stat.S_IMODE(Path("plain.toml").stat().st_mode) == 0o600


def test_the_file_of_a_database_is_an_input(program, tmp_path: Path) -> None:
    with sqlite3.connect("d.sqlite") as connection:
        connection.execute("create table t (id int, score real)")
        connection.execute("insert into t values (1, 0.5)")
    before = Path("d.sqlite").read_bytes()
    url = f"sqlite:///{tmp_path}/d.sqlite"
    fails(
        program,
        *("init", url, "--query", "select * from t", "--out", "d.sqlite", "--force"),
        says=["d.sqlite", "is read"],
    )
    assert Path("d.sqlite").read_bytes() == before
