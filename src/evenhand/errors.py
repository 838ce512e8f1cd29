"""The errors that Evenhand raises on purpose, each said in one line.

Every error that a user can cause is an `InputError`: it names the source, the column and the row where it can, and
says what to do next. `Undefined` is not a fault: a measure that has no value on this data, with the reason.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from enum import StrEnum

from evenhand.visible_text import visible

LONGEST = 800  # characters of a part of a message: a value may be as long as a book
MOST_COMPARED, LONGEST_COMPARED = 2000, 100  # names, and characters of each, among which the nearest is looked for
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # what no name that is declared may hold


SETTING = re.compile(r"`([a-z][a-z_0-9]*)`")  # how a message names a role or a setting


class ErrorKind(StrEnum):
    """What is wrong, for those who act on an error instead of printing it."""

    INVALID = "invalid"  # a value, a setting or the content of a file
    NOT_FOUND = "not_found"  # a file, a folder, a column, a name
    EMPTY = "empty"  # a value that is missing where one is needed


def name_settings(text: str, named: Callable[[str], str]) -> str:
    """The text with every role and setting named as the reader would give it: an option, an argument, a field."""
    return SETTING.sub(lambda match: named(match[1]), text)


class EvenhandError(Exception):
    """Anything that Evenhand raises on purpose. `exit_code` is what the command line ends with.

    >>> issubclass(eh.InputError, eh.EvenhandError)
    True
    """

    exit_code = 1


class InputError(EvenhandError):
    """The input is at fault: a file, a column, a value or a setting.

    A message names a role or a setting by its name in backticks, as in Python and in a TOML file; whoever shows it to a
    user puts the option or the field in its place (`name_settings`). `role` is the one that the error is about. The
    `problem` is the `fault` and, behind it, the `remedy`, which whoever passes the error on may know better.

    >>> try:
    ...     eh.Declaration(score="p", scale="stars")
    ... except eh.InputError as error:
    ...     error.exit_code
    2
    """

    exit_code = 2

    def __init__(
        self,
        problem: str,
        *,
        source: str | None = None,
        column: str | None = None,
        row: int | None = None,
        kind: ErrorKind = ErrorKind.INVALID,
        role: str | None = None,
        remedy: str = "",
    ) -> None:
        self.fault, self.remedy = problem, remedy
        self.problem = problem = f"{problem}; {remedy}" if remedy else problem
        self.source, self.column, self.row = source, column, row
        named = SETTING.search(problem)
        self.kind, self.role = kind, role or (named[1] if named else None)
        place = ", ".join(
            part for part in (f"column '{column}'" if column else "", f"row {row}" if row else "") if part
        )
        super().__init__(": ".join(_one_line(part) for part in (source, place, problem) if part))

    def within(self, source: str) -> InputError:
        """The same error, naming the source it happened in."""
        return self.rephrased(self.fault, source=self.source or source, remedy=self.remedy)

    def rephrased(self, problem: str, *, source: str | None = None, remedy: str = "") -> InputError:
        """The same error in other words, or of another source."""
        place = {"source": source or self.source, "column": self.column, "row": self.row}
        return InputError(problem, **place, kind=self.kind, role=self.role, remedy=remedy)  # type: ignore[arg-type]


class Undefined(EvenhandError):  # noqa: N818 (no error: a fact about the data)
    """A measure that has no value here. The message is the reason, in words that can stand in a report.

    >>> raised = eh.Undefined("no item is violating")
    >>> str(raised)
    'no item is violating'
    """


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint for a misspelt name: the nearest known one, or the list of them."""
    names = sorted(known)
    comparable = [name for name in names[:MOST_COMPARED] if len(name) <= LONGEST_COMPARED]
    close = difflib.get_close_matches(word[:LONGEST_COMPARED], comparable, n=1, cutoff=0.6)
    if close:
        return f"did you mean '{close[0]}'?"
    shown = ", ".join(names[:12])
    return f"choose from: {shown}{', …' if len(names) > 12 else ''}" if names else "there are none"


def _one_line(text: str) -> str:
    line = " ".join(str(text).split())
    return visible(line if len(line) <= LONGEST else f"{line[: LONGEST - 200]} … {line[-180:]}")
