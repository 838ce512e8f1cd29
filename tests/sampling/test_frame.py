"""Counting piece by piece, and finding places again: the same as with everything at hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import expit, logit

from evenhand.errors import InputError
from evenhand.sampling.frame import EDGE, CellCounter, CellCounts, PlaceSearch, SamplingFrame, ScoreGrid
from evenhand.sampling.score_driven import ScoreDrivenSettings, draw_batch
from evenhand.sampling.strata import Strata


def population(items: int = 5000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    score = 1.0 / (1.0 + np.exp(-(3.0 * rng.normal(size=items) - 3.0)))
    score[rng.random(items) < 0.02] = 0.0
    score[rng.random(items) < 0.02] = 1.0
    return score, rng.integers(0, 3, items)


def counted(score: np.ndarray, group: np.ndarray, pieces: int) -> CellCounts:
    counting = CellCounter()
    for one, of in zip(np.array_split(score, pieces), np.array_split(group, pieces), strict=True):
        counting.add(one, of)
    return counting.cells()


@pytest.mark.parametrize("pieces", [1, 7, 400])
def test_pieces_count_like_the_whole(pieces: int) -> None:
    score, group = population()
    whole, parts = counted(score, group, 1), counted(score, group, pieces)
    for name in ("groups", "steps", "items", "logits"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name)), name
    assert len(parts) == len(score)
    for number in range(3):
        assert parts.items[parts.groups == number].sum() == (group == number).sum()


def test_scores_of_exactly_0_and_1_have_cells_of_their_own() -> None:
    score, group = population()
    cells = counted(score, group, 5)
    zero, one = cells.steps == 0, cells.steps == cells.grid.steps + 1
    assert cells.items[zero].sum() == (score == 0.0).sum()
    assert cells.items[one].sum() == (score == 1.0).sum()
    inner = score[(score > 0.0) & (score < 1.0)]
    least = np.log(0.5 * inner.min() / (1.0 - 0.5 * inner.min()))
    assert cells.logits[zero] == pytest.approx(least, abs=1e-6)
    rest = cells.logits[~zero & ~one]
    assert (cells.logits[zero] < rest.min()).all()
    assert (cells.logits[one] > rest.max()).all()


@pytest.mark.parametrize("pieces", [1, 3, 250])
def test_places_are_found_again(pieces: int) -> None:
    score, group = population()
    frame = SamplingFrame.of(score, by=Strata(group, ("a", "b", "c")))
    cells = counted(score, group, 4)
    assert np.array_equal(frame.starts, cells.starts)
    rng = np.random.default_rng(1)
    places = rng.permutation(np.append(rng.choice(len(score), 300, replace=False), [17, 17]))
    search, found, start = PlaceSearch(cells, places), np.full(len(places), -1), 0
    for one, of in zip(np.array_split(score, pieces), np.array_split(group, pieces), strict=True):
        rows, slots = search.add(one, of)
        found[slots] = rows + start
        start += len(one)
    assert np.array_equal(found, frame.rows(places))


def test_cells_alone_draw_the_same_places() -> None:
    score, group = population()
    at_hand = SamplingFrame.of(score, by=Strata(group, ("a", "b", "c")))
    streamed = SamplingFrame.counted(counted(score, group, 9))
    first, second = (
        draw_batch(frame, [], 150, np.random.default_rng(3), ScoreDrivenSettings()) for frame in (at_hand, streamed)
    )
    assert np.array_equal(first.places, second.places)
    assert np.array_equal(first.draw.counts, second.draw.counts)
    assert np.array_equal(first.draw.rows, at_hand.order[second.draw.rows])


def test_groups_in_another_order() -> None:
    score, group = population()
    counting = CellCounter()
    counting.add(score, group)
    turned = counting.cells([2, 0, 1])
    for number, old in enumerate([2, 0, 1]):
        assert turned.items[turned.groups == number].sum() == (group == old).sum()


def test_other_items_are_noticed() -> None:
    search = PlaceSearch(counted(np.full(10, 0.3), np.zeros(10, dtype=int), 1), np.array([4]))
    with pytest.raises(InputError, match=r"^an item has a score or group that no item had when the plan was made$"):
        search.add(np.array([0.9]), np.zeros(1, dtype=int))


def test_cells_must_be_in_order() -> None:
    with pytest.raises(InputError, match=r"^column 'cells', row 2: cells must be sorted and unique$"):
        CellCounts.from_columns([0, 0], [5, 4], [1, 1], [0.0, 0.0], ScoreGrid())
    with pytest.raises(InputError, match=r"^there are no items to draw from$"):
        CellCounter().cells()


def test_a_grid_has_equal_steps_of_the_logit() -> None:
    grid = ScoreGrid(8)  # each is nine logits wide
    heights = np.array([-35.9, -27.1, -26.9, -0.1, 0.1, 17.9, 26.9, 27.1, 35.0])
    steps, found = grid.places(np.concatenate((expit(heights), [0.0, 1.0])))
    assert steps.tolist() == [1, 1, 2, 4, 5, 6, 7, 8, 8, 0, 9]
    assert grid.width == 10
    assert found[-2:].tolist() == [-EDGE, EDGE]
    assert CellCounter(grid).grid is grid
    assert len(SamplingFrame.of(np.linspace(0.01, 0.99, 500), cells=4).sizes) == 2


def test_cells_remember_their_grid_and_ends_are_halves() -> None:
    counting = CellCounter(ScoreGrid(16))
    counting.add(np.array([0.0, 0.2, 0.6, 1.0]), None)
    cells = counting.cells()
    assert cells.grid.steps == 16
    assert cells.logits[[0, -1]] == pytest.approx(
        [logit(0.1), logit(0.8)], abs=1e-6
    )  # half of .2, halfway to 1 from .6
    one = CellCounter()
    one.add(np.array([0.0, 0.3, 1.0]), None)
    assert one.cells().logits[[0, -1]] == pytest.approx([logit(0.15), logit(0.65)], abs=1e-6)
    only = CellCounter()
    only.add(np.array([0.0, 1.0]), None)
    assert only.cells().logits == pytest.approx([logit(0.1), logit(0.9)], abs=1e-6)


def test_columns_of_cells_are_named() -> None:
    for wrong, said in (
        (([0], [1], [0], [0.0]), "column 'items', row 1: a whole number from 1 up is needed"),
        (([0.5], [1], [1], [0.0]), "column 'groups', row 1: a whole number from 0 up is needed"),
        (([0], [0.5], [1], [0.0]), "column 'steps', row 1: a whole number from 0 up is needed"),
        (([0], [99], [1], [0.0]), "column 'steps', row 1: unknown step of the score grid"),
        (([0, 0], [2, 1], [1, 1], [0.0, 0.0]), "column 'cells', row 2: cells must be sorted and unique"),
        (([0, 0], [1, 1], [1, 1], [0.0, 0.0]), "column 'cells', row 2: cells must be sorted and unique"),
        (([0], [1], [1], [np.nan]), "column 'logits', row 1: the value is missing or not finite"),
    ):
        with pytest.raises(InputError) as raised:
            CellCounts.from_columns(*wrong, ScoreGrid(8))
        assert str(raised.value) == said
    search = PlaceSearch(CellCounts.from_columns([0], [9], [2], [0.0], ScoreGrid(8)), np.array([0]))
    with pytest.raises(InputError) as raised:
        search.add(np.array([0.0]), np.array([1]))  # the first step of a group that is not there
    assert str(raised.value) == "an item has a score or group that no item had when the plan was made"


def test_a_score_just_below_one_is_in_the_last_step() -> None:
    assert ScoreGrid(8).places(np.array([1.0 - 1.2e-16]))[0].tolist() == [8]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            lambda: CellCounts.from_columns([0], [1], [1], [0.0, 1.0], ScoreGrid(8)),
            "column 'logits': there are 2 values for 1 items",
        ),
        (
            lambda: SamplingFrame.of([0.1, 0.2], by=Strata(np.array([0]), ("de",))),
            "column 'strata': there are 1 values for 2 items",
        ),
    ],
)
def test_columns_of_other_lengths_are_named(wrong: Callable[[], object], said: str) -> None:
    with pytest.raises(InputError) as raised:
        wrong()
    assert str(raised.value) == said
