"""Prediction sets: scores beside loops, coverage as promised, for all, by class and by group, split by item."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.conformal import calibrate, coverage, coverage_by, one_per_item, split_by_item
from evenhand.conformal.scores import nonconformity
from evenhand.errors import InputError, Undefined

P = np.full((4, 2), 0.5)

ALPHA, RUNS = 0.1, 250
SHARES = np.array([0.6, 0.3, 0.1])


def drawn(rng: np.random.Generator, items: int, per: int = 1, *, coarse: bool = False):
    """Items of three classes, a model that errs more for group 1, and several labels that share an item's trouble."""
    truth = rng.choice(3, items, p=SHARES)
    trouble = rng.standard_normal(items)
    logit = 1.5 * np.eye(3)[truth] + rng.standard_normal((items, 3))
    p = np.exp(logit)
    p /= p.sum(axis=1, keepdims=True)
    p = np.round(p, 1) if coarse else p
    item = np.repeat(np.arange(items), per)
    group = rng.integers(0, 2, len(item))
    odd = rng.random(len(item)) < 1.0 / (1.0 + np.exp(2.0 - 1.5 * group - 1.5 * trouble[item]))
    label = np.where(odd, rng.integers(0, 3, len(item)), truth[item])
    return p[item], label, group, item


@pytest.mark.parametrize("randomised", [False, True])
def test_adaptive_scores_beside_loops(randomised: bool) -> None:
    rng = np.random.default_rng(0)
    p = np.round(rng.dirichlet(np.ones(4), 50), 1)
    part = rng.random(50) if randomised else None
    found = nonconformity(p, score="aps", part=part)
    for row in range(50):
        for k in range(4):
            likelier = [j for j in range(4) if p[row, j] > p[row, k] or (p[row, j] == p[row, k] and j < k)]
            own = 1.0 if part is None else part[row]
            assert found[row, k] == pytest.approx(sum(p[row, j] for j in likelier) + own * p[row, k], abs=1e-12)
    np.testing.assert_array_equal(nonconformity(p, score="lac"), 1.0 - p)


@pytest.mark.parametrize("kind", ["marginal", "class", "group"])
@pytest.mark.parametrize("score", ["lac", "aps"])
@pytest.mark.parametrize("randomised", [False, True])
@pytest.mark.parametrize("coarse", [False, True])
def test_coverage_is_as_promised(kind: str, score: str, randomised: bool, coarse: bool) -> None:
    """At least 1 − α less simulation error, for whom it is promised; equal to it where ties are randomised."""
    held, rows = np.zeros((RUNS, 3)), np.zeros((RUNS, 3))
    for run in range(RUNS):
        rng = np.random.default_rng([run, 5])
        p, label, group, _ = drawn(rng, 400, coarse=coarse)
        first, rest = slice(0, 150), slice(150, None)
        made = calibrate(
            p[first], label[first], alpha=ALPHA, kind=kind, score=score, group=group[first],
            randomised=randomised, seed=run,
        )  # fmt: skip
        sets = made.predict(p[rest], group=group[rest], seed=run)
        cell = {"marginal": np.zeros_like(label), "class": label, "group": group}[kind][rest]
        for number, found in enumerate(coverage_by(sets, label[rest], cell, 3)):
            held[run, number], rows[run, number] = found.held, found.rows
    for number in np.flatnonzero(rows.sum(axis=0)):
        share = held[:, number].sum() / rows[:, number].sum()
        error = 3.5 * (held[:, number] / np.maximum(rows[:, number], 1)).std() / RUNS**0.5
        assert share >= 1 - ALPHA - error
        if randomised:
            assert share <= 1 - ALPHA + error


def test_several_labels_of_an_item_split_by_item() -> None:
    """Items count: coverage of labels of new items, also where there are few items and many labels."""
    shares, by_rows = [], []
    for run in range(RUNS):
        rng = np.random.default_rng([run, 9])
        p, label, _, item = drawn(rng, 60, 20)
        first = split_by_item(item, share=1 / 3, seed=run)
        assert not set(item[first]) & set(item[~first])
        assert len(set(item[first])) == 20
        made = calibrate(p[first], label[first], alpha=ALPHA, item=item[first])
        shares.append(coverage(made.predict(p[~first]), label[~first]).share)
        plain = calibrate(p[first], label[first], alpha=ALPHA)
        by_rows.append(coverage(plain.predict(p[~first]), label[~first]).share)
    error = 3.5 * np.std(shares) / RUNS**0.5
    assert np.mean(shares) >= 1 - ALPHA - error
    assert np.mean(by_rows) < np.mean(shares)


