"""Allocations of labels to strata: what is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from evenhand.errors import InputError
from evenhand.sampling import allocation


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            lambda: allocation.pilot_deviations([0.5], [0]),
            "column 'labelled', row 1: a whole number from 0 up is needed",
        ),
        (
            lambda: allocation.pilot_deviations([1], [0.5]),
            "column 'violating', row 1: a whole number from 0 up is needed",
        ),
        (lambda: allocation.pilot_deviations([1, 1], [0]), "column 'violating': there are 1 values for 2 items"),
        (
            lambda: allocation.proportional_allocation(2, [3, 0]),
            "column 'sizes', row 2: a whole number from 1 up is needed",
        ),
    ],
)
def test_columns_of_allocations_are_named(wrong: Callable[[], object], said: str) -> None:
    with pytest.raises(InputError) as raised:
        wrong()
    assert str(raised.value) == said
