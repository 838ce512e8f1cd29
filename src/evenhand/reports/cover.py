"""What stands at the head of a report: its title, the period of the data, who made it and when; and how long it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from evenhand.errors import InputError

LONGEST = 300  # characters of a line of the head


@dataclass(frozen=True)
class ReportCover:
    """The head of a report. Nothing in it is measured; a date is only there if it was given."""

    title: str = ""
    period: str = ""
    author: str = ""
    date: str = ""
    brief: bool = False  # two pages: answers, a table and a figure of each audit

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """From loosely typed values."""
        for name, value in values.items():
            if name == "brief":
                if not isinstance(value, bool):
                    raise InputError(f"invalid `brief`: {value!r} (must be true or false)")
            elif not isinstance(value, str) or len(value) > LONGEST:
                raise InputError(f"invalid `{name}` (must be a text of up to {LONGEST} characters)")
        return cls(**values)

    @property
    def byline(self) -> str:
        """Period, author and date, as far as they are known."""
        return " · ".join(part for part in (self.period, self.author, self.date) if part)
