"""What must hold for every measure alike: order of rows, weights, units, direction, shards, precision."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.tally import Membership, PlacedRows, Rows, Tally, Weights
from invariants.measures import MEASURES, Row

MONOTONE = [row for row in MEASURES if row.monotone]
MIRRORED = [row for row in MEASURES if row.mirrored]


class Items:
    """Scores with heavy ties, labels, two overlapping groups, one of them not annotated everywhere."""

    def __init__(self, seed: int = 5, size: int = 400) -> None:
        rng = np.random.default_rng(seed)
        self.label = rng.random(size) < 0.4
        self.g, self.h = rng.random(size) < 0.3, rng.random(size) < 0.4
        self.known = rng.random(size) < 0.8
        raw = 1.0 / (1.0 + np.exp(-(1.5 * self.label - 0.7 + 0.5 * self.g + rng.normal(size=size))))
        self.score = np.round(raw, 2)
        self.count = rng.integers(0, 4, size).astype(float)

    def tally(self, *, rows=None, count=None, score=None, label=None) -> Tally:
        take = np.arange(len(self.label)) if rows is None else rows
        known = self.known[take]
        groups = {
            "g": Membership(np.flatnonzero(self.g[take]).astype(np.int32)),
            "h": Membership(np.flatnonzero(self.h[take] & known).astype(np.int32), known),
        }
        weights = Weights.from_columns(count=None if count is None else count[take])
        scores = (self.score if score is None else score)[take]
        return PlacedRows.from_rows(
            scores, Rows((self.label if label is None else label)[take], groups, weights)
        ).tally()


@pytest.fixture(scope="module")
def items() -> Items:
    return Items()


each = pytest.mark.parametrize("row", MEASURES, ids=lambda row: row.name)


@each
def test_row_order_does_not_matter(row: Row, items: Items) -> None:
    shuffled = np.random.default_rng(1).permutation(len(items.label))
    assert row.take(items.tally(rows=shuffled)) == pytest.approx(row.take(items.tally()), abs=1e-12)


@each
def test_a_count_is_a_repetition(row: Row, items: Items) -> None:
    repeated = np.repeat(np.arange(len(items.label)), items.count.astype(int))
    assert row.take(items.tally(count=items.count)) == pytest.approx(row.take(items.tally(rows=repeated)), abs=1e-12)


@pytest.mark.parametrize("row", MONOTONE, ids=lambda row: row.name)
def test_only_the_order_of_scores_matters(row: Row, items: Items) -> None:
    bent = np.exp(3.0 * items.score) - 7.0
    assert row.take(items.tally(score=bent)) == pytest.approx(row.take(items.tally()), abs=1e-12)


@pytest.mark.parametrize("row", MIRRORED, ids=lambda row: row.name)
def test_exchanging_classes_and_direction(row: Row, items: Items) -> None:
    mirrored = items.tally(score=-items.score, label=~items.label)
    assert row.take(mirrored) == pytest.approx(row.mirrored(items.tally()), abs=1e-12)


@pytest.mark.parametrize("row", [row for row in MEASURES if row.even], ids=lambda row: row.name)
def test_both_classes_count_alike(row: Row, items: Items) -> None:
    score = np.where(items.score == 0.5, 0.505, items.score)  # one half is flagged, and would be so turned round too
    turned = items.tally(score=1.0 - score, label=~items.label)
    assert row.take(turned) == pytest.approx(row.take(items.tally(score=score)), abs=1e-12)


@each
def test_tallies_add_like_their_data(row: Row, items: Items) -> None:
    first, second = np.arange(0, 150), np.arange(150, len(items.label))
    added = items.tally(rows=first) + items.tally(rows=second)
    assert row.take(added) == pytest.approx(row.take(items.tally()), abs=1e-12)


@each
def test_half_precision_of_the_input_changes_nothing_but_ties(row: Row, items: Items) -> None:
    single = items.score.astype(np.float32)
    doubled = items.tally(score=single.astype(np.float64))
    assert row.take(items.tally(score=single)) == pytest.approx(row.take(doubled), abs=1e-12)


@each
def test_weights_of_one_are_no_weights(row: Row, items: Items) -> None:
    ones = np.ones(len(items.label))
    assert row.take(items.tally(count=ones)) == pytest.approx(row.take(items.tally()), abs=1e-12)
