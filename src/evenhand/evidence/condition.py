"""A condition on the rows, in SQL. Every word of it is known before Polars reads it, so that all it can do is compare.

Polars takes whole queries inside a condition, and these read any file and any address, at the time they are parsed.
So nothing is looked for that might be dangerous: what is not a column, a literal, an operator, or a word or function
listed here is refused. Functions are listed that are of use in a condition and whose value is no longer than what they
are given.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import polars as pl

from evenhand import limits
from evenhand.errors import InputError, nearest
from evenhand.evidence import reading_errors
from evenhand.evidence.source import Source
from evenhand.evidence.written_dates import WrittenDates, written_dates

TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
    | (?P<comment>--|/\*)
    | (?P<text>'(?:[^']|'')*')
    | (?P<name>"(?:[^"]|"")*"|`(?:[^`]|``)*`)
    | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    | (?P<word>[^\W\d]\w*)
    | (?P<operator><=>|<>|!=|<=|>=|==|::|//|!~\*|!~|~\*|~~\*|~~|\|\||[=<>+\-*/%~&|(),.;])""",
    re.VERBOSE,
)


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


FUNCTIONS = _words("""
    ABS CEIL CEILING FLOOR ROUND SIGN SQRT CBRT EXP LN LOG LOG2 LOG10 LOG1P MOD POW POWER DIV
    COALESCE NULLIF IFNULL GREATEST LEAST IF CAST TRY_CAST
    LOWER UPPER INITCAP REVERSE LENGTH CHAR_LENGTH CHARACTER_LENGTH OCTET_LENGTH BIT_LENGTH
    LEFT RIGHT SUBSTR SUBSTRING TRIM LTRIM RTRIM SPLIT_PART STARTS_WITH ENDS_WITH STRPOS POSITION REGEXP_LIKE
    DATE TIMESTAMP DATE_PART EXTRACT YEAR MONTH DAY
""")
BEFORE_BRACKETS = _words("""
    AND OR NOT XOR IN BETWEEN LIKE ILIKE RLIKE REGEXP CASE WHEN THEN ELSE FROM FOR DECIMAL NUMERIC VARCHAR
""")
WORDS = BEFORE_BRACKETS | _words("""
    IS NULL TRUE FALSE DISTINCT END AS BOTH LEADING TRAILING INTERVAL
    BOOLEAN BOOL TINYINT SMALLINT INT INTEGER BIGINT UNSIGNED FLOAT REAL DOUBLE PRECISION TEXT STRING CHAR
    DATE TIME TIMESTAMP DATETIME
    INT1 INT2 INT4 INT8 INT16 INT32 INT64 UINT1 UINT2 UINT4 UINT8 UINT16 UINT32 UINT64 FLOAT4 FLOAT8 FLOAT32 FLOAT64
    YEAR ISOYEAR QUARTER MONTH WEEK DAY DOY DOW ISODOW HOUR MINUTE SECOND MILLISECOND MICROSECOND EPOCH
""")
QUERIES = _words("""
    SELECT WITH VALUES TABLE EXISTS UNION INTERSECT EXCEPT JOIN LATERAL WHERE GROUP HAVING ORDER LIMIT OFFSET FETCH
    QUALIFY OVER PARTITION WINDOW ALL ANY SOME UNNEST COLUMNS INTO DESCRIBE EXPLAIN SHOW PIVOT UNPIVOT
    INSERT UPDATE DELETE MERGE CREATE ALTER DROP TRUNCATE ATTACH DETACH COPY CALL EXECUTE SET USE
""")
PATTERNS = frozenset(("~", "~*", "!~", "!~*", "RLIKE", "REGEXP", "REGEXP_LIKE"))
TEXT_PATTERNS = PATTERNS | {"LIKE", "ILIKE"}
DATE_PARTS = frozenset(("YEAR", "MONTH", "DAY"))  # functions of a date
ROW = "\0row"  # a name that no file can hold
TAKE_FROM = frozenset(("EXTRACT", "SUBSTRING", "TRIM"))  # functions with FROM among their arguments


def sql_condition(where: str, source: Source) -> pl.Expr:
    """A filter in SQL, for the rows of a source."""
    schema = source.columns()
    try:
        check_condition(where, schema)
    except InputError as error:
        raise error.within(source.name) from None
    sortable = _with_sortable_dates(where, source)
    try:
        condition = pl.sql_expr(sortable)
        for column in condition.meta.root_names():
            if column not in schema:
                raise reading_errors.unknown_column(column, list(schema), source.name)
        kind = pl.DataFrame(schema=schema).select(condition).dtypes[0]
    except (*reading_errors.UNREADABLE, TypeError, ValueError) as error:
        problem = f"`where` is not a valid SQL condition: {reading_errors.first_line(error)}"
        raise InputError(problem, source=source.name) from None
    if kind != pl.Boolean:
        raise InputError(f"`where` must be true or false for each row, not {kind}: {where}", source=source.name)
    return condition


def _with_sortable_dates(where: str, source: Source) -> str:
    """The condition with columns of written dates, and the dates they are compared with, as texts that sort."""
    tokens = list(_tokens(where))
    columns = [_unquoted(token) for token in tokens]
    formats = written_dates(source, [column for column in columns if column])
    if not formats:
        return where
    literals = list(formats.values())
    return " ".join(
        _sortable(tokens, place, formats[column]) if column in formats else _dated(token, literals)
        for place, (token, column) in enumerate(zip(tokens, columns, strict=True))
    )


