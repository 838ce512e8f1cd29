"""The eleven tables of the harmonised transparency report: their columns and fixed rows (Regulation (EU) 2024/2835).

Which rows a provider needs depends on its kind: hosting services have fewer than platforms, and rows by language are
for very large ones alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product

from evenhand.exchange.dsa.codes import (
    NOT_SPECIFIED_NOTICE,
    NOT_SPECIFIED_ORDER,
    OTHER_KEYWORD,
    OTHER_TERMS,
    OTHER_TITLE,
    TOTAL,
    all_codes,
    category_rows,
    member_states,
    official_languages,
    report_categories,
)
from evenhand.exchange.dsa.labels import (
    ACTIVE_RECIPIENTS,
    ALL_CATEGORY,
    ALL_COMPLAINTS,
    ALL_DISPUTES,
    APPEALS,
    APPLICABILITY,
    APPLICABLE,
    AUTOMATED,
    AUTOMATED_SECTION,
    CATEGORY,
    COMPLAINT_SUBJECTS,
    COMPLAINTS,
    CONTEXT,
    DISPUTES,
    ENDS,
    EVERYBODY,
    HOSTING,
    IDENTIFICATION,
    IMPLEMENTED,
    INDICATOR,
    INITIATIVE_MEASURES,
    LINGUISTS,
    NAM,
    NAM_FLAGGED,
    NAMES,
    NEW_RESTRICTIONS,
    NOT_SOLELY,
    NOTICE_MEASURES,
    NOTICES,
    NOTICES_NOT,
    NOTICES_SOLELY,
    NUMBER,
    OFFENDERS,
    OMITTED,
    ORDER_MEASURES,
    ORDERS,
    OTHER_DESCRIPTION,
    OUTCOMES,
    OWN_ILLEGAL,
    OWN_INITIATIVE,
    OWN_TERMS,
    PEOPLE,
    PEOPLE_SECTION,
    PERIOD,
    PLATFORMS,
    PREVIOUS,
    PROVIDER_NAME,
    PUBLISHED,
    QUALITATIVE,
    RATES,
    RECIPIENTS,
    SCOPE,
    SECTION,
    SERVICE,
    SOLELY,
    STARTS,
    SUSPENSION_REASONS,
    TERMS_CATEGORY,
    TEXTS,
    VALUE,
    VLOPS,
    VLOPS_AND_SEARCH,
    Provider,
)

Row = Mapping[str, str]  # the cells of a row that are there before any data, by column


@dataclass(frozen=True, slots=True)
class TemplateTable:
    """A table of the report: its file name, its columns, and the rows that it has before any data."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def number(self) -> int:
        """1 to 11."""
        return int(self.name.partition("_")[0])

    def rows_for(self, provider: Provider) -> tuple[Row, ...]:
        """The rows that a kind of provider fills in."""
        return tuple(row for row in self.rows if row.get(APPLICABILITY, EVERYBODY) in APPLICABLE[provider])


@cache
def report_template() -> Mapping[str, TemplateTable]:
    """All tables by name, in order."""
    tables = (
        TemplateTable(IDENTIFICATION, (APPLICABILITY, SERVICE, INDICATOR, VALUE), tuple(_identification_rows())),
        TemplateTable(
            *(NAMES, ("Category label", "Category description", ALL_CATEGORY, "Contextual information")),
            tuple(_name_rows()),
        ),
        TemplateTable(
            ORDERS, _measured(CATEGORY, ORDER_MEASURES, "Contextual information on", SCOPE), tuple(_order_rows())
        ),
        TemplateTable(
            *(NOTICES, _measured(CATEGORY, NOTICE_MEASURES, "Contextual information on")),
            tuple(_by_category(HOSTING, CATEGORY, OTHER_TERMS, NOT_SPECIFIED_ORDER)),
        ),
        _initiative(OWN_ILLEGAL, CATEGORY, OTHER_TERMS),
        _initiative(OWN_TERMS, TERMS_CATEGORY),
        _indicators(APPEALS, CONTEXT, _appeal_rows()),
        _indicators(AUTOMATED, CONTEXT, _automated_rows()),
        _indicators(PEOPLE, "Contextual information", _people_rows()),
        _indicators(RECIPIENTS, None, _recipient_rows()),
        TemplateTable(
            *(QUALITATIVE, (APPLICABILITY, SERVICE, PERIOD, INDICATOR, VALUE)),
            tuple({APPLICABILITY: whom, INDICATOR: indicator} for indicator, whom in TEXTS.items()),
        ),
    )
    return {table.name: table for table in tables}