def test_one_row_of_each_item_meets_the_promise_exactly() -> None:
    shares = []
    for run in range(RUNS):
        p, label, _, item = drawn(np.random.default_rng([run, 11]), 90, 6)
        first = np.flatnonzero(split_by_item(item, share=1 / 3, seed=run))
        chosen = first[one_per_item(item[first], seed=run)]
        assert sorted(item[chosen]) == sorted(set(item[first]))
        made = calibrate(p[chosen], label[chosen], alpha=ALPHA, randomised=True, seed=run)
        rest = np.setdiff1d(np.arange(len(item)), first)
        shares.append(coverage(made.predict(p[rest], seed=run), label[rest]).share)
    assert np.mean(shares) == pytest.approx(1 - ALPHA, abs=3.5 * np.std(shares) / RUNS**0.5)


def test_too_few_rows_get_every_label() -> None:
    p, label, *_ = drawn(np.random.default_rng(1), 200)
    few = label.copy()
    few[label == 2] = 0
    made = calibrate(p, few, alpha=ALPHA, kind="class")
    assert made.cuts[2].n == 0
    assert made.predict(p)[:, 2].all()
    assert calibrate(p[:5], label[:5], alpha=ALPHA).predict(p).all()


def test_frozen_and_the_same_again() -> None:
    p, label, group, item = drawn(np.random.default_rng(1), 200)
    made = calibrate(p, label, alpha=ALPHA, kind="group", group=group, score="aps", randomised=True, seed=4)
    assert made == calibrate(p, label, alpha=ALPHA, kind="group", group=group, score="aps", randomised=True, seed=4)
    np.testing.assert_array_equal(made.predict(p, group=group, seed=2), made.predict(p, group=group, seed=2))
    with pytest.raises(AttributeError):
        made.alpha = 0.5  # type: ignore[misc]
    order = np.random.default_rng(2).permutation(200)
    assert calibrate(p[order], label[order], alpha=ALPHA).cuts == calibrate(p, label, alpha=ALPHA).cuts
    np.testing.assert_array_equal(split_by_item(item, seed=1), split_by_item(item, seed=1))


def test_coverage_and_size_by_hand() -> None:
    sets = np.array([[True, False, False], [True, True, False], [False, False, False], [True, True, True]])
    found = coverage(sets, [0, 2, 1, 2])
    assert (found.share, found.size) == (0.5, 1.5)
    first, second, third = coverage_by(sets, [0, 2, 1, 2], [0, 0, -1, 1], 3)
    assert (first.rows, first.share, first.size, second.share, second.size) == (2, 0.5, 1.5, 1.0, 3.0)
    with pytest.raises(Undefined, match="no rows"):
        _ = third.share


def test_wrong_arguments() -> None:
    p, label, group, item = drawn(np.random.default_rng(1), 50)
    with pytest.raises(InputError, match="no kind 'classes': did you mean 'class'"):
        calibrate(p, label, alpha=ALPHA, kind="classes")
    with pytest.raises(InputError, match="no score 'apps'"):
        calibrate(p, label, alpha=ALPHA, score="apps")
    with pytest.raises(InputError, match="need the group of each row"):
        calibrate(p, label, alpha=ALPHA, kind="group")
    with pytest.raises(InputError, match="draw one row per item"):
        calibrate(p, label, alpha=ALPHA, item=item, randomised=True)
    with pytest.raises(InputError, match="from 0 to 2"):
        calibrate(p, label + 1, alpha=ALPHA)
    with pytest.raises(InputError, match="from 0 to 1"):
        calibrate(p + 1.0, label, alpha=ALPHA)
    made = calibrate(p, label, alpha=ALPHA, kind="group", group=group)
    with pytest.raises(InputError, match="groups 0 to 1"):
        made.predict(p, group=group + 1)
    with pytest.raises(InputError, match="2 columns for sets of 3"):
        made.predict(p[:, :2], group=group)
    with pytest.raises(InputError, match="between 0 and 1"):
        split_by_item(item, share=1.0)


@pytest.mark.parametrize(
    ("table", "label", "options", "says"),
    [
        (P, [0, 1, 0], {}, "one label per row"),
        (P, [0.0, 1.0, 0.0, 1.0], {}, "one label per row, the number of its class"),
        (P, [0, 1, 2, 0], {}, "from 0 to 1"),
        (P, [0, 1, 0, 1], {"item": [1, 2]}, "one item per row"),
        (P[:, 0], [0, 1, 0, 1], {}, "a column per class, two or more"),
        (P[:, :1], [0, 0, 0, 0], {}, "a column per class, two or more"),
    ],
)
def test_sets_that_cannot_be_calibrated(table: np.ndarray, label: list, options: dict, says: str) -> None:
    with pytest.raises(InputError, match=says):
        calibrate(table, label, alpha=0.1, **options)


def test_coverage_by_cells_that_do_not_fit() -> None:
    with pytest.raises(InputError, match="one label and one cell per set"):
        coverage_by(np.ones((3, 2), dtype=bool), [0, 1, 0], [0, 1], 2)
