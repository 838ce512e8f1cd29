"""Thresholds in words: on the scale of the input, and never rounded up to the highest score."""

from __future__ import annotations

import pytest

from evenhand.routing.review_policy import on_input_scale, threshold_in_words


@pytest.mark.parametrize(
    ("value", "scale", "words"),
    [
        (0.85, "probability", "0.85"),
        (0.85, "percent", "85"),
        (0.8512345678, "percent", "85.1235"),
        (0.99999999, "probability", "0.99999999"),
        (0.99999999, "percent", "99.999999"),
        (1.0, "probability", "1"),
        (1.0, "percent", "100"),
        (0.7, "logit", "0.7"),
    ],
)
def test_words(value: float, scale: str, words: str) -> None:
    assert threshold_in_words(value, scale) == words
    assert (float(words) < on_input_scale(1.0, scale)) == (value < 1.0)
