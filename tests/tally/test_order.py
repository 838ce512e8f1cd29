"""Sorting by bits: the order of floats, whatever their sign, size and precision."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.tally.order import sort_scores


@pytest.mark.parametrize("width", [32, 64])
@given(data=st.data())
def test_ordered_is_unique_with_inverse(width: int, data) -> None:
    floats = st.floats(allow_nan=False, allow_infinity=False, width=width)
    values = np.asarray(data.draw(st.lists(floats, max_size=60)), dtype=f"float{width}")
    scores, place, rows, starts = sort_scores(values)
    expected, inverse = np.unique(values, return_inverse=True)
    assert np.array_equal(scores, expected)
    assert np.array_equal(place, inverse)
    assert np.array_equal(values[rows], np.sort(values))
    assert np.array_equal(values[rows][starts], expected)


def test_minus_zero_is_zero() -> None:
    scores, place, *_ = sort_scores(np.array([-0.0, 0.0, 1.0]))
    assert len(scores) == 2
    assert place.tolist() == [0, 0, 1]
