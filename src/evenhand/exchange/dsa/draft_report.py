"""A report that is being filled in: the fixed rows of a provider's tables, and the cells that data have filled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from evenhand.errors import InputError, nearest
from evenhand.exchange.dsa.codes import category_rows
from evenhand.exchange.dsa.labels import (
    CATEGORY,
    CONTEXT,
    INDICATOR,
    PERIOD,
    SCOPE,
    SERVICE,
    TERMS_CATEGORY,
    VALUE,
    Provider,
)
from evenhand.exchange.dsa.period import ReportingPeriod
from evenhand.exchange.dsa.template import report_template

Cells = dict[str, str]


@dataclass(frozen=True)
class Cell:
    """What is written into a cell, and into the contextual one beside it. An empty value has a reason there."""

    value: str
    context: str = ""


def count_cell(number: float | int | None, context: str = "") -> Cell:
    """A count, or a median that may not exist."""
    if number is None:
        return Cell("", context)
    return Cell(str(number) if isinstance(number, int) else f"{number:.2f}".rstrip("0").rstrip("."), context)


@dataclass(frozen=True)
class DraftReport:
    """The tables of one service and period; rows that do not apply to the kind of provider are left out."""

    provider: Provider
    service: str
    period: ReportingPeriod
    tables: Mapping[str, list[Cells]] = field(default_factory=dict)

    @classmethod
    def empty(cls, provider: Provider, service: str, period: ReportingPeriod) -> DraftReport:
        """All fixed rows, with service and period in each."""
        tables = {}
        for table in report_template().values():
            common = {SERVICE: service, PERIOD: str(period)}
            shared = {name: value for name, value in common.items() if name in table.columns}
            tables[table.name] = [
                {**dict.fromkeys(table.columns, ""), **shared, **row} for row in table.rows_for(provider)
            ]
        return cls(provider, service, period, tables)

    def has(self, table: str, indicator: str, scope: str | None = None) -> bool:
        """Whether there is such a row for this provider."""
        return any(True for _ in self._rows(table, indicator, scope))

    def fill(self, table: str, indicator: str, scope: str | None, cell: Cell) -> None:
        """Fill the row of an indicator and scope, where this provider has it."""
        for row in self._rows(table, indicator, scope):
            row[VALUE] = cell.value
            context = next((name for name in row if name.lower() == CONTEXT.lower()), None)
            if context and cell.context:
                row[context] = cell.context

    def fill_named(self, table: str, indicator: str, scope: str | None, cell: Cell) -> None:
        """The same for names that a user wrote; one that is not in the report is refused."""
        if table not in self.tables:
            raise InputError(f"there is no table '{table}'; {nearest(table, self.tables)}", column="table")
        if not self.has(table, indicator, scope):
            known = [row.get(INDICATOR, "") for row in self.tables[table]]
            of = f" with the scope '{scope}'" if scope else ""
            problem = (
                f"the table {table} has no indicator '{indicator}'{of} for this provider; {nearest(indicator, known)}"
            )
            raise InputError(problem, column="indicator")
        self.fill(table, indicator, scope, cell)

    def category_rows(self, table: str, *left_out: str) -> Iterator[tuple[str, str, Cells]]:
        """The rows of a table by category, each with its code and the category it belongs to."""
        column = CATEGORY if CATEGORY in report_template()[table].columns else TERMS_CATEGORY
        rows = self.tables[table]
        for (code, parent), row in zip(category_rows(*left_out), rows, strict=False):
            assert row[column] == code
            yield code, parent, row

    def _rows(self, table: str, indicator: str, scope: str | None) -> Iterator[Cells]:
        for row in self.tables[table]:
            if row.get(INDICATOR) == indicator and (scope is None or row.get(SCOPE) == scope):
                yield row
