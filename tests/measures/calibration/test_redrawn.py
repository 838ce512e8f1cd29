"""Many redraws at once: each is what measuring its rows gives."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.measures.calibration import (
    Bins,
    Calibration,
    ModelPredictions,
    measure_calibration,
    two_class_probabilities,
)
from evenhand.measures.calibration import grid as scales
from evenhand.measures.calibration.cells import FinePlaces, PredictionCells, bin_edges
from evenhand.measures.calibration.redrawn import RedrawnCells, equal_mass_sums

NUMBERS = "ece ace sce cece msece wsece ece_variance brier log_loss accuracy weighted_f1".split()  # noqa: SIM905


def made(rows: int, seed: int, digits: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    p = 1.0 / (1.0 + np.exp(1.5 - 1.5 * rng.standard_normal(rows)))
    p = p if digits is None else np.round(p, digits)
    return p, (rng.random(rows) < p**1.3).astype(np.int64)


def counted(p: np.ndarray, label: np.ndarray, bins: Bins) -> PredictionCells:
    grid = ModelPredictions.from_probabilities(two_class_probabilities(p)).classes[1]
    return PredictionCells.from_rows(FinePlaces.from_grid(grid, bin_edges([bins.count])), p, label, None)


def values(found: Calibration, draw: int | None = None) -> dict[str, float]:
    def one(value: np.ndarray) -> float:
        return float(value if draw is None else np.asarray(value)[draw])

    numbers = {name: one(getattr(found, name)) for name in NUMBERS}
    for k in range(2):
        numbers |= {f"class_ece {k}": one(found.class_ece(k)), f"class_ace {k}": one(found.class_ace(k))}
        numbers[f"class_brier {k}"] = one(found.class_briers[..., k])
    return numbers


@pytest.mark.parametrize("by", ["width", "mass"])
@pytest.mark.parametrize("digits", [None, 2, 1])
def test_items_redrawn_are_rows_with_weights(by, digits) -> None:
    p, label = made(300, 1, digits)
    bins = Bins(7, by)
    cells = counted(p, label, bins).for_redraws(cut_anew=True)
    every = np.unique(p)
    rng, draws = np.random.default_rng(2), 5
    times = np.zeros((2, len(every), draws))
    weights = rng.poisson(1.0, (draws, len(p))).astype(float)
    for row in range(len(p)):
        times[label[row], np.searchsorted(every, p[row])] += weights[:, row]
    found = RedrawnCells.from_items(cells, np.concatenate(times)).measure(bins)
    predictions = ModelPredictions.from_probabilities(two_class_probabilities(p))
    for draw in range(draws):
        exact = values(measure_calibration(predictions, label, weights[draw], bins=bins))
        assert values(found, draw) == pytest.approx(exact, abs=1e-9), draw


def test_labels_redrawn_are_rows_with_other_labels() -> None:
    p, _ = made(300, 3, 2)
    bins, rng = Bins(10), np.random.default_rng(4)
    labels = (rng.random((6, len(p))) < p).astype(np.int64)
    cells, every = counted(p, labels[0], bins), np.unique(p)
    violating = np.stack([np.bincount(np.searchsorted(every, p), one, len(every)) for one in labels], axis=1)
    found = RedrawnCells.from_labels(cells, violating).measure(bins)
    predictions = ModelPredictions.from_probabilities(two_class_probabilities(p))
    for draw, label in enumerate(labels):
        assert values(found, draw) == pytest.approx(
            values(measure_calibration(predictions, label, bins=bins)), abs=1e-9
        )


@pytest.mark.parametrize("fine", ["a cell per value", "cells of floating point"])
def test_large_cells_have_the_sums_of_the_items(fine, monkeypatch) -> None:
    if fine != "a cell per value":
        monkeypatch.setattr(scales, "MOST_DISTINCT_ROWS", 0)
    p, label = made(20_000, 5)
    p[:40] = np.repeat(np.arange(1, 11) / 10, 4)  # on the edges of bins
    bins = Bins(10)
    cells = counted(p, label, bins).for_redraws(cut_anew=False)
    assert len(cells.items) < 100
    assert not cells.small
    found = RedrawnCells.from_items(cells, cells.items.T.reshape(-1, 1)).measure(bins)
    exact = measure_calibration(ModelPredictions.from_probabilities(two_class_probabilities(p)), label, bins=bins)
    assert values(found, 0) == pytest.approx(values(exact), abs=2e-5)  # cells at the edges of equal mass are split
    for name in ("ece", "sce", "cece", "brier", "log_loss"):
        assert values(found, 0)[name] == pytest.approx(values(exact)[name], abs=1e-9)


def test_edges_of_equal_mass_move_as_cutting_anew_moves_them() -> None:
    """To first order: gaps scatter as in rows redrawn and cut anew, which is not how they scatter in bins that stay."""
    p, _ = made(10_000, 6)
    rng = np.random.default_rng(7)
    label = (rng.random(len(p)) < np.clip(p + 0.5, 0, 1)).astype(np.int64)  # far off: what crosses an edge matters
    order = np.argsort(p)
    surplus, gaps = (label - p)[order], []
    for _ in range(1000):
        weight = rng.poisson(1.0, len(p)).astype(float)
        mass, sums = (np.concatenate(([0.0], np.cumsum(x))) for x in (weight, weight * surplus))
        gaps.append(np.diff(np.interp(mass[-1] * np.arange(6) / 5, mass, sums)) / mass[-1])
    cells = counted(p, label, Bins(5)).merged(60)
    influence = cells.mass_gap_influence(5)
    error = np.sqrt((cells.items[:, :, None] * influence**2).sum(axis=(0, 1))) / len(p)
    assert error == pytest.approx(np.std(gaps, axis=0), rel=0.1)
    still = [np.std(part) * np.sqrt(len(part)) / len(p) for part in np.array_split(surplus, 5)]
    assert np.abs(np.array(still) / error - 1.0).max() > 0.15


def test_bins_of_equal_mass_are_cut_in_each_draw() -> None:
    rng = np.random.default_rng(9)
    mass, value = rng.integers(0, 4, (30, 6)).astype(float), rng.random((30, 1))
    weight, sums = equal_mass_sums((mass, mass * value), 4)
    for draw in range(6):
        units = np.repeat(value[:, 0], (1000 * mass[:, draw]).astype(int))  # a thousand pieces of every item
        pieces = np.array_split(units, 4)
        assert weight[draw] == pytest.approx([mass[:, draw].sum() / 4] * 4)
        assert sums[draw] == pytest.approx([piece.sum() / 1000 for piece in pieces], abs=2e-3)
