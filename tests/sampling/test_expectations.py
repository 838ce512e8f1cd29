"""Labels for the promise of a safe level can keep it."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.sampling import Below, random_size
from evenhand.sampling.cell_design import CellDesign
from evenhand.sampling.design import PoolExpectation
from evenhand.sampling.expectations import clean_bound, one_sided_target, size_below, size_for_prevalence
from evenhand.sampling.frame import SamplingFrame
from evenhand.sampling.score_driven import ScoreDrivenDesign
from evenhand.sampling.simple_random import RandomDesign
from evenhand.sampling.sizes import Within
from evenhand.sampling.stratified import StratifiedDesign

RNG = np.random.default_rng(4)


@pytest.mark.parametrize(
    "design", [ScoreDrivenDesign(), RandomDesign(), StratifiedDesign(), StratifiedDesign(allocation="equal")]
)
@pytest.mark.parametrize("safe", [0.01, 0.05, 0.1])
def test_clean_labels_keep_the_promise(design: CellDesign, safe: float) -> None:
    frame = SamplingFrame.of(RNG.beta(0.05, 8.0, 20_000))
    asked, prevalence = Below(safe), 0.2 * safe
    size = size_below(frame, design, asked, prevalence)
    assert clean_bound(frame, design, size.n, 0.95) < safe
    assert size.n >= random_size(prevalence, asked, items=len(frame)).n
    assert size.n >= random_size(prevalence, one_sided_target(asked), items=len(frame)).n
    assert size.n < len(frame)


def test_a_number_that_was_too_small_is_known_to_be() -> None:
    frame = SamplingFrame.of(RNG.beta(0.05, 8.0, 20_000))
    assert clean_bound(frame, ScoreDrivenDesign(), 17, 0.95) > 0.1
    assert clean_bound(frame, ScoreDrivenDesign(), 1, 0.95) == 1.0


def test_the_error_of_a_size_is_that_of_its_target() -> None:
    assert size_for_prevalence(PoolExpectation(0.1, 0.09, 500), Within(0.2)).error == Within(0.2).error(0.1)
