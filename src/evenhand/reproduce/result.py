"""The result of reproducing a paper: its tables with our numbers beside, its claims judged, its slips named.

Everything here is data. `rendering` turns it into a page, Markdown and JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from evenhand.estimate import Estimate
from evenhand.figures import Figure
from evenhand.finding import Finding
from evenhand.recalibration.comparison import SPREAD_METHOD

ClaimVerdict = Literal["held", "not held", "undecided"]


@dataclass(frozen=True, slots=True)
class ReproducedCell:
    """One number: ours, the paper's, or both."""

    ours: Estimate | None = None
    published: float | None = None

    @property
    def difference(self) -> float | None:
        """Ours less the paper's."""
        if self.ours is None or self.ours.value is None or self.published is None:
            return None
        return self.ours.value - self.published


ReproducedRow = tuple[str, tuple[ReproducedCell, ...]]


@dataclass(frozen=True)
class ReproducedTable:
    """A table of the paper. `same` data and models: then a difference says something about us or about the paper."""

    name: str
    title: str
    head: str
    columns: tuple[str, ...]
    rows: tuple[ReproducedRow, ...]
    on: str  # what ours was measured on
    same: bool = False
    digits: int = 3
    notes: tuple[str, ...] = ()

    def records(self) -> list[dict[str, Any]]:
        """One flat record for each cell that holds anything."""
        return [
            {"table": self.name, "row": row, "column": column, **_cell_record(cell)}
            for row, cells in self.rows
            for column, cell in zip(self.columns, cells, strict=True)
            if cell.ours is not None or cell.published is not None
        ]


@dataclass(frozen=True, slots=True)
class Claim:
    """Something the paper claims, whether it held on our data, and by which numbers.

    `data` is what our numbers were measured on, `interval` how certain they are: intervals, or why there is none.
    """

    text: str
    verdict: ClaimVerdict
    why: str
    interval: str
    data: str = ""


@dataclass(frozen=True, slots=True)
class Omission:
    """A table or figure that was not reproduced, and what is lacking."""

    what: str
    why: str


@dataclass(frozen=True)
class PaperResult:
    """One paper, reproduced as far as the data allows."""

    tables: tuple[ReproducedTable, ...] = ()
    claims: tuple[Claim, ...] = ()
    figures: tuple[Figure, ...] = ()
    slips: tuple[str, ...] = ()
    omissions: tuple[Omission, ...] = ()
    notes: tuple[str, ...] = ()
    sources: tuple[Mapping[str, Any], ...] = ()

    def __add__(self, other: PaperResult) -> PaperResult:
        """Both parts as one."""
        return PaperResult(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "records": [record for table in self.tables for record in table.records()],
            "tables": {
                t.name: {"title": t.title, "on": t.on, "same_data": t.same, "notes": t.notes} for t in self.tables
            },
            "claims": [
                {"claim": c.text, "verdict": c.verdict, "data": c.data, "why": c.why, "interval": c.interval}
                for c in self.claims
            ],
            "slips": list(self.slips),
            "not_reproduced": [{"what": o.what, "why": o.why} for o in self.omissions],
            "notes": list(self.notes),
            "sources": [dict(source) for source in self.sources],
        }


def row_estimates(finding: Finding, measures: Sequence[str], slice_: Mapping[str, str]) -> list[Estimate | None]:
    """The estimates of a row; None where one was not taken."""
    return [find_estimate(finding, measure, slice_) for measure in measures]


def find_estimate(finding: Finding, measure: str, slice_: Mapping[str, str]) -> Estimate | None:
    """The estimate; None where it was not taken."""
    return finding.get(measure, **slice_) if finding.has(measure, **slice_) else None


def value_of(estimate: Estimate | None) -> float:
    """Its value; where there is none, not a number, with which every comparison fails."""
    return float("nan") if estimate is None or estimate.value is None else estimate.value


def cells_beside(ours: Sequence[Estimate | None], published: Sequence[float | None]) -> tuple[ReproducedCell, ...]:
    """Our numbers with the paper's."""
    return tuple(ReproducedCell(own, theirs) for own, theirs in zip(ours, published, strict=True))


def mean_over_runs(values: Sequence[float], *, n: int, level: float = 0.95) -> Estimate:
    """The mean of several runs with the lowest and the highest of them."""
    mean = sum(values) / len(values)
    return Estimate(mean, min(*values, mean), max(*values, mean), level, SPREAD_METHOD, n)


def exact_estimate(value: float, *, n: int = 0) -> Estimate:
    """A number without chance in it: a count, or what a formula gives."""
    return Estimate.exact(value, level=0.95, n=n)


def judge_claim(text: str, holds: bool | None, why: str, *, interval: str) -> Claim:
    """Judged: true, false, or None where the numbers cannot tell."""
    verdicts: dict[bool | None, ClaimVerdict] = {True: "held", False: "not held", None: "undecided"}
    return Claim(text, verdicts[holds], why, interval)


def claims_about(data: str, claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """The claims with the data that their numbers were measured on."""
    return tuple(replace(claim, data=data) for claim in claims)


EXACT = "exact: computed, not estimated"


def not_testable(reason: str) -> str:
    """In place of an interval."""
    return f"not testable here: {reason}"


def interval_of(estimate: Estimate | None, pattern: str = ".3f") -> str:
    """From its low to its high end."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return "none"
    if estimate.low == estimate.high:
        return "exact"
    return f"{estimate.low:{pattern}} to {estimate.high:{pattern}}"


def intervals_of(estimates: Mapping[str, Estimate | None], pattern: str = ".3f") -> str:
    """Each interval after the name of its estimate."""
    return "; ".join(f"{name} {interval_of(estimate, pattern)}" for name, estimate in estimates.items())


def widest_interval(estimates: Iterable[Estimate | None]) -> str:
    """Half the width of the widest, for many estimates at once."""
    halves = [(e.high - e.low) / 2.0 for e in estimates if e is not None and e.low is not None and e.high is not None]
    return f"the widest of {len(halves)} intervals is ±{max(halves):.3f}" if halves else not_testable("no intervals")


def range_of_intervals(what: str, estimates: Iterable[Estimate | None], pattern: str = ".3f") -> str:
    """From the lowest end to the highest, where a mean over `what` has no interval of its own."""
    ends = [(e.low, e.high) for e in estimates if e is not None and e.low is not None and e.high is not None]
    if not ends:
        return not_testable(f"{what} have no intervals")
    lowest, highest = min(low for low, _ in ends), max(high for _, high in ends)
    return f"single {what}: {lowest:{pattern}} to {highest:{pattern}}"


def _cell_record(cell: ReproducedCell) -> dict[str, Any]:
    ours = cell.ours
    own = {} if ours is None else {"ours": ours.value, "low": ours.low, "high": ours.high, "n": ours.n}
    tested = {} if ours is None or ours.p_value is None else {"p_value": ours.p_value}
    noted = {} if ours is None or ours.note is None else {"note": ours.note}
    return own | tested | noted | {"published": cell.published, "difference": cell.difference}
