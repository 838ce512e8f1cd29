"""What can go wrong, said in one line.

Every error that a user can cause is an `InputError`: it names the source, the column and the row where it can, and
says what to do next. `Undefined` is no fault at all: a measure that has no value on this data, with the reason.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

LONGEST = 800  # characters of a part of a message: a value may be as long as a book
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # what could move a terminal's cursor or break a drawing


class EvenhandError(Exception):
    """Anything that Evenhand raises on purpose. `exit_code` is what the command line ends with."""

    exit_code = 1


class InputError(EvenhandError):
    """The input is at fault: a file, a column, a value or a setting."""

    exit_code = 2

    def __init__(
        self, problem: str, *, source: str | None = None, column: str | None = None, row: int | None = None
    ) -> None:
        self.problem, self.source, self.column, self.row = problem, source, column, row
        place = ", ".join(
            part for part in (f"column '{column}'" if column else "", f"row {row}" if row else "") if part
        )
        super().__init__(": ".join(_one_line(part) for part in (source, place, problem) if part))

    def within(self, source: str) -> InputError:
        """The same error, naming the source it happened in."""
        return InputError(self.problem, source=self.source or source, column=self.column, row=self.row)


class Undefined(EvenhandError):  # noqa: N818 (no error: a fact about the data)
    """A measure that has no value here. The message is the reason, in words that can stand in a report."""


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint for a misspelt name: the nearest known one, or the list of them."""
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if close:
        return f"did you mean '{close[0]}'?"
    shown = ", ".join(f"'{name}'" for name in names[:12])
    return f"there is {shown}{', …' if len(names) > 12 else ''}" if names else "there are none"


def _one_line(text: str) -> str:
    line = CONTROL.sub("�", " ".join(str(text).split()))
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 200]} … {line[-180:]}"
