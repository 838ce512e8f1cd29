"""Dates as spreadsheets write them sort as dates in a condition, and stay the texts they are elsewhere."""

from __future__ import annotations

from datetime import date, datetime

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.evidence import declared_layout, open_source
from evenhand.evidence.condition import sql_condition

DAYS = [date(2024, 12, 31), date(2025, 1, 2), date(2025, 11, 30), date(2023, 5, 14)]
FORMS = ["%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%d.%m.%y", "%d.%m.%Y 09:05", "%m/%d/%Y 9:05 PM"]


def kept(table: pl.DataFrame, where: str) -> list[int]:
    return table.lazy().filter(sql_condition(where, open_source(table))).collect()["id"].to_list()


def written(form: str, days: list[date] = DAYS) -> pl.DataFrame:
    return pl.DataFrame({"id": range(len(days)), "Day": [f"{day:{form}}" for day in days]})


@pytest.mark.parametrize("form", FORMS)
def test_a_condition_compares_dates_as_dates(form: str) -> None:
    table = written(form)
    assert kept(table, "Day >= '2025-01-01'") == [1, 2]
    assert kept(table, "Day < '2025-01-01'") == [0, 3]
    assert kept(table, f"Day >= '{date(2025, 1, 1):{form}}'") == [1, 2]
    assert kept(table, "\"Day\" BETWEEN '2024-12-01' AND '2025-06-01' AND id IN (0, 1, 2)") == [0, 1]
    assert kept(table, "YEAR(Day) = 2025 OR EXTRACT(MONTH FROM Day) = 5") == [1, 2, 3]
    assert kept(table, "NOT Day < '2025-01-01'") == [1, 2]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.dates(date(1970, 1, 1), date(2060, 12, 31)), min_size=1, max_size=8), st.data())
def test_order_is_that_of_the_calendar(days: list[date], data: st.DataObject) -> None:
    cut = data.draw(st.sampled_from(days))
    expected = [number for number, day in enumerate(days) if day >= cut]
    assert kept(written("%d.%m.%Y", days), f"Day >= '{cut.isoformat()}'") == expected


def test_patterns_and_functions_of_texts_see_the_text() -> None:
    table = written("%d.%m.%Y")
    assert kept(table, "Day LIKE '%.2025'") == [1, 2]
    assert kept(table, "Day NOT LIKE '%.2025'") == [0, 3]
    assert kept(table, "SUBSTR(Day, 7, 4) = '2023'") == [3]


def test_dates_that_can_be_read_in_two_ways_are_refused_until_somebody_says() -> None:
    table = written("%d/%m/%Y", [date(2025, 4, 3), date(2025, 1, 12)])
    with pytest.raises(InputError, match=r"'Day', such as .*; set `date_order` to day-first"):
        kept(table, "Day > '2025-03-15'")
    with declared_layout(date_order="day-first"):
        assert kept(table, "Day > '2025-03-15'") == [0]
    with declared_layout(date_order="month-first"):
        assert kept(table, "Day > '2025-03-15'") == [1]
    with pytest.raises(InputError, match=r"invalid `date_order`: 'dmy' \(choose from: day-first, month-first\)"):
        declared_layout(date_order="dmy").__enter__()


def test_a_value_further_down_that_is_no_date_is_named() -> None:
    days = [f"{day:%d.%m.%Y}" for day in DAYS] * 300 + ["", "32.01.2025"]
    table = pl.DataFrame({"id": range(len(days)), "Day": days})
    with pytest.raises(InputError, match=r"column 'Day', row 1202: not a date written day first.*'32\.01\.2025'"):
        kept(table, "Day > '2025-03-15'")


def test_other_columns_are_left_alone() -> None:
    table = pl.DataFrame(
        {"id": [0, 1], "iso": ["2025-01-02", "2024-01-02"], "word": ["1.2.2024", "b"], "at": [datetime(2025, 1, 1)] * 2}
    )
    assert kept(table, "iso >= '2025-01-01' AND at >= DATE '2024-01-01'") == [0]
    assert kept(table, "word = 'b'") == [1]
    assert kept(table, "word = '1.2.2024'") == [0]
