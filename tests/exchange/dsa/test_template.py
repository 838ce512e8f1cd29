"""The template: as many tables, columns and rows as published, and one meaning for each code."""

from __future__ import annotations

import hashlib
import json

import pytest

from evenhand.exchange.dsa.codes import all_codes, codes, member_states, report_categories, statement_categories
from evenhand.exchange.dsa.labels import Provider
from evenhand.exchange.dsa.template import report_template

SIZES = {  # columns, and rows of a very large platform, a platform and a hosting service
    "1_report_identification": (4, 5, 5, 5),
    "2_categories_names": (4, 100, 100, 100),
    "3_member_states_orders": (20, 118, 118, 118),
    "4_notices": (25, 91, 91, 91),
    "5_own_initiative_illegal": (37, 90, 90, 90),
    "6_own_initiative_TC": (37, 98, 98, 98),
    "7_appeals_and_recidivism": (8, 47, 47, 1),
    "8_automated_means": (8, 140, 20, 15),
    "9_human_resources": (8, 27, 0, 0),
    "10_AMAR": (7, 28, 0, 0),
    "11_qualitative": (5, 11, 6, 6),
}


@pytest.mark.parametrize("name", SIZES)
def test_tables_have_their_columns_and_rows(name: str) -> None:
    table = report_template()[name]
    assert (len(table.columns), *(len(table.rows_for(kind)) for kind in Provider)) == SIZES[name]
    assert len(set(table.columns)) == len(table.columns)


def test_labels_are_those_that_were_transcribed() -> None:
    """A hash of what was compared with the transcription of published filings, word by word."""
    tables = report_template().values()
    text = json.dumps([[t.name, t.columns, [list(row.items()) for row in t.rows]] for t in tables])
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "0c09961af035b7ee"


def test_codes_are_whole() -> None:
    assert len(report_categories()) == 17
    assert len(statement_categories()) == 16
    assert len(codes("keywords")) == 69
    assert len(member_states()) == 27
    used = {keyword for category in report_categories() for keyword in category.keywords}
    assert codes("keywords") - used == {"KEYWORD_STALKING"}  # a statement may have it, the report does not
    assert len(all_codes()["official_languages"]) == 24
