"""What a finding says its items are made of, against counts by hand."""

from __future__ import annotations

import numpy as np
import pytest

import evenhand as eh
from evenhand.audits.composition import COMPOSITION, Composition, part_codes, score_bands


def table(rows: int = 400) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    p = rng.random(rows)
    return {
        "p": p, "y": rng.random(rows) < p, "g": rng.random(rows) < 0.4, "language": rng.choice(["de", "en"], rows),
        "removed": p > 0.6,
    }  # fmt: skip


def test_a_bias_finding_counts_items_by_language_score_label_and_flag() -> None:
    data = table()
    finding = eh.audit(data, score="p", label="y", groups="g", slices="language", audits="bias").findings[0]
    made_of = {e.slice.get("group"): Composition.from_exhibit(e) for e in finding.exhibits if e.kind == COMPOSITION}
    for group, inside in ((None, np.ones(400, dtype=bool)), ("g", data["g"])):
        one = made_of[group]
        assert one.weights.sum() == inside.sum()
        for number, (part, band) in enumerate(one.cells):
            here = inside & (data["language"] == part) & (np.minimum((data["p"] * 20).astype(int), 19) == band)
            for label, flagged in np.ndindex(2, 2):
                rows = here & (data["y"] == bool(label)) & ((data["p"] >= 0.5) == bool(flagged))
                assert one.weights[number, label, flagged] == one.squares[number, label, flagged] == rows.sum()


def test_an_accuracy_finding_weighs_labels_by_their_inclusion() -> None:
    data = {**table(), "pi": np.where(np.arange(400) % 2, 0.5, 0.1)}
    roles = {"label": "y", "decision": "removed", "inclusion": "pi", "slices": "language", "audits": "accuracy"}
    finding = eh.audit(data, **roles).findings[0]
    (exhibit,) = (e for e in finding.exhibits if e.kind == COMPOSITION)
    made_of = Composition.from_exhibit(exhibit)
    weights = 1.0 / data["pi"]
    for number, (part, _) in enumerate(made_of.cells):
        rows = (data["language"] == part) & data["y"] & data["removed"]
        assert made_of.weights[number, 1, 1] == pytest.approx(weights[rows].sum())
        assert made_of.squares[number, 1, 1] == pytest.approx((weights[rows] ** 2).sum())


def test_a_usual_threshold_is_an_edge() -> None:
    assert score_bands(np.array([0.0, 0.5, np.nextafter(0.5, 0.0), 0.7, 1.0]), 5).tolist() == [0, 10, 10, 14, 19]
    assert score_bands(None, 2).tolist() == [-1, -1]


def test_columns_that_would_make_too_many_cells_are_left_out() -> None:
    rows = 600
    few = {"a": np.arange(rows) % 2 == 0, "b": np.arange(rows) % 2 == 1}
    many = {str(n): np.arange(rows) // 2 == n for n in range(300)}
    names, codes = part_codes({"few": few, "many": many}, rows)
    assert set(names) == {"a", "b"}
    assert np.array_equal(codes, np.arange(rows) % 2)
