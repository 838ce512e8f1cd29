"""Agreement of the annotators of one measurement: against the metrics of arrays, and its coverage over items."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.intervals.item_agreement import ITEM_JACKKNIFE, ItemAgreement
from evenhand.metrics import gwet_ac1, krippendorff_alpha


def votes(rng: np.random.Generator, items: int, people: int, error: float) -> np.ndarray:
    """Items × people, of whom each errs alike; a fifth of the items violate."""
    truth = rng.random(items) < 0.2
    return truth[:, None] ^ (rng.random((items, people)) < error)


def agreement(labels: np.ndarray) -> ItemAgreement:
    return ItemAgreement.of(np.full(len(labels), labels.shape[1]), labels.sum(axis=1))


@pytest.mark.parametrize("people", [2, 3])
def test_values_are_those_of_the_metrics(people: int) -> None:
    labels = votes(np.random.default_rng(1), 60, people, 0.1)
    items, who = np.indices(labels.shape)
    columns = items.ravel(), who.ravel(), labels.ravel().astype(float)
    found = agreement(labels)
    assert found.alpha(0.95).value == pytest.approx(krippendorff_alpha(*columns).value, rel=1e-12)
    assert found.ac1(0.95).value == pytest.approx(gwet_ac1(*columns).value, rel=1e-12)
    assert found.alike == int((labels.all(axis=1) | ~labels.any(axis=1)).sum())


def test_items_with_one_label_say_nothing() -> None:
    labels = votes(np.random.default_rng(2), 40, 2, 0.1)
    more = ItemAgreement.of(np.append(np.full(40, 2), [1, 1]), np.append(labels.sum(axis=1), [1, 0]))
    assert more.alpha(0.95) == agreement(labels).alpha(0.95)
    assert more.ac1(0.95).n == 40


def test_two_annotators_have_an_interval_that_covers() -> None:
    """Of all items that these two could be asked about."""
    rng = np.random.default_rng(3)
    truth = {name: getattr(agreement(votes(rng, 400_000, 2, 0.08)), name)(0.95).value for name in ("alpha", "ac1")}
    covered = dict.fromkeys(truth, 0)
    for _ in range(400):
        found = agreement(votes(rng, 120, 2, 0.08))
        for name, value in truth.items():
            estimate = getattr(found, name)(0.95)
            covered[name] += estimate.low <= value <= estimate.high
            assert estimate.high - estimate.low < 0.7
            assert estimate.method == ITEM_JACKKNIFE
    assert min(covered.values()) >= 0.92 * 400


def test_full_agreement_is_no_certainty_and_labels_of_one_kind_say_nothing() -> None:
    alike = ItemAgreement.of([2] * 30, [0] * 20 + [2] * 10)
    for estimate in (alike.alpha(0.95), alike.ac1(0.95)):
        assert (estimate.value, estimate.high) == (1.0, 1.0)
        assert 0.5 < estimate.low < 0.9
    one_kind = ItemAgreement.of([2] * 30, [0] * 30)
    assert one_kind.alpha(0.95).note == "all labels are alike, so nothing is said of agreement"
    assert one_kind.ac1(0.95).value == 1.0
