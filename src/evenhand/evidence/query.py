"""A query to a database: one statement that reads. Looked at by its words, before any database sees it.

Databases have their own means to refuse writing (`database.py`), and each lets something through: a query may end the
transaction that was read-only and begin another, or call a function that writes a file. So it may be one statement
only, without the words that change data and without functions that act. Where databases differ in what a quote or a
comment is, a query that could be read in two ways is refused.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from evenhand.errors import InputError

TOKENS = (
    r"(?P<blank>\s+|--\s[^\n]*|--$|/\*(?!M?!).*?\*/)",
    r"(?P<text>'(?:[^']|'')*')",
    r'(?P<name>"(?:[^"]|"")*"|`(?:[^`]|``)*`)',
    r"(?P<word>[^\W\d][\w$]*)",
    r"(?P<other>--|/\*|\d[\w.]*|[^'\"`])",
)
DOLLARS = r"(?P<dollars>(?P<tag>\$(?:[^\W\d]\w*)?\$).*?(?P=tag))"  # a text, for PostgreSQL
BRACKETS = r"(?P<brackets>\[[^\]]*\])"  # a name, for SQLite and SQL Server
KINDS = {"dollars": "text", "brackets": "name"}
TWO_WAYS = {"--": "a comment begins with -- and a blank", "/*": "no comments that some run", "#": "no #"}
PREFIXES = ("E", "B", "X", "N")  # of a text

READING = frozenset(("SELECT", "WITH", "VALUES", "TABLE"))
CHANGING = frozenset(("INSERT", "UPDATE", "DELETE", "MERGE", "INTO"))
ACTING = re.compile(  # functions that read or write files, run programs, reach out, run a text as a query, or wait
    r"pg_(?!typeof$|size_)\w+|lo_\w+|dblink\w*|set_config|\w*_to_xml\w*|nextval|setval"  # PostgreSQL
    r"|load_file|sleep|benchmark|sys_\w+"  # MySQL
    r"|xp_\w+|sp_\w+|openrowset|opendatasource|openquery|utl_\w+|dbms_\w+"  # SQL Server, Oracle
    r"|read_\w+|\w+_scan|http_\w+",  # DuckDB
    re.IGNORECASE,
)


def check_query(query: str, backend: str) -> None:
    """`InputError` unless it is one statement that reads, for this kind of database."""
    tokens = list(_tokens(query, backend))
    if any(text == ";" for _, text in tokens[:-1]):
        raise InputError("`query` takes one statement, and there is more behind a semicolon")
    first = next((text.upper() for _, text in tokens if text != "("), "")
    if first not in READING:
        raise InputError("`query` takes one statement that reads: SELECT, WITH, VALUES or TABLE")
    for (kind, text), (_, following) in itertools.pairwise([*tokens, ("", "")]):
        if kind == "word" and text.upper() in CHANGING:
            raise InputError(f"`query` may only read: {text.upper()} is refused; a column of this name goes in quotes")
        if following == "(" and kind in ("word", "name") and ACTING.fullmatch(text.strip('"`[]')):
            raise InputError(f"`query` may only read, and the function {text:.60} can do more")


def _tokens(query: str, backend: str) -> Iterator[tuple[str, str]]:
    """Kind and text of each, without blanks and comments."""
    dialect = [DOLLARS] * (backend == "postgresql") + [BRACKETS] * (backend in ("sqlite", "mssql"))
    pattern = re.compile("|".join([*TOKENS[:4], *dialect, TOKENS[4]]), re.DOTALL)
    place, before = 0, ""
    while place < len(query):
        match = pattern.match(query, place)
        if not match:
            raise InputError(f"`query` has a quote that is not closed: {query[place:]:.40}")
        group, text = str(match.lastgroup), match[0]
        kind = KINDS.get(group, group)
        if text in ("--", "/*") or (text == "#" and backend in ("mysql", "mariadb")):
            raise InputError(f"`query`: {TWO_WAYS[text]}, since databases read it differently")
        odd = kind == "text" and query[place - 1 : place].isalnum() and before not in PREFIXES
        if odd or (kind in ("text", "name") and re.search(r"\\['\"`]", text)):
            raise InputError(f"`query` has a quote that databases read differently: {text:.40}")
        if kind == "blank" and "/*" in text[2:]:
            raise InputError("`query` has a comment within a comment, which databases read differently")
        if kind != "blank":
            yield kind, text
            before = text.upper()
        place = match.end()
