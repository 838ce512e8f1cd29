"""Rules on the numbers of a filed report: units, sums, parts of a whole, and rates without an explanation."""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.exchange.dsa import labels
from evenhand.exchange.dsa.codes import TOTAL, report_categories
from evenhand.exchange.dsa.filed_report import FiledNumber, FiledTable, plain
from evenhand.exchange.dsa.labels import CATEGORY, INDICATOR, SCOPE, TERMS_CATEGORY, VALUE
from evenhand.exchange.dsa.lint_problem import ERROR, NO_VALUES, PLACEHOLDERS, WARNING, Found
from evenhand.exchange.dsa.template import TemplateTable

RATE_NAMES = frozenset(map(plain, labels.RATES))
PART_OF = {
    labels.OWN_DETECTED: labels.OWN_MEASURES,
    labels.NOTICES_FLAGGED: labels.NOTICES_RECEIVED,
    labels.NOTICE_ITEMS_FLAGGED: labels.NOTICE_ITEMS,
}


def values(table: FiledTable) -> Found:
    """Numbers are numbers, counts are whole and not negative, rates lie between 0 and 1."""
    scales = set[bool]()
    for row, cells in table.rows:
        for column in _number_columns(table.template):
            text = cells.get(column, "")
            if text.lower() in NO_VALUES or PLACEHOLDERS.search(text):
                continue
            is_rate = plain(cells.get(INDICATOR, "")) in RATE_NAMES
            is_time = "Median time" in (column, cells.get(SCOPE, "")) or column.startswith("Median time")
            yield from _number_problems(row, column, text, is_rate=is_rate, is_decimal=is_time or _is_percentage(cells))
            number = FiledNumber.parse(text)
            if is_rate and number is not None:
                scales.add(number.per_cent or number.high > 1.0)
    if len(scales) > 1:
        yield WARNING, None, VALUE, "some rates are written from 0 to 1 and some in per cent: use 0 to 1 throughout"


def _number_problems(row: int, column: str, text: str, *, is_rate: bool, is_decimal: bool) -> Found:
    number = FiledNumber.parse(text)
    if number is None:
        yield WARNING, row, column, f"not a number: '{text[:40]}'"
        return
    low, high = number.share
    if low > high:
        yield ERROR, row, column, f"the range '{text}' ends below its start"
    if low < 0:
        yield ERROR, row, column, f"below 0: '{text}'"
    if is_rate and (number.high > 100 or (number.per_cent and high > 1)):
        yield ERROR, row, column, f"a rate above 100 %: '{text}'"
    elif is_rate and (number.per_cent or high > 1):
        yield WARNING, row, column, f"'{text}' is read as {_shown(number)}: write rates from 0 to 1"
    if is_rate and number.is_range:
        yield WARNING, row, column, f"a range, '{text}': write one value, and the interval into the context"
    if number.grouped:
        yield WARNING, row, column, f"thousands separators: '{text}' is read as {number.low:.0f}"
    elif not is_rate and not is_decimal and not number.is_range and number.low != int(number.low):
        yield WARNING, row, column, f"a count that is not whole: '{text}'"


def _shown(number: FiledNumber) -> str:
    return f"{(number.high if number.per_cent or number.high > 1 else 100 * number.high) / 100:.4g}"


def sums(table: FiledTable) -> Found:
    """Categories add up to the total, and parts are not larger than the whole."""
    column = next((name for name in (CATEGORY, TERMS_CATEGORY) if name in table.template.columns), None)
    if column is None:
        return
    rows = [(row, cells) for row, cells in table.rows if cells.get(SCOPE, TOTAL) in (TOTAL, "")]
    total = next((cells for _, cells in rows if cells.get(column) == TOTAL), None)
    top = {category.code for category in report_categories()}
    for measure in (name for name in _number_columns(table.template) if name.startswith("Number")):
        whole = filed_count(total or {}, measure)
        parts = [filed_count(cells, measure) for _, cells in rows if cells.get(column) in top]
        known = [part for part in parts if part is not None]
        if whole is not None and known and sum(known) != whole:
            yield WARNING, None, measure, f"the categories add up to {sum(known):,.0f}, and the total is {whole:,.0f}"
    for row, cells in rows:
        for part, whole_name in PART_OF.items():
            some, everything = filed_count(cells, part), filed_count(cells, whole_name)
            if some is not None and everything is not None and some > everything:
                yield WARNING, row, part, f"{some:,.0f} is more than '{whole_name}', {everything:,.0f}"


def outcomes(table: FiledTable) -> Found:
    """Decided complaints are not more than those submitted."""
    if table.name != labels.APPEALS:
        return
    by_indicator: dict[str, dict[str, tuple[int, float]]] = {}
    for row, cells in table.rows:
        number = FiledNumber.parse(cells.get(VALUE, ""))
        if number is not None:
            by_indicator.setdefault(cells.get(INDICATOR, ""), {})[cells.get(SCOPE, "")] = (row, number.low)
    for numbers in by_indicator.values():
        decided = sum(
            numbers[scope][1] for scope in (labels.UPHELD, labels.PARTLY, labels.REVERSED) if scope in numbers
        )
        if labels.NUMBER in numbers and decided > numbers[labels.NUMBER][1]:
            row, submitted = numbers[labels.NUMBER]
            yield WARNING, row, VALUE, f"{decided:,.0f} were decided, more than the {submitted:,.0f} submitted"


def unexplained_rates(table: FiledTable) -> Found:
    """A rate without context cannot be understood: how it was measured belongs beside it."""
    if table.name != labels.AUTOMATED:
        return
    for row, cells in table.rows:
        context = next((text for name, text in cells.items() if plain(name) == plain(labels.CONTEXT)), "")
        has_value = cells.get(VALUE, "").lower() not in NO_VALUES
        if plain(cells.get(INDICATOR, "")) in RATE_NAMES and has_value and not context:
            yield WARNING, row, labels.CONTEXT, "empty: say how the rate was measured, with its interval"


def filed_count(cells: Mapping[str, str], column: str) -> float | None:
    """The one number in a cell, if there is one."""
    number = FiledNumber.parse(cells.get(column, ""))
    return None if number is None or number.is_range else number.low


def _number_columns(template: TemplateTable) -> list[str]:
    if template.name in (labels.IDENTIFICATION, labels.NAMES, labels.QUALITATIVE):
        return []
    starts = ("Number", "Median", "Visibility", "Monetary", "Provision", "Account")
    return [name for name in template.columns if name == VALUE or name.startswith(starts)]


def _is_percentage(cells: Mapping[str, str]) -> bool:
    return cells.get(SCOPE, "") == labels.IMPLEMENTED or cells.get(INDICATOR, "") == labels.ACTIVE_RECIPIENTS


NUMBER_RULES = (values, sums, outcomes, unexplained_rates)
