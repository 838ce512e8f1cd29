"""The two-way jackknife beside loops over annotators, items and labels, and what it rests on."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse, stats

from evenhand.errors import InputError, Undefined
from evenhand.intervals.two_way_jackknife import TwoWaySums
from evenhand.measures.perspective import ANNOTATION_RATE, F1_GAP, as_confusion_tables, confusion_columns
from measures.annotated import made


def of_columns(annotations, group, columns) -> TwoWaySums:
    return TwoWaySums(annotations.annotator, annotations.item, group, 3, columns)


def rate(sums: np.ndarray) -> np.ndarray:
    return ANNOTATION_RATE.formula(sums[..., 1, :])


def test_a_rate_beside_loops() -> None:
    annotations, _, group = made(2, 4)
    hit = annotations.label == 1
    columns = sparse.csc_array(np.column_stack((hit, np.ones(len(hit)))).astype(float))
    spread = of_columns(annotations, group, columns).spread(rate)
    mine = group[annotations.annotator] == 1
    who, what, y = annotations.annotator[mine], annotations.item[mine], hit[mine]
    share = y.mean()
    left = np.array([y[who != one].mean() for one in np.unique(who)])
    people = (len(left) - 1) / len(left) * ((left - left.mean()) ** 2).sum()
    influence = (y - share) / len(y)
    items = np.array([influence[what == one].sum() for one in np.unique(what)])
    n = len(items)
    assert spread.value == pytest.approx(share)
    assert spread.between_annotators == pytest.approx(people)
    assert spread.between_items == pytest.approx(n / (n - 1) * (items**2).sum(), rel=1e-6)
    assert spread.between_labels == pytest.approx((influence**2).sum(), rel=1e-6)
    low, high = spread.interval(0.95, (-1.0, 1.0))
    reach = stats.t.ppf(0.975, spread.freedom) * spread.variance**0.5
    assert (low, high) == pytest.approx((share - reach, share + reach))


def test_a_gap_between_a_group_and_everybody_by_leaving_out() -> None:
    """A number that is no mean: what each annotator moves is by doing without them."""
    annotations, p, group = made(2, 1)
    decided = p.argmax(axis=1)

    def gap(sums: np.ndarray) -> np.ndarray:
        return F1_GAP.formula(as_confusion_tables(sums[..., [2, -1], :]))

    sums = of_columns(annotations, group, confusion_columns(annotations, decided))
    spread = sums.spread(gap)

    def plain(keep: np.ndarray) -> float:
        rows = annotations.only(np.flatnonzero(keep))
        part = of_columns(rows, group, confusion_columns(rows, decided))
        return float(gap(part.plain))

    left = np.array([plain(annotations.annotator != one) for one in range(annotations.annotators)])
    n = len(left)
    assert spread.value == pytest.approx(plain(np.ones(len(annotations), dtype=bool)))
    assert spread.between_annotators == pytest.approx((n - 1) / n * ((left - left.mean()) ** 2).sum())


def test_neither_rows_nor_numbers_of_people_decide() -> None:
    annotations, _, group = made(2, 3)
    hit = (annotations.label == 1).astype(float)
    order = np.random.default_rng(0).permutation(len(hit))
    shuffled = annotations.only(order)
    ends = [
        of_columns(part, group, sparse.csc_array(np.column_stack((values, np.ones(len(hit))))))
        .spread(rate)
        .interval(0.95, (0.0, 1.0))
        for part, values in ((annotations, hit), (shuffled, hit[order]))
    ]
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)


def test_a_share_of_nothing_has_an_upper_end() -> None:
    annotations, _, group = made(2, 3)
    columns = sparse.csc_array(np.column_stack((np.zeros(len(annotations)), np.ones(len(annotations)))))
    spread = of_columns(annotations, group, columns).spread(rate)
    low, high = spread.interval(0.95, (0.0, 1.0))
    fewest = min(spread.annotators, spread.items)
    assert (low, high) == pytest.approx((0.0, 1.0 - 0.025 ** (1.0 / fewest)))
    assert spread.interval(0.95, (-1.0, 1.0)) == (0.0, 0.0)


def test_one_annotator_says_nothing_of_others() -> None:
    columns = sparse.csc_array(np.ones((3, 2)))
    alone = TwoWaySums(np.zeros(3, int), np.arange(3), np.array([1]), 3, columns)
    with pytest.raises(Undefined, match="one annotator or one item"):
        alone.spread(rate)
    with pytest.raises(InputError, match="equally many"):
        TwoWaySums(np.zeros(3, int), np.arange(2), np.array([1]), 3, columns)
