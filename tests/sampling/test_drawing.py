"""Draws: every set equally likely, none twice, the same seed the same items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.sampling import drawing, strata
from evenhand.sampling.drawing import PlaceRanges, draw_stratified, draw_without_replacement


@pytest.mark.parametrize(("size", "count", "taken"), [(9, 2, ()), (4, 3, ()), (9, 2, (1, 4)), (6, 2, (0, 1, 2))])
def test_every_set_is_equally_likely(size: int, count: int, taken: tuple[int, ...]) -> None:
    """Both ways of drawing: few of many, and many of few. Beside it lies a range that is drawn from too."""
    rng, draws = np.random.default_rng(0), 6000
    seen: Counter[tuple[int, ...]] = Counter()
    for _ in range(draws):
        ranges = PlaceRanges(np.array([0, size]), np.array([size, size + 20]))
        places, of = draw_without_replacement(ranges, np.array([count, 3]), rng, taken=np.array(taken, dtype=np.int64))
        assert ((places >= size) == (of == 1)).all()
        assert len(set(places)) == count + 3
        seen[tuple(sorted(places[of == 0]))] += 1
    possible = list(combinations(sorted(set(range(size)) - set(taken)), count))
    assert set(seen) == set(possible)
    expected = draws / len(possible)
    chi = sum((seen[s] - expected) ** 2 / expected for s in possible)
    assert chi < len(possible) - 1 + 4.5 * np.sqrt(2 * (len(possible) - 1))


def test_many_of_many_are_all_different() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        places, _ = draw_without_replacement(PlaceRanges(np.array([0]), np.array([1000])), np.array([450]), rng)
        assert len(set(places)) == 450


def test_inclusion_and_weights() -> None:
    parts = strata.column_strata({"language": ["de"] * 60 + ["fr"] * 40})
    draw = drawing.draw_stratified(parts, [6, 20], seed=5)
    assert draw.weights.sum() == pytest.approx(100)
    german = draw.strata == 0
    assert (draw.rows[german] < 60).all()
    assert (draw.inclusion[german] == 0.1).all()
    assert (draw.inclusion[~german] == 0.5).all()
    assert not (np.diff(draw.strata) >= 0).all()  # in random order, not stratum after stratum


def test_the_same_seed_draws_the_same_items() -> None:
    parts = strata.quantile_strata(np.random.default_rng(2).random(500), 4)
    one, same, other = (drawing.draw_stratified(parts, [5] * 4, seed=s) for s in (1, 1, 2))
    assert (one.rows == same.rows).all()
    assert (one.rows != other.rows).any()
    assert sorted(drawing.draw_simple(7, 7, seed=0).rows) == list(range(7))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: drawing.draw_simple(5, 6, seed=0), "stratum 'all' has 5 items, fewer than the 6 requested"),
        (lambda: drawing.draw_simple(5, 0, seed=0), "column 'counts', row 1: a whole number from 1 up is needed"),
        (lambda: drawing.draw_simple(5, 2, seed=-1), "the seed must be a whole number from 0 up, not -1"),
        (
            lambda: drawing.draw_stratified(strata.quantile_strata([0.1, 0.2], 2), [1], seed=0),
            "column 'counts': there are 1 values for 2 items",
        ),
        (
            lambda: draw_without_replacement(
                PlaceRanges(np.array([0]), np.array([3])), np.array([3]), np.random.default_rng(0), taken=np.array([1])
            ),
            "a stratum has fewer items left than should be drawn",
        ),
    ],
)
def test_wrong_arguments_are_named(wrong, message) -> None:
    with pytest.raises(InputError) as raised:
        wrong()
    assert str(raised.value) == message


def test_every_free_place_may_be_drawn_until_none_is_left() -> None:
    ranges, rng = PlaceRanges(np.array([0, 6]), np.array([6, 9])), np.random.default_rng(5)
    places, of = draw_without_replacement(ranges, np.array([6, 3]), rng)
    assert sorted(places.tolist()) == list(range(9))
    assert of.tolist() == [0] * 6 + [1] * 3
    places, _ = draw_without_replacement(ranges, np.array([4, 0]), rng, taken=np.array([1, 3]))
    assert sorted(places.tolist()) == [0, 2, 4, 5]
    with pytest.raises(InputError) as raised:
        draw_without_replacement(ranges, np.array([5, 0]), rng, taken=np.array([1, 3]))
    assert str(raised.value) == "a stratum has fewer items left than should be drawn"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            lambda: draw_stratified(strata.quantile_strata([0.1], 1), [0], seed=0),
            "column 'counts', row 1: a whole number from 1 up is needed",
        ),
        (
            lambda: draw_stratified(strata.quantile_strata([0.1, 0.2, 0.3], 2), [1, 9], seed=0),
            "stratum 'score 0.2 to highest' has 2 items, fewer than the 9 requested",
        ),
    ],
)
def test_counts_that_cannot_be_drawn(wrong: Callable[[], object], said: str) -> None:
    with pytest.raises(InputError) as raised:
        wrong()
    assert str(raised.value) == said
