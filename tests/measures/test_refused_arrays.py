"""Arrays that do not fit: one plain line for who calls from Python, and a reason where there is no number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from evenhand.calibrators.predictions import Predictions as Given
from evenhand.errors import InputError, Undefined
from evenhand.intervals.anytime import Bets
from evenhand.intervals.clusters import clustered
from evenhand.measures.calibration import Predictions, measure
from evenhand.measures.calibration.summaries import wsece
from evenhand.measures.divergence import divergences
from evenhand.measures.perspective import Annotations
from evenhand.sampling.estimation import row_weights
from evenhand.sampling.plan import Pool
from evenhand.sampling.strata import Strata

THREE = Annotations.of([0, 0, 1], [0, 1, 2], [0, 1, 0], size=(2, 3, 2))


@pytest.mark.parametrize(
    ("refused", "says"),
    [
        (lambda: THREE.of_group([0, 1], 2), "one whole number for each of the 3 annotators"),
        (lambda: THREE.of_group([0.0, 1.0, 0.0], 2), "one whole number for each of the 3 annotators"),
        (lambda: Strata.of([], []), "no items to put into strata"),
        (lambda: row_weights([], [0.5]), "weights"),
        (lambda: row_weights([], []), "the weights of the batches must add up to 1"),
        (lambda: Pool("all", 10, 4, clusters=3).counted, "a plan by clusters has no cells"),
        (
            lambda: Bets.of([0.0] * 60 + [1.0] * 60, [0.0] * 120, [1.0] * 120, [2.0] * 120).estimate(0.5),
            "the values contradict one another",
        ),
    ],
)
def test_in_one_line(refused: Callable[[], object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        refused()


@pytest.mark.parametrize(
    ("unknown", "why"),
    [
        (lambda: wsece([0.1, 0.2], [0, 0]), "there are no items"),
        (lambda: divergences([[0, 0], [0, 0]]), "there are no annotations"),
        (lambda: clustered([], [], clusters=4), "nothing was labelled"),
    ],
)
def test_without_a_value(unknown: Callable[[], object], why: str) -> None:
    with pytest.raises(Undefined, match=why):
        unknown()


def test_probabilities_of_whole_numbers_are_probabilities() -> None:
    sure, label = np.array([[1, 0], [0, 1], [1, 0]]), [0, 1, 1]
    whole, broken = (measure(Predictions.of(table), label) for table in (sure, sure.astype(np.float64)))
    assert whole.ece == broken.ece == pytest.approx(1 / 3)


def test_logits_among_some_classes_are_those_logits() -> None:
    logits = np.array([[2.0, 0.5, -1.0], [0.0, 1.0, 3.0]])
    some = Given.of(logits, logits=True).among([0, 2])
    shares = np.exp(logits[:, [0, 2]])
    assert some.logits
    assert some.probabilities == pytest.approx(shares / shares.sum(axis=1, keepdims=True))
