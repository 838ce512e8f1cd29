"""What is wrong with a filled report, anybody's: errors for facts of the template, warnings for what looks wrong.

An error contradicts what published templates and filings show without doubt: columns, fixed rows, forms of dates and
periods, values that cannot be. Everything else (units, sums, labels left over) is a warning. The rules are in
`lint_form` and `lint_numbers`, a function each; here is what several tables say together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from evenhand.exchange.dsa import labels
from evenhand.exchange.dsa.codes import TOTAL
from evenhand.exchange.dsa.filed_report import FiledTable, plain, read_filed_report
from evenhand.exchange.dsa.labels import CATEGORY, INDICATOR, PERIOD, SCOPE, TERMS_CATEGORY, VALUE
from evenhand.exchange.dsa.lint_form import FORM_RULES
from evenhand.exchange.dsa.lint_numbers import NUMBER_RULES, filed_count
from evenhand.exchange.dsa.lint_problem import WARNING, ReportProblem
from evenhand.exchange.dsa.template import report_template


def lint_report(folder: Path) -> list[ReportProblem]:
    """Everything that is wrong with a report, errors first."""
    tables = read_filed_report(folder)
    problems = [
        ReportProblem(WARNING, "missing_table", str(folder), None, None, f"the table {name} is missing")
        for name in report_template()
        if name not in tables
    ]
    for table in tables.values():
        for rule in (*FORM_RULES, *NUMBER_RULES):
            problems_of_rule = rule(table)
            problems += [ReportProblem(how, rule.__name__, table.source, *place) for how, *place in problems_of_rule]  # type: ignore[arg-type]
    problems += _across(tables, str(folder))
    return sorted(problems, key=lambda problem: problem.severity)


def _across(tables: Mapping[str, FiledTable], source: str) -> Iterator[ReportProblem]:
    """What several tables say must fit together."""
    automated, own = tables.get(labels.AUTOMATED), [tables.get(name) for name in (labels.OWN_ILLEGAL, labels.OWN_TERMS)]
    if automated is not None and all(own):
        counted = [_filed_value(automated, name, labels.OWN_INITIATIVE) for name in (labels.SOLELY, labels.NOT_SOLELY)]
        totals = [_total(table, labels.OWN_MEASURES) for table in own if table]
        if None not in (*counted, *totals) and sum(counted) != sum(totals):  # type: ignore[arg-type]
            text = (
                f"{labels.OWN_INITIATIVE} has {sum(counted):,.0f} measures, and tables 5 and 6 "  # type: ignore[arg-type]
                f"have {sum(totals):,.0f}"  # type: ignore[arg-type]
            )
            yield ReportProblem(WARNING, "own_initiative", automated.source, None, VALUE, text)
    named = {text: name for name, table in tables.items() for _, row in table.rows if (text := row.get(PERIOD, ""))}
    if len(named) > 1:
        shown = ", ".join(sorted(named)[:4])
        yield ReportProblem(WARNING, "same_period", source, None, PERIOD, f"tables have different periods: {shown}")


def _filed_value(table: FiledTable, indicator: str, scope: str) -> float | None:
    for _, cells in table.rows:
        if (plain(cells.get(INDICATOR, "")), plain(cells.get(SCOPE, ""))) == (plain(indicator), plain(scope)):
            return filed_count(cells, VALUE)
    return None


def _total(table: FiledTable, column: str) -> float | None:
    category = CATEGORY if CATEGORY in table.columns else TERMS_CATEGORY
    return next((filed_count(cells, column) for _, cells in table.rows if cells.get(category) == TOTAL), None)
