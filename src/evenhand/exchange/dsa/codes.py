"""The codes of the Digital Services Act: categories and keywords, restrictions, sources, languages, countries.

The harmonised report and the Transparency Database share them. They are in codes.json, as published; this module gives
them names and says which keyword belongs to which category. `KEYWORD_OTHER` belongs to every category, so a keyword is
always read together with its category.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

OTHER_KEYWORD = "KEYWORD_OTHER"
OTHER_TITLE = "Not captured by any other sub-category"  # how the report calls it
TOTAL = "TOTAL"
ILLEGAL, INCOMPATIBLE = "DECISION_GROUND_ILLEGAL_CONTENT", "DECISION_GROUND_INCOMPATIBLE_CONTENT"
VOLUNTARY, TRUSTED_FLAGGER = "SOURCE_VOLUNTARY", "SOURCE_TRUSTED_FLAGGER"
FULLY_AUTOMATED = "AUTOMATED_DECISION_FULLY"
PARTIALLY_AUTOMATED = "AUTOMATED_DECISION_PARTIALLY"
NOT_SPECIFIED_ORDER = "STATEMENT_CATEGORY_NOT_SPECIFIED_ORDER"  # of orders only: no statement has it
NOT_SPECIFIED_NOTICE = "STATEMENT_CATEGORY_NOT_SPECIFIED_NOTICE"
OTHER_TERMS = "STATEMENT_CATEGORY_OTHER_VIOLATION_TC"
NOT_IN_UNION = frozenset({"IS", "LI", "NO"})  # countries of the European Economic Area that are not Member States


@dataclass(frozen=True, slots=True)
class Category:
    """A category of content, numbered as in the report, and the keywords of its sub-categories."""

    number: int
    code: str
    title: str
    keywords: tuple[str, ...]


@cache
def all_codes() -> dict[str, Any]:
    """Everything in codes.json."""
    content: dict[str, Any] = json.loads(files("evenhand.exchange.dsa").joinpath("codes.json").read_text("utf-8"))
    return content


@cache
def report_categories() -> tuple[Category, ...]:
    """All 17 categories, in the order of the report."""
    return tuple(
        Category(number, row["code"], row["title"], tuple(row["keywords"]))
        for number, row in enumerate(all_codes()["categories"], start=1)
    )


@cache
def statement_categories() -> frozenset[str]:
    """Those that a statement of reasons may have."""
    return frozenset(category.code for category in report_categories()) - {NOT_SPECIFIED_ORDER}


@cache
def codes(name: str) -> frozenset[str]:
    """The codes of one kind: visibility, monetary, keywords, languages, …"""
    return frozenset(all_codes()[name])


@cache
def official_languages() -> tuple[str, ...]:
    """The official languages of the Union, as the report writes them: bg to sv."""
    return tuple(all_codes()["official_languages"])


@cache
def member_states() -> tuple[str, ...]:
    """The Member States, as the report writes them; Greece is GR."""
    return tuple(country for country in all_codes()["countries"] if country not in NOT_IN_UNION)


def category_rows(*left_out: str) -> Iterator[tuple[str, str]]:
    """The rows of a table by category: code of the row, and the category it belongs to; TOTAL comes first."""
    yield TOTAL, TOTAL
    for category in report_categories():
        if category.code not in left_out:
            yield category.code, category.code
            yield from ((keyword, category.code) for keyword in category.keywords)
