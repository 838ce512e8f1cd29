"""Reviewers' errors: counted where every item is gold, and covered where only some are, however alike errors are."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.errors import Undefined
from evenhand.intervals.reviewer_errors import ALWAYS_RIGHT, ReviewedItems
from evenhand.tally import Clusters, Reviews, Weights


def reviews(rng, items=600, gold=100, most=3, errors=(0.05, 0.2), alike=0.0) -> Reviews:
    """Items with one to `most` decisions; `alike` is the correlation of two errors on one item."""
    y = rng.random(items) < 0.3
    given = rng.integers(1, most + 1, items)
    chance = np.where(y, errors[1], errors[0])[:, None]
    if alike:
        times = 1.0 / alike - 1.0
        chance = rng.beta(chance * times, (1.0 - chance) * times)
    wrong = (rng.random((items, most)) < chance) & (np.arange(most) < given[:, None])
    violating = np.where(y, given - wrong.sum(axis=1), wrong.sum(axis=1))
    return Reviews.from_labels(given.astype(np.int32), violating.astype(np.int32), y, np.arange(items) < gold)


def test_where_all_items_are_gold_errors_are_counted() -> None:
    found = reviews(np.random.default_rng(1), gold=600)
    for kind in (False, True):
        own = found.known == int(kind)
        wrong = np.where(kind, found.reviewers - found.violating, found.violating)[own].sum()
        error = ReviewedItems(found).error(violating=kind)
        assert error.value == pytest.approx(wrong / found.reviewers[own].sum(), abs=1e-12)
        low, high = error.share.interval(0.95)
        assert low < error.value < high


def test_equal_weights_are_no_weights_and_rows_without_reviews_do_not_matter() -> None:
    found = reviews(np.random.default_rng(2))
    plain = ReviewedItems(found).error(violating=True)
    counted = ReviewedItems(found, Weights.from_columns(inclusion=np.full(600, 1.0))).error(violating=True)
    assert counted.value == pytest.approx(plain.value, abs=1e-12)
    parts = (found.reviewers, found.violating, found.known)
    more = Reviews(*(np.append(part, np.zeros(50, dtype=part.dtype)) for part in parts))
    rows = ReviewedItems.from_rows(more, None, None, np.arange(650))
    assert rows.error(violating=True) == plain


def test_copies_are_one_cluster() -> None:
    found = reviews(np.random.default_rng(3))
    times = 8
    copied = Reviews(*(np.tile(part, times) for part in (found.reviewers, found.violating, found.known)))
    one = ReviewedItems(found).error(violating=False)
    two = ReviewedItems(copied, None, Clusters.from_codes(np.tile(np.arange(600), times))).error(violating=False)
    assert two.value == pytest.approx(one.value, abs=1e-12)
    assert two.variance == pytest.approx(one.variance, rel=0.1)


def test_too_few_gold_items() -> None:
    found = reviews(np.random.default_rng(4), gold=12)
    with pytest.raises(Undefined, match="gold items"):
        ReviewedItems(found).error(violating=True)
    agreed = (found.violating == found.reviewers).astype(bool)
    known = np.where(agreed, -1, np.int8(1)).astype(np.int8)
    with pytest.raises(Undefined, match="no gold item among those that"):
        ReviewedItems(Reviews(found.reviewers, found.violating, known)).error(violating=True)


def test_reviewers_who_never_err_have_no_interval() -> None:
    assert ALWAYS_RIGHT.share.interval(0.95)[0] == 0.0


def coverage(draws: int, seed: int, **cell: float) -> list[float]:
    rng, hits = np.random.default_rng(seed), np.zeros(2)
    errors = cell.get("errors", (0.05, 0.2))
    for _ in range(draws):
        items = ReviewedItems(reviews(rng, **cell))
        for kind in (False, True):
            low, high = items.error(violating=kind).share.interval(0.95)
            hits[int(kind)] += low <= errors[kind] <= high
    return (hits / draws).tolist()


@pytest.mark.parametrize("alike", [0.0, 0.4])
def test_intervals_hold_the_truth_also_where_reviewers_err_alike(alike: float) -> None:
    assert min(coverage(150, 6, alike=alike)) >= 0.90


@pytest.mark.verify
@pytest.mark.parametrize(
    "cell", [{"alike": 0.4}, {"gold": 100, "most": 2, "errors": (0.1, 0.3)}, {"gold": 600, "most": 1}]
)
def test_coverage(cell: dict) -> None:
    assert all(0.925 <= share <= 0.995 for share in coverage(1000, 7, **cell))
