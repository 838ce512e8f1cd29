"""What comes of reproducing a paper: its tables with our numbers beside, its claims judged, its slips named.

Everything here is data. `writing` turns it into a page, Markdown and JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from evenhand.audits.calibrators.comparing import SPREAD
from evenhand.estimate import Estimate
from evenhand.figures import Figure
from evenhand.finding import Finding

Verdict = Literal["held", "not held", "undecided"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One number: ours, the paper's, or both."""

    ours: Estimate | None = None
    published: float | None = None

    @property
    def difference(self) -> float | None:
        """Ours less the paper's."""
        if self.ours is None or self.ours.value is None or self.published is None:
            return None
        return self.ours.value - self.published


Row = tuple[str, tuple[Cell, ...]]


@dataclass(frozen=True)
class Table:
    """A table of the paper. `same` data and models: then a difference says something about us or about the paper."""

    name: str
    title: str
    head: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    on: str  # what ours was measured on
    same: bool = False
    digits: int = 3
    notes: tuple[str, ...] = ()

    def records(self) -> list[dict[str, Any]]:
        """One flat record for each cell that holds anything."""
        return [
            {"table": self.name, "row": row, "column": column, **_record(cell)}
            for row, cells in self.rows
            for column, cell in zip(self.columns, cells, strict=True)
            if cell.ours is not None or cell.published is not None
        ]


@dataclass(frozen=True, slots=True)
class Claim:
    """Something the paper says of its data, whether it held on ours, and by which numbers."""

    text: str
    verdict: Verdict
    why: str


@dataclass(frozen=True, slots=True)
class Omission:
    """A table or figure that was not reproduced, and what is lacking."""

    what: str
    why: str


@dataclass(frozen=True)
class Result:
    """One paper, reproduced as far as the data allows."""

    tables: tuple[Table, ...] = ()
    claims: tuple[Claim, ...] = ()
    figures: tuple[Figure, ...] = ()
    slips: tuple[str, ...] = ()
    omissions: tuple[Omission, ...] = ()
    notes: tuple[str, ...] = ()
    sources: tuple[Mapping[str, Any], ...] = ()

    def __add__(self, other: Result) -> Result:
        """Both parts as one."""
        return Result(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "records": [record for table in self.tables for record in table.records()],
            "tables": {
                t.name: {"title": t.title, "on": t.on, "same_data": t.same, "notes": t.notes} for t in self.tables
            },
            "claims": [{"claim": c.text, "verdict": c.verdict, "why": c.why} for c in self.claims],
            "slips": list(self.slips),
            "not_reproduced": [{"what": o.what, "why": o.why} for o in self.omissions],
            "notes": list(self.notes),
            "sources": [dict(source) for source in self.sources],
        }


def of_finding(finding: Finding, measures: Sequence[str], slice_: Mapping[str, str]) -> list[Estimate | None]:
    """The estimates of a row; None where one was not taken."""
    return [finding.get(m, **slice_) if finding.has(m, **slice_) else None for m in measures]


def beside(ours: Sequence[Estimate | None], published: Sequence[float | None]) -> tuple[Cell, ...]:
    """Our numbers with the paper's."""
    return tuple(Cell(own, theirs) for own, theirs in zip(ours, published, strict=True))


def over_runs(values: Sequence[float], *, n: int, level: float = 0.95) -> Estimate:
    """The mean of several runs with the lowest and the highest of them."""
    mean = sum(values) / len(values)
    return Estimate(mean, min(*values, mean), max(*values, mean), level, SPREAD, n)


def fact(value: float, *, n: int = 0) -> Estimate:
    """A number without chance in it: a count, or what a formula gives."""
    return Estimate.exact(value, level=0.95, n=n)


def claim(text: str, holds: bool | None, why: str) -> Claim:
    """Judged: true, false, or None where the numbers cannot tell."""
    verdicts: dict[bool | None, Verdict] = {True: "held", False: "not held", None: "undecided"}
    return Claim(text, verdicts[holds], why)


def _record(cell: Cell) -> dict[str, Any]:
    ours = cell.ours
    own = {} if ours is None else {"ours": ours.value, "low": ours.low, "high": ours.high, "n": ours.n}
    tested = {} if ours is None or ours.p_value is None else {"p_value": ours.p_value}
    noted = {} if ours is None or ours.note is None else {"note": ours.note}
    return own | tested | noted | {"published": cell.published, "difference": cell.difference}
