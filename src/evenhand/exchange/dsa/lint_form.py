"""Rules on the form of a filed report: columns, fixed rows, categories, dates, and what the template left over."""

from __future__ import annotations

import datetime
import re

from evenhand.exchange.dsa import labels
from evenhand.exchange.dsa.codes import TOTAL, codes, member_states, report_categories
from evenhand.exchange.dsa.filed_report import FiledTable, plain
from evenhand.exchange.dsa.labels import CATEGORY, INDICATOR, PERIOD, SCOPE, TERMS_CATEGORY, VALUE
from evenhand.exchange.dsa.lint_problem import ERROR, NO_VALUES, PLACEHOLDERS, WARNING, Found
from evenhand.exchange.dsa.period import ReportingPeriod

MANGLED = re.compile("\ufffd|Ã.|â€|¡¯|Â[ \u00a0]")
DATE_INDICATORS = (labels.PUBLISHED, labels.PREVIOUS, labels.STARTS, labels.ENDS)


def columns(table: FiledTable) -> Found:
    """The columns are those of the template, in their order."""
    filed, expected = [plain(c) for c in table.columns], [plain(c) for c in table.template.columns]
    while filed and not filed[-1]:
        filed.pop()
    for place, name in enumerate(expected):
        if name not in filed:
            instead = f" (it has '{table.columns[place]}' in its place)" if place < len(filed) else ""
            yield ERROR, None, table.template.columns[place], f"the column is missing{instead}"
    if set(filed) == set(expected) and filed != expected:
        yield ERROR, None, None, "the columns are not in the order of the template"
    for name in filed:
        if name and name not in expected:
            yield WARNING, None, name, "the template has no such column"


def leftovers(table: FiledTable) -> Found:
    """Nothing of the template's own instructions is left, and no letters are mangled."""
    for row, cells in table.rows:
        for column, text in cells.items():
            if PLACEHOLDERS.search(text):
                yield WARNING, row, column, f"text of the template was left over: '{text[:40]}'"
            if MANGLED.search(text):
                yield WARNING, row, column, "letters are mangled: save the file as UTF-8"


def periods(table: FiledTable) -> Found:
    """The reporting period has its form, is a period, and is the same in every row."""
    seen: dict[str, int] = {}
    for row, cells in table.rows:
        text = cells.get(PERIOD, "")
        if not text or PLACEHOLDERS.search(text):
            continue
        if seen.setdefault(text, row) == row and len(seen) > 1:
            yield WARNING, row, PERIOD, f"the period '{text}' differs from that of other rows"
        if ReportingPeriod.parse_loosely(text) is None or "/" not in text:
            yield ERROR, row, PERIOD, f"invalid: '{text}' (must be two dates, such as 2026-01-01/2026-06-30)"


def dates(table: FiledTable) -> Found:
    """Dates of table 1 exist, and have the form of others."""
    for row, cells in table.rows:
        if table.name == labels.IDENTIFICATION and plain(cells.get(INDICATOR, "")) in map(plain, DATE_INDICATORS):
            text = cells.get(VALUE, "")
            if text.lower() not in NO_VALUES and not PLACEHOLDERS.search(text) and not _is_date(text):
                yield ERROR, row, VALUE, f"invalid date: '{text}' (must be a date such as 2026-08-28)"


def fixed_rows(table: FiledTable) -> Found:
    """Indicators and scopes are those of the template, and none has two values."""
    if INDICATOR not in table.template.columns or table.name == labels.IDENTIFICATION:
        return
    known = {(plain(row.get(INDICATOR, "")), row.get(SCOPE, "")) for row in table.template.rows}
    indicators, seen = {indicator for indicator, _ in known}, set[tuple[str, str]]()
    for row, cells in table.rows:
        indicator, scope = plain(cells.get(INDICATOR, "")), " ".join(cells.get(SCOPE, "").split())
        if not indicator or PLACEHOLDERS.search(scope):
            continue
        if indicator not in indicators:
            yield WARNING, row, INDICATOR, f"the template has no indicator '{cells[INDICATOR][:60]}'"
        elif (indicator, scope) not in known:
            yield WARNING, row, SCOPE, f"{_scope_hint(scope)}: '{cells.get(SCOPE, '')[:40]}'"
        elif not cells.get(VALUE):  # the template itself repeats rows with […], to be filled in or taken out
            continue
        elif (indicator, scope) in seen:
            yield ERROR, row, INDICATOR, f"the row '{cells[INDICATOR][:60]}', '{cells.get(SCOPE, '')}' has two values"
        seen.add((indicator, scope))


def _scope_hint(scope: str) -> str:
    if scope.upper() in member_states():
        return "a Member State, where the template has official languages in lower case"
    return "the template has no such scope for this indicator"


def categories(table: FiledTable) -> Found:
    """Categories are codes of the template."""
    column = next((name for name in (CATEGORY, TERMS_CATEGORY) if name in table.template.columns), None)
    known = {TOTAL, *codes("keywords"), *(category.code for category in report_categories())}
    for row, cells in table.rows if column else ():
        text = cells.get(column or "", "")
        if text and text not in known and not PLACEHOLDERS.search(text):
            yield ERROR, row, column, f"unknown category: '{text[:60]}'"


def _is_date(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True


FORM_RULES = (columns, leftovers, periods, dates, fixed_rows, categories)
