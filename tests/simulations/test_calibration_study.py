"""What the intervals of calibration errors promise, held against the committed study and a short run of it."""

from __future__ import annotations

import numpy as np
import pytest
from studies import calibration

from evenhand.audits.calibration.quantities import SUMMED_ERRORS
from evenhand.intervals.bootstrap import DIRECTIONAL_BOOTSTRAP
from evenhand.measures.calibration import ModelPredictions, measure_calibration
from simulations.agreement import again

ROWS = calibration.STUDY.read()
ERRORS = [row for row in ROWS if row["method"] == DIRECTIONAL_BOOTSTRAP]
MEASURES = {"ece", "sce", "ace", "class_ece", "cece", "msece", "wsece", "ece_variance"}


def test_every_measure_is_in_every_cell() -> None:
    assert {row["measure"] for row in ERRORS} == MEASURES
    assert {row["measure"] for row in ROWS} - MEASURES == {"class_ace", "brier", "log_loss"}
    assert len({(row["classes"], row["items"], row["sharpened"]) for row in ROWS}) == 18


def test_they_hold_the_truth() -> None:
    """In every cell but one: the binary SCE of a calibrated model with 300 items. A cell scatters by one per cent."""
    below = [row for row in ERRORS if row["coverage"] < 0.93]
    assert [(row["measure"], row["classes"], row["items"]) for row in below] == [("sce", 2, 300)]
    assert min(row["coverage"] for row in ERRORS) >= 0.92
    assert min(row["coverage"] for row in ERRORS if row["items"] >= 2000) >= 0.93


def test_means_are_not_promised_as_much() -> None:
    means = [row["coverage"] for row in ROWS if row["method"] != DIRECTIONAL_BOOTSTRAP]
    assert np.mean(means) >= 0.93
    assert min(means) >= 0.89


def test_percentiles_never_hold_the_truth_of_a_calibrated_model() -> None:
    calibrated = [row for row in ERRORS if row["measure"] == "ece" and row["sharpened"] == 1.0]
    assert max(row["percentile"] for row in calibrated) == 0.0


def test_none_of_the_usual_ways_is_enough_and_the_triangle_alone_is_wider() -> None:
    for method in ("percentile", "basic", "shifted", "envelope"):
        assert min(row[method] for row in ERRORS) < 0.7
    sums = [row for row in ERRORS if row["measure"] not in ("cece", "ece_variance")]
    assert np.median([row["triangle_width"] / row["width"] for row in sums]) > 1.1


def test_all_draws_at_once_are_those_of_the_measures() -> None:
    rng = np.random.default_rng(1)
    honest, p = calibration.drawn(500, 4, 1.3, rng)
    label = (rng.random((500, 1)) > np.cumsum(honest, axis=1)[:, :-1]).sum(axis=1)
    times = rng.poisson(1.0, (3, 500)).astype(np.float32)
    found = calibration.redrawn(p, label, times)
    for number, weights in enumerate(times):
        alone = measure_calibration(ModelPredictions.from_probabilities(p), label, weights)
        for name in SUMMED_ERRORS:
            assert found[name][number] == pytest.approx(alone.gaps(name), abs=1e-7)
        assert found["classes"][number] == pytest.approx(alone.by_class.gaps, abs=1e-7)
        assert found["class_ace"][number] == pytest.approx([alone.class_ace(k) for k in range(4)], abs=1e-7)
        assert found["brier"][number] == pytest.approx(alone.brier, abs=1e-7)


@pytest.mark.verify
@pytest.mark.parametrize("number", [0, 4])
def test_again(number: int) -> None:
    again(calibration.STUDY, number, 60, ("coverage",))
