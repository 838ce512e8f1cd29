"""The period that a report is about, and the one that a labelled sample was drawn from: they must be the same."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass

from evenhand.errors import InputError
from evenhand.exchange.dsa.labels import Provider

FORM = re.compile(r"\s*(\d{4}-\d{2}-\d{2})\s*(?:/|to|–|\.\.)\s*(\d{4}-\d{2}-\d{2})\s*")
HALF_YEARS = (((1, 1), (6, 30)), ((7, 1), (12, 31)))
YEAR = (((1, 1), (12, 31)),)


@dataclass(frozen=True, slots=True)
class ReportingPeriod:
    """From a day to a day, both included.

    >>> from evenhand.exchange.dsa.period import ReportingPeriod
    >>> str(ReportingPeriod.parse("2026-01-01/2026-06-30"))
    '2026-01-01/2026-06-30'
    """

    start: datetime.date
    end: datetime.date

    @classmethod
    def parse(cls, text: str) -> ReportingPeriod:
        """From the form of the report, `2026-01-01/2026-06-30`."""
        match = FORM.fullmatch(text)
        try:
            if match is None:
                raise ValueError
            period = cls(*(datetime.date.fromisoformat(part) for part in match.groups()))
        except ValueError:
            problem = f"invalid `period`: '{text}' (must be two dates, such as 2026-01-01/2026-06-30)"
            raise InputError(problem) from None
        if period.end < period.start:
            raise InputError(f"invalid `period`: '{text}' (it ends before it starts)")
        return period

    @classmethod
    def parse_loosely(cls, text: str) -> ReportingPeriod | None:
        """What a study says of its period, which may be any words; None where it is no period."""
        try:
            return cls.parse(text)
        except InputError:
            return None

    def __str__(self) -> str:
        return f"{self.start}/{self.end}"

    def is_usual(self, provider: Provider) -> bool:
        """Whether providers of this kind report on such a period: half a year if very large, else a year."""
        ends = HALF_YEARS if provider is Provider.VLOP else YEAR
        own = ((self.start.month, self.start.day), (self.end.month, self.end.day))
        return self.start.year == self.end.year and own in ends
