"""Which audit is shown how."""

from __future__ import annotations

from evenhand.reports import (
    accuracy,
    bias,
    calibration,
    calibrators,
    collaboration,
    comparison,
    perspective,
    simulation,
)
from evenhand.reports.section import Section

SECTIONS: dict[str, Section] = {
    "accuracy": accuracy.SECTION,
    "bias": bias.SECTION,
    "calibration": calibration.SECTION,
    "calibrators": calibrators.SECTION,
    "collaboration": collaboration.SECTION,
    "comparison": comparison.SECTION,
    "perspective": perspective.SECTION,
    "simulation": simulation.SECTION,
}