def _sortable(tokens: list[_Token], place: int, form: WrittenDates) -> str:
    """A column of dates as its place needs it: a date, the text as it is written, or a text that sorts."""
    before = [token.upper for token in tokens[max(0, place - 2) : place]]
    after = [token.upper for token in tokens[place + 1 : place + 3] if token.upper != "NOT"]
    column = _quoted(_unquoted(tokens[place]))
    if before[-1:] == ["FROM"] or (before[-1:] == ["("] and before[0] in DATE_PARTS):
        return form.date.format(column)
    if (before[-1:] == ["("] and before[0] in FUNCTIONS) or set(after[:1]) & TEXT_PATTERNS:
        return column
    return form.sortable.format(column)


def _unquoted(token: _Token) -> str:
    """The column that a token names, if it names one."""
    if token.kind == "name":
        return token.text[1:-1].replace(token.text[0] * 2, token.text[0])
    return token.text if token.kind == "word" else ""


def _quoted(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _dated(token: _Token, formats: list[WrittenDates]) -> str:
    if token.kind != "text":
        return token.text
    text = token.text[1:-1]
    return f"'{next((dated for form in formats if (dated := form.literal(text)) != text), text)}'"


def rows_where(source: Source, where: str | None) -> pl.Series:
    """True for each row of the source that meets the condition; all do where there is none."""
    condition = pl.lit(True) if where is None else sql_condition(where, source).fill_null(False)
    selected = source.collect(
        lambda lazy: lazy.with_row_index(ROW).select(condition.alias(ROW) & pl.col(ROW).is_not_null())
    )
    mask = selected.to_series()
    if len(mask) and not mask.any():
        raise InputError(f"no row meets the condition `where`: {where}", source=source.name)
    return mask


def check_condition(where: str, columns: Collection[str]) -> None:
    """`InputError` unless it is a condition over these columns and nothing else."""
    if len(where) > limits.CONDITION_CHARACTERS:
        raise InputError(f"`where` is longer than {limits.CONDITION_CHARACTERS:,} characters")
    tokens = list(_tokens(where))
    if not tokens:
        raise InputError("`where` is empty: give a condition on the columns")
    steps = sum(token.kind in ("word", "name", "operator") and token.text != "," for token in tokens)
    patterns = sum(token.upper in PATTERNS for token in tokens)
    for number, most, what in (
        (steps, limits.CONDITION_STEPS, "words and operators"),
        (patterns, limits.CONDITION_PATTERNS, "regular expressions"),
    ):
        if number > most:
            raise InputError(f"`where` has {number:,} {what}, and at most {most:,} are taken")
    _check_words(tokens, columns)


@dataclass(frozen=True)
class _Token:
    kind: str  # text, name, number, word or operator
    text: str

    @property
    def upper(self) -> str:
        """Of words and operators, as the parser takes them; quotes and literals are none."""
        return self.text.upper() if self.kind in ("word", "operator") else ""


def _tokens(where: str) -> Iterator[_Token]:
    place, glued = 0, False
    while place < len(where):
        match = TOKEN.match(where, place)
        kind, text = (str(match.lastgroup), match[0]) if match else ("", where[place])
        if kind == "comment" or text in (";", "||") or not match:
            raise InputError(_unwanted(text))
        if kind == "text" and ("\\'" in text or glued):  # \' and e'…' end elsewhere in other dialects
            raise InputError(f"`where` has a quote that could be read in two ways, at {where[max(0, place - 3) :]:.20}")
        if kind != "space":
            yield _Token(kind, text)
        place, glued = place + len(text), kind in ("word", "number", "text", "name")


def _unwanted(text: str) -> str:
    if text in ("--", "/*"):
        return f"`where` takes no comments ({text})"
    if text == ";":
        return "`where` takes one condition, without a semicolon"
    if text in ("'", '"', "`"):
        return f"`where` has a quote ({text}) that is not closed"
    return f"`where` takes no '{text}'"


def _check_words(tokens: list[_Token], columns: Collection[str]) -> None:
    """Walk through; `open_` are the brackets that are open, by the function that each belongs to."""
    open_: list[str] = []
    before = _Token("", "")
    for number, token in enumerate(tokens):
        calls = number + 1 < len(tokens) and tokens[number + 1].text == "("
        if token.kind == "word":
            _check_word(token, before, open_, columns, calls=calls)
        elif calls and (token.kind != "operator" or token.text in (")", ".")):
            raise InputError(f"`where` cannot call {token.text:.60}")
        if token.text == "(":
            open_.append(before.upper)
        elif token.text == ")" and open_:
            open_.pop()
        elif token.text == ")":
            raise InputError("`where` closes a bracket that was not opened")
        if len(open_) > limits.CONDITION_DEPTH:
            raise InputError(f"`where` has more than {limits.CONDITION_DEPTH} brackets within one another")
        before = token
    if open_:
        raise InputError("`where` has a bracket that is not closed")


def _check_word(token: _Token, before: _Token, open_: list[str], columns: Collection[str], *, calls: bool) -> None:
    word, inside = token.upper, open_[-1] if open_ else ""
    if word in QUERIES or (word == "FROM" and before.upper != "DISTINCT" and inside not in TAKE_FROM):
        quoted = f'; a column of this name is written "{token.text}"' if token.text in columns else ""
        raise InputError(f"`where` takes a condition on the columns, not a query ({word}){quoted}")
    if calls:
        if word not in FUNCTIONS | BEFORE_BRACKETS:
            raise InputError(f"`where` does not know the function {word:.60}; {nearest(word, FUNCTIONS)}")
    elif word == "AS" and inside not in ("CAST", "TRY_CAST"):
        raise InputError("`where` takes AS in CAST(… AS …) only")
    elif before.text != "." and word not in WORDS and token.text not in columns:
        raise reading_errors.unknown_column(token.text, list(columns), "")
