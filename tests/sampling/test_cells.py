"""Counting piece by piece, and finding places again: the same as with everything at hand."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.sampling.adaptive import ScoreDriven, draw_batch
from evenhand.sampling.cells import Cells, Counting, Grid, Search
from evenhand.sampling.frame import Frame
from evenhand.sampling.strata import Strata


def population(items: int = 5000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    score = 1.0 / (1.0 + np.exp(-(3.0 * rng.normal(size=items) - 3.0)))
    score[rng.random(items) < 0.02] = 0.0
    score[rng.random(items) < 0.02] = 1.0
    return score, rng.integers(0, 3, items)


def counted(score: np.ndarray, group: np.ndarray, pieces: int) -> Cells:
    counting = Counting()
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
    frame = Frame.of(score, by=Strata(group, ("a", "b", "c")))
    cells = counted(score, group, 4)
    assert np.array_equal(frame.starts, cells.starts)
    rng = np.random.default_rng(1)
    places = rng.permutation(np.append(rng.choice(len(score), 300, replace=False), [17, 17]))
    search, found, start = Search(cells, places), np.full(len(places), -1), 0
    for one, of in zip(np.array_split(score, pieces), np.array_split(group, pieces), strict=True):
        rows, slots = search.add(one, of)
        found[slots] = rows + start
        start += len(one)
    assert np.array_equal(found, frame.rows(places))


def test_cells_alone_draw_the_same_places() -> None:
    score, group = population()
    at_hand = Frame.of(score, by=Strata(group, ("a", "b", "c")))
    streamed = Frame.counted(counted(score, group, 9))
    first, second = (
        draw_batch(frame, [], 150, np.random.default_rng(3), ScoreDriven()) for frame in (at_hand, streamed)
    )
    assert np.array_equal(first.places, second.places)
    assert np.array_equal(first.draw.counts, second.draw.counts)
    assert np.array_equal(first.draw.rows, at_hand.order[second.draw.rows])


def test_groups_in_another_order() -> None:
    score, group = population()
    counting = Counting()
    counting.add(score, group)
    turned = counting.cells([2, 0, 1])
    for number, old in enumerate([2, 0, 1]):
        assert turned.items[turned.groups == number].sum() == (group == old).sum()


def test_other_items_are_noticed() -> None:
    search = Search(counted(np.full(10, 0.3), np.zeros(10, dtype=int), 1), np.array([4]))
    with pytest.raises(InputError, match=r"^an item falls into a cell that held none when the plan was made$"):
        search.add(np.array([0.9]), np.zeros(1, dtype=int))


def test_cells_must_be_in_order() -> None:
    with pytest.raises(InputError, match=r"^column 'cells', row 2: cells are in order, each once$"):
        Cells.of([0, 0], [5, 4], [1, 1], [0.0, 0.0], Grid())
    with pytest.raises(InputError, match=r"^there are no items to draw from$"):
        Counting().cells()
