"""A share by the verdict of a panel that sees a random part: closed forms, and labels that have errors."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.errors import Undefined
from evenhand.intervals.sampled_labels import SampledLabels
from evenhand.intervals.two_phase import PanelVerdicts, TwoPhaseShare, two_phase_share


def at_random(n: int, items: int) -> SampledLabels:
    """Drawn with equal probability, in one stratum."""
    left = 1.0 - n / items
    ones = np.ones(n)
    return SampledLabels(
        ones * items / n, np.zeros(n, dtype=np.int64), ones * items**2 / n * left, ones * items / n * left
    )


def share(said: np.ndarray, verdict: np.ndarray, items: int = 10_000) -> TwoPhaseShare:
    panel = PanelVerdicts(np.arange(len(said)), said, verdict)
    return two_phase_share(at_random(len(said), items), panel)


def test_double_sampling_by_its_closed_form() -> None:
    """Cochran (1977, 12.2): the shares of the cells from all labels, their means from those that the panel judged."""
    said = np.array([1] * 40 + [0] * 360)
    verdict = np.full(400, np.nan)
    verdict[:20] = [1.0] * 15 + [0.0] * 5
    verdict[40:140] = [1.0] * 4 + [0.0] * 96
    found = share(said, verdict)
    assert found.value == pytest.approx(0.1 * 0.75 + 0.9 * 0.04)
    between = np.var(np.where(said == 1, 0.75, 0.04), ddof=1) / 400 * (1.0 - 400 / 10_000)
    within = 0.0
    for size, hits, n, cell in ((0.1, 15, 20, 40), (0.9, 4, 100, 360)):
        mean = (hits + 0.5) / (n + 1.0)
        squares = hits * (1.0 - mean) ** 2 + (n - hits) * mean**2 + 0.25 * (mean**2 + (1.0 - mean) ** 2)  # half of each
        within += size**2 * squares / (n * (n + 1.0)) * (1.0 - n / (cell * 25.0))
    assert found.panel_variance == pytest.approx(within, rel=1e-9)
    assert found.variance == pytest.approx(between + within, rel=1e-9)
    assert (found.n, found.hits) == (120, 19.0)


def test_a_panel_that_sees_everything_decides_alone() -> None:
    said, truth = np.array([1, 1, 0, 0, 0, 0] * 20), np.array([1.0, 0.0, 1.0, 0.0, 0.0, 0.0] * 20)
    found = share(said, truth)
    assert found.value == pytest.approx(truth.mean())
    assert share(said, truth, items=120).variance == pytest.approx(0.0)


def test_an_item_that_was_drawn_twice_counts_once() -> None:
    labels = at_random(6, 600)
    panel = PanelVerdicts(np.array([0, 0, 1, 2, 3, 4]), np.zeros(6, dtype=np.int64), np.array([1.0, 1.0, 0, 0, 0, 0]))
    found = two_phase_share(labels, panel)
    assert found.n == 5
    assert found.value == pytest.approx(2.0 / 6.0, abs=0.06)  # but for the correction of a ratio


def test_too_few_verdicts_are_no_number() -> None:
    verdict = np.full(20, np.nan)
    verdict[0] = 1.0
    with pytest.raises(Undefined, match="too few panel verdicts"):
        share(np.zeros(20, dtype=np.int64), verdict)


def test_more_verdicts_are_asked_for_where_the_panel_makes_it_wide() -> None:
    said = np.array([1] * 40 + [0] * 360)
    verdict = np.full(400, np.nan)
    verdict[:10], verdict[40:70] = [1.0] * 8 + [0.0] * 2, [1.0] + [0.0] * 29
    found = share(said, verdict)
    assert found.panel_variance > 0.5 * found.variance
    assert found.verdicts_needed > found.n


@pytest.mark.verify
def test_it_is_unbiased_and_covers_where_reviewers_err_by_group() -> None:
    rng, truth_share, estimates, held = np.random.default_rng(1), 0.08, [], 0
    for _ in range(400):
        truth, group = rng.random(1000) < truth_share, rng.random(1000) < 0.3
        miss, mark = np.where(group, 0.2, 0.05), np.where(group, 0.1, 0.05)
        said = np.where(truth, rng.random(1000) > miss, rng.random(1000) < mark).astype(np.int64)
        verdict = np.full(1000, np.nan)
        for code in (0, 1):
            own = np.flatnonzero(said == code)
            chosen = rng.choice(own, min(len(own), 150), replace=False)
            verdict[chosen] = truth[chosen]
        estimate = share(said, verdict, items=1_000_000).estimate(0.95)
        estimates.append(estimate.value)
        held += estimate.low <= truth_share <= estimate.high
    assert held / 400 >= 0.93
    assert abs(np.mean(estimates) - truth_share) < 3.0 * np.std(estimates) / 20.0
