"""Figures of a simulation."""

from __future__ import annotations

from evenhand.estimate import Estimate
from evenhand.figures import draw_figures
from evenhand.finding import Finding, Measured


def test_a_simulation_without_strata_and_pilots_has_no_figures() -> None:
    share = Measured("prevalence", {}, Estimate.exact(0.1, level=0.95, n=9))
    needed = (
        Measured("labels_needed", {"within": "0.2", "design": design}, Estimate.exact(9.0, level=0.95, n=9))
        for design in ("random", "default")
    )
    assert list(draw_figures(Finding("simulation", "?", (share, *needed), (), {}))) == []