def _measured(category: str, measures: tuple[str, ...], context: str, *more: str) -> tuple[str, ...]:
    opening = (APPLICABILITY, SERVICE, PERIOD, category, OTHER_DESCRIPTION, *more)
    return (*opening, *measures, *(f"{context} {measure}" for measure in measures))


def _indicators(name: str, context: str | None, rows: Iterator[tuple[str, str, str, str]]) -> TemplateTable:
    leading = (APPLICABILITY, SECTION, INDICATOR, SCOPE)
    columns = (APPLICABILITY, SERVICE, PERIOD, SECTION, INDICATOR, SCOPE, VALUE, *([context] if context else []))
    return TemplateTable(name, columns, tuple(dict(zip(leading, row, strict=True)) for row in rows))


def _initiative(name: str, category: str, *left_out: str) -> TemplateTable:
    columns = _measured(category, INITIATIVE_MEASURES, "Contextual Information on")
    rows = _by_category(EVERYBODY, category, *left_out, NOT_SPECIFIED_ORDER, NOT_SPECIFIED_NOTICE)
    return TemplateTable(name, columns, tuple(rows))


def _by_category(whom: str, column: str, *left_out: str) -> Iterator[Row]:
    for code, _ in category_rows(*left_out):
        yield {APPLICABILITY: whom, column: code}


def _identification_rows() -> Iterator[Row]:
    for indicator in (PROVIDER_NAME, PUBLISHED, PREVIOUS, STARTS, ENDS):
        yield {APPLICABILITY: EVERYBODY, INDICATOR: indicator}


def _name_rows() -> Iterator[Row]:
    columns = ("Category label", "Category description", ALL_CATEGORY)
    yield dict(zip(columns, (TOTAL, "All the entries", TOTAL), strict=True))
    titles = {**all_codes()["keywords"], OTHER_KEYWORD: OTHER_TITLE}
    for category in report_categories():
        label = f"Category {category.number}"
        yield dict(zip(columns, (label, category.title, category.code), strict=True))
        for letter, keyword in zip("abcdefgh", category.keywords, strict=False):
            yield dict(zip(columns, (label + letter, titles[keyword], keyword), strict=True))


def _order_rows() -> Iterator[Row]:
    """By category for all Member States; and, for each of them, its total."""
    for row in _by_category(EVERYBODY, CATEGORY, OTHER_TERMS, NOT_SPECIFIED_NOTICE):
        yield {**row, SCOPE: TOTAL}
    for state in member_states():
        yield {APPLICABILITY: EVERYBODY, CATEGORY: TOTAL, SCOPE: state}


def _appeal_rows() -> Iterator[tuple[str, str, str, str]]:
    for scope in (*OUTCOMES, OMITTED):
        yield EVERYBODY if scope == NUMBER else PLATFORMS, COMPLAINTS, ALL_COMPLAINTS, scope
    yield PLATFORMS, COMPLAINTS, NEW_RESTRICTIONS, NUMBER
    for indicator, scope in product(COMPLAINT_SUBJECTS.values(), OUTCOMES):
        yield PLATFORMS, COMPLAINTS, indicator, scope
    for scope in (*OUTCOMES, OMITTED, IMPLEMENTED):
        yield PLATFORMS, DISPUTES, ALL_DISPUTES, scope
    for indicator in SUSPENSION_REASONS.values():
        yield PLATFORMS, OFFENDERS, indicator, NUMBER


def _automated_rows() -> Iterator[tuple[str, str, str, str]]:
    measures, notices = (SOLELY, NOT_SOLELY, *RATES), (NOTICES_SOLELY, NOTICES_NOT, *RATES)
    for whom, scope, indicators in (
        (EVERYBODY, NUMBER, measures),
        (EVERYBODY, OWN_INITIATIVE, measures),
        (HOSTING, NAM, notices),
        (PLATFORMS, NAM_FLAGGED, notices),
    ):
        yield from ((whom, AUTOMATED_SECTION, indicator, scope) for indicator in indicators)
    for indicator, language in product(measures, official_languages()):
        yield VLOPS, AUTOMATED_SECTION, indicator, language


def _people_rows() -> Iterator[tuple[str, str, str, str]]:
    for words in ("internal moderators employed", "external moderators contracted"):
        yield VLOPS, PEOPLE_SECTION, f"Number of {words} by the provider", NUMBER
    for scope in (NUMBER, *official_languages()):
        yield VLOPS, PEOPLE_SECTION, LINGUISTS, scope


def _recipient_rows() -> Iterator[tuple[str, str, str, str]]:
    for scope in (TOTAL, *member_states()):
        yield VLOPS_AND_SEARCH, "AMAR", ACTIVE_RECIPIENTS, scope
