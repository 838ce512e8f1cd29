"""The variance of an average precision against what leaving out and repeating an item does."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.intervals import precision
from evenhand.measures.ranking import average_precision
from evenhand.tally import Classes, Mass


def heaped(digits: int) -> Classes:
    rng = np.random.default_rng(2)
    label = rng.random(300) < 0.3
    score = np.round(label + rng.normal(size=300), digits)
    grid = np.unique(score)
    counts = [np.array([(score[label == kind] == at).sum() for at in grid], dtype=float) for kind in (True, False)]
    return Classes(*(Mass(count) for count in counts))


@pytest.mark.parametrize("digits", [0, 1, 6])
def test_influence_is_the_derivative(digits: int) -> None:
    """A little more weight on the items of one cell and class moves the area by their influence."""
    classes, tiny = heaped(digits), 1e-6
    found = precision.influence(classes)
    before = average_precision(classes)
    for kind in (0, 1):
        masses = [mass.weight for mass in classes]
        for cell in np.flatnonzero(masses[kind])[::7]:
            more = [mass.copy() for mass in masses]
            more[kind][cell] += tiny
            moved = (average_precision(Classes(*(Mass(mass) for mass in more))) - before) / tiny
            assert found[kind][cell] == pytest.approx(moved, abs=1e-6)


def test_influences_cancel() -> None:
    classes = heaped(1)
    total = sum(float(mass.weight @ values) for mass, values in zip(classes, precision.influence(classes), strict=True))
    assert total == pytest.approx(0.0, abs=1e-12)


def test_nothing_is_taken_for_certain() -> None:
    """All found, nothing wrong: as sure as a share of the items that were to be found, and no more."""
    perfect = Classes(Mass(np.array([0.0, 30.0])), Mass(np.array([70.0, 0.0])))
    low, high = precision.of_classes(perfect, 1.0).interval(0.95)
    assert 0.8 < low < 0.95
    assert high == 1.0
    single = Classes(Mass(np.array([0.0, 1.0])), Mass(np.array([70.0, 0.0])))
    assert precision.of_classes(single, 1.0).interval(0.95)[0] < 0.2
