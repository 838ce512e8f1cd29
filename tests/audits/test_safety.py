"""Labels for the promise of a safe level can keep it."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.audits.measurement.safety import clean_bound, one_sided, size_below
from evenhand.sampling import Below, random_size
from evenhand.sampling.designs import Adaptive, Design, Random
from evenhand.sampling.frame import Frame
from evenhand.sampling.stratifying import Stratified

RNG = np.random.default_rng(4)


@pytest.mark.parametrize("design", [Adaptive(), Random(), Stratified(), Stratified(allocation="equal")])
@pytest.mark.parametrize("safe", [0.01, 0.05, 0.1])
def test_clean_labels_keep_the_promise(design: Design, safe: float) -> None:
    frame = Frame.of(RNG.beta(0.05, 8.0, 20_000))
    asked, prevalence = Below(safe), 0.2 * safe
    size = size_below(frame, design, asked, prevalence)
    assert clean_bound(frame, design, size.n, 0.95) < safe
    assert size.n >= random_size(prevalence, asked, items=len(frame)).n
    assert size.n >= random_size(prevalence, one_sided(asked), items=len(frame)).n
    assert size.n < len(frame)


def test_a_number_that_was_too_small_is_known_to_be() -> None:
    frame = Frame.of(RNG.beta(0.05, 8.0, 20_000))
    assert clean_bound(frame, Adaptive(), 17, 0.95) > 0.1
    assert clean_bound(frame, Adaptive(), 1, 0.95) == 1.0
