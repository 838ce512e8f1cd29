"""Redraws on counts give the intervals of rows that are redrawn, and p-values that are counted."""

from __future__ import annotations

import numpy as np
import pytest
from studies.calibration import drawn, redrawn, truth

from evenhand.audits.calibration import CalibrationSettings
from evenhand.audits.calibration.quantities import (
    OVERALL_MEASURES,
    CalibrationProbe,
    draw_replicates,
    measure_probe,
)
from evenhand.audits.calibration.sample import ClassedSample
from evenhand.audits.counted_redraws import LABEL_DRAWS
from evenhand.catalogue.shared import BRIER, ECE, LOG_LOSS
from evenhand.evidence import ClassedRows
from evenhand.intervals.bootstrap import CalibrationErrors, percentile_interval

SETTINGS = CalibrationSettings()
ERRORS = ("ece", "sce", "ace", "msece", "wsece")


def sample(rows: int, seed: int, sharpened: float) -> ClassedSample:
    rng = np.random.default_rng(seed)
    true, p = drawn(rows, 2, sharpened, rng)
    label = (rng.random(rows) < true[:, 1]).astype(np.int32)
    return ClassedSample(ClassedRows("p", ("no", "yes"), p, label, None, {}))


def results(one: ClassedSample) -> dict[str, object]:
    bins = SETTINGS.sorting()
    replicates = draw_replicates(one, [bins], SETTINGS, lambda *_: None)
    return {
        str(number.measure): measure_probe(one, replicates, CalibrationProbe(number, bins, {}), 0.95)
        for number in OVERALL_MEASURES
    }


@pytest.mark.verify
@pytest.mark.parametrize("rows", [3000, 12_000])
def test_ends_are_those_of_rows_redrawn(rows: int) -> None:
    """Within 2 % of the width, and the chance of the draws: 8,000 of rows here, 2,000 to 4,000 of counts."""
    one, draws = sample(rows, 1, 1.3), []
    p, label, rng = one.classed.probabilities, one.classed.label, np.random.default_rng(2)
    for _ in range(32):
        times = rng.poisson(1.0, (251, rows)).astype(np.float32)
        times[0] = 1.0
        draws.append(redrawn(p, label, times))
    by_rows = {name: np.concatenate([draws[0][name][:1], *(one[name][1:] for one in draws)]) for name in draws[0]}
    found = results(one)
    for name in ERRORS:
        low, high = CalibrationErrors.from_draws(by_rows[name][0], by_rows[name][1:]).interval(0.95)
        ours, chance = found[name].estimate, 0.02  # of a quantile among so many draws, two standard errors
        assert (ours.low, ours.high) == pytest.approx((low, high), abs=(0.02 + chance) * (high - low)), name
    for name in (BRIER, LOG_LOSS):
        low, high = percentile_interval(by_rows[name][1:], float(by_rows[name][0]), 0.95)
        ours = found[name].estimate
        assert (ours.low, ours.high) == pytest.approx((low, high), abs=(0.02 + 0.02) * (high - low)), name


def test_a_p_value_is_counted_among_many_draws() -> None:
    off, calibrated = results(sample(2500, 3, 2.5))[ECE], results(sample(2500, 4, 1.0))[ECE]
    assert off.p_value == pytest.approx(1.0 / (1 + LABEL_DRAWS))
    assert calibrated.p_value > 0.001
    assert calibrated.calibrated.low < calibrated.estimate.value


@pytest.mark.verify
def test_calibrated_models_have_uniform_p_values_and_are_covered() -> None:
    found = [results(sample(800, 100 + seed, 1.0)) for seed in range(60)]
    true = truth(2, 1.0)
    for name in ("ece", "ace", "sce", "brier", "log_loss", "cece"):
        value = getattr(true, name)
        held = [one[name].estimate.low - 1e-9 <= value <= one[name].estimate.high for one in found]
        assert sum(held) >= 51, name  # of 60; with a coverage of 95 %, fewer are found once in 200 times
    values = np.array([one["ece"].p_value for one in found])
    assert np.abs(np.sort(values) - (np.arange(60) + 0.5) / 60).max() < 0.21  # Kolmogorov's bound at 1 %


def test_rare_events_are_counted_and_not_taken_as_normal() -> None:
    """Five violating items where a calibrated model expects one: as unlikely as Poisson says, and no less."""
    p = np.full(5000, 0.0002)
    label = np.zeros(5000, dtype=np.int32)
    label[:5] = 1
    one = ClassedSample(ClassedRows("p", ("no", "yes"), np.column_stack((1 - p, p)), label, None, {}))
    assert results(one)["ece"].p_value == pytest.approx(0.00366, abs=0.0006)  # P(5 or more) with a mean of 1
