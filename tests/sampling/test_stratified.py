"""The stratified design: labels by allocation, and what its settings may not be."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from evenhand.errors import InputError
from evenhand.sampling import allocation
from evenhand.sampling.batches import LabelledBatch
from evenhand.sampling.stratified import StratifiedDesign
from sampling.made import FRAME, GROUP, batches, pool_of


@pytest.mark.parametrize("name", ["equal", "proportional", "optimal"])
def test_strata_get_labels_by_their_allocation(name: str) -> None:
    design = StratifiedDesign("quantile", 3, name)
    (done,) = batches(design, 90)
    counts, sizes = done.batch.draw.counts, done.batch.draw.sizes
    expected = {
        "equal": lambda: allocation.equal_allocation(90, sizes, least=2),
        "proportional": lambda: allocation.proportional_allocation(90, sizes, least=2),
        "optimal": lambda: allocation.optimal_allocation(
            90, sizes, np.sqrt((p := means(done, sizes)) * (1 - p)), least=2
        ),
    }[name]()
    np.testing.assert_array_equal(counts, expected)
    if name == "equal":
        assert counts.tolist() == [15] * 6
    own = GROUP[done.batch.draw.rows] == 1
    found = design.share(pool_of(FRAME), [done], group=1)
    assert (found.n, found.hits) == (own.sum(), done.label[own].sum())


def means(done: LabelledBatch, sizes: np.ndarray) -> np.ndarray:
    """The mean score of each stratum, by its cells."""
    firsts = done.batch.firsts
    return np.add.reduceat(FRAME.sizes * expit(FRAME.logits), firsts) / sizes


def test_settings_of_a_stratified_design_are_named() -> None:
    for wrong, said in (
        (("halves", 8, "optimal"), "invalid `strata`: 'halves' (choose from: quantile, equal-width, none)"),
        (("quantile", 8, "best"), "invalid `allocation`: 'best' (choose from: proportional, equal, optimal, pilot)"),
        (("quantile", 0, "equal"), "the number of strata must be a whole number from 1 up, not 0"),
        (("quantile", 2, "pilot", 1), "the pilot must be a whole number from 2 up, not 1"),
    ):
        with pytest.raises(InputError) as raised:
            StratifiedDesign(*wrong)
        assert str(raised.value) == said
