"""The calibration audit where items belong together, and where a row stands for several items."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from studies.clustered_calibration import STUDY

from evenhand.audits.calibration.dependence import LabelDependence
from evenhand.audits.calibration.quantities import OVERALL_MEASURES, CalibrationProbe, draw_replicates, measure_probe
from evenhand.audits.calibration.sample import ClassedSample
from evenhand.audits.calibration.settings import CalibrationSettings
from evenhand.evidence import ClassedRows
from evenhand.tally import Clusters, Weights

SETTINGS = CalibrationSettings(replicates=300, bins=5)


def sample(p: np.ndarray, y: np.ndarray, **more: Any) -> ClassedSample:
    rows = ClassedRows("p", ("no", "yes"), np.column_stack((1 - p, p)), y.astype(np.int32), None, {})
    return ClassedSample(rows._replace(**more))


def results(one: ClassedSample) -> dict[str, Any]:
    bins = SETTINGS.sorting()
    drawn = draw_replicates(one, [bins], SETTINGS, lambda *_: None)
    found = (measure_probe(one, drawn, CalibrationProbe(number, bins, {}), 0.95) for number in OVERALL_MEASURES)
    return {str(result.probe.number.measure): result for result in found}


@pytest.fixture(scope="module")
def scored() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    p = np.round(rng.random(60), 2)
    return p, rng.random(60) < p


def test_a_count_is_the_row_so_many_times(scored: tuple[np.ndarray, np.ndarray]) -> None:
    p, y = scored
    four = results(sample(p, y, weights=Weights.from_columns(count=np.full(60, 4.0))))
    rows = results(sample(np.repeat(p, 4), np.repeat(y, 4)))
    for name, one in four.items():
        other = rows[name]
        assert one.estimate.value == pytest.approx(other.estimate.value, rel=1e-9)
        assert one.estimate.n == other.estimate.n
        width = other.estimate.high - other.estimate.low
        assert one.estimate.low == pytest.approx(other.estimate.low, abs=0.2 * width)
        assert one.estimate.high == pytest.approx(other.estimate.high, abs=0.2 * width)
        spread = other.calibrated.high - other.calibrated.low
        assert one.calibrated.value == pytest.approx(other.calibrated.value, abs=0.1 * spread), name
        assert one.calibrated.high - one.calibrated.low == pytest.approx(spread, rel=0.25), name


def test_each_item_twice_as_clusters_is_each_item_once(scored: tuple[np.ndarray, np.ndarray]) -> None:
    p, y = scored
    once = results(sample(p, y))
    pairs = Clusters.from_codes(np.repeat(np.arange(60), 2))
    twice = results(sample(np.repeat(p, 2), np.repeat(y, 2), clusters=pairs))
    for name in ("ece", "brier", "accuracy"):
        widths = [found[name].estimate.high - found[name].estimate.low for found in (once, twice)]
        assert widths[1] / widths[0] == pytest.approx(1.05, abs=0.15), name
        spreads = [found[name].calibrated.high - found[name].calibrated.low for found in (once, twice)]
        assert spreads[1] / spreads[0] == pytest.approx(1.0, abs=0.25), name  # how alike labels are is estimated
    assert twice["ece"].estimate.method == "directional_bootstrap_by_cluster"


@pytest.mark.parametrize("planted", [0.0, 0.2, 0.6])
def test_how_alike_labels_are_is_found(planted: float) -> None:
    rng = np.random.default_rng(7)
    author = np.repeat(np.arange(400), 12)
    p = rng.random(len(author))
    table, clusters = np.column_stack((1 - p, p)), Clusters.from_codes(author)
    known = LabelDependence(table, np.ones(len(p)), clusters, (planted,))
    found = LabelDependence(table, np.ones(len(p)), clusters).fitted(known.redrawn(rng)).shared
    assert found == pytest.approx((planted,), abs=0.05)


def test_redrawn_labels_are_as_likely_as_the_model_says() -> None:
    rng, p = np.random.default_rng(3), np.array([[0.1, 0.3, 0.6], [0.5, 0.5, 0.0]])
    both = LabelDependence(p, np.array([5.0, 2.0]), Clusters.from_codes([0, 0]), (0.5,))
    drawn = np.mean([both.redrawn(rng) for _ in range(4000)], axis=0)
    assert drawn == pytest.approx(p * [[5.0], [2.0]], abs=0.12)


def test_few_clusters_are_not_tested(scored: tuple[np.ndarray, np.ndarray]) -> None:
    p, y = scored
    found = results(sample(p, ~y, clusters=Clusters.from_codes(np.arange(60) % 6)))
    assert all(result.p_value is None for result in found.values())


def test_the_study_holds() -> None:
    rows = STUDY.read()
    assert min(row["coverage"] for row in rows if row["measure"] != "false marks") >= 0.93
    assert max(row["coverage"] for row in rows if row["measure"] == "false marks") <= 0.05
    assert max(row["independent"] for row in rows if row["measure"] == "false marks") > 0.2
