"""Populations that designs are played on."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from evenhand.errors import InputError
from evenhand.intervals.survey_estimators import StratifiedSample
from evenhand.measurement.simulation.populations import LabelledPopulation, Urns
from evenhand.sampling import strata
from evenhand.sampling.batches import LabelledBatch
from sampling.made import FRAME, LABEL, SCORE


def means(done: LabelledBatch, sizes: np.ndarray) -> np.ndarray:
    """The mean score of each stratum, by its cells."""
    firsts = done.batch.firsts
    return np.add.reduceat(FRAME.sizes * expit(FRAME.logits), firsts) / sizes


def test_urns_of_other_items_are_refused() -> None:
    with pytest.raises(InputError) as raised:
        Urns.of(strata.quantile_strata([0.1, 0.2], 1), [1])
    assert str(raised.value) == "column 'label': there are 1 values for 2 items"


def test_samples_of_urns_are_those_of_labels() -> None:
    urns = Urns(np.array([30, 20]), np.array([6, 10]))
    draws = urns.drawn(np.array([10, 5]), 20, np.random.default_rng(4))
    for found, hits in zip(draws.samples(), draws.hits, strict=True):
        label = np.concatenate([np.repeat([1, 0], [h, n - h]) for h, n in zip(hits, (10, 5), strict=True)])
        expected = StratifiedSample.from_values(label, np.repeat([0, 1], [10, 5]), [30, 20])
        for name in ("shares", "counts", "means", "variances", "fractions", "hits"):
            np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-12, err_msg=name)


def test_populations_many_times_over() -> None:
    small = LabelledPopulation.of(SCORE, LABEL)
    twice = LabelledPopulation.of(SCORE, LABEL, times=2)
    assert (len(small), len(twice), len(small.frame), len(twice.frame)) == (600, 1200, 600, 1200)
    np.testing.assert_array_equal(np.bincount(twice.frame.rows(np.arange(1200))), np.full(600, 2))
    assert small.endless().times == 50
    many = LabelledPopulation.of(np.tile(SCORE, 400), np.tile(LABEL, 400))  # 240,000 items: 21 times are enough
    assert many.endless().times == 21
    for wrong, said in (
        (lambda: LabelledPopulation.of([0.1], [1], times=0), "the times must be a whole number from 1 up, not 0"),
        (lambda: LabelledPopulation.of([0.1], [1, 0]), "column 'label': there are 2 values for 1 items"),
        (lambda: LabelledPopulation.of([1.1], [1]), "column 'score', row 1: a probability lies between 0 and 1"),
    ):
        with pytest.raises(InputError) as raised:
            wrong()
        assert str(raised.value) == said


def test_a_population_is_there_once() -> None:
    assert LabelledPopulation(SCORE, LABEL, FRAME).times == 1
