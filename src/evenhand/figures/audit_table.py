"""Which audit is drawn how: one row for each.

A new audit with figures adds a module beside this one and its row here, by the audit's name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from evenhand.audits.accuracy import NAME as ACCURACY
from evenhand.audits.bias import NAME as BIAS
from evenhand.audits.calibration import NAME as CALIBRATION
from evenhand.audits.collaboration import NAME as COLLABORATION
from evenhand.audits.perspective import NAME as PERSPECTIVE
from evenhand.comparison.chart_finding import NAME as PERIODS
from evenhand.figures import (
    accuracy,
    bias,
    calibration,
    collaboration,
    migration,
    periods,
    perspective,
    plan,
    simulation,
)
from evenhand.figures.figure import Figure
from evenhand.finding import Finding
from evenhand.measurement.simulation.simulate import NAME as SIMULATION
from evenhand.migration import NAME as MIGRATION
from evenhand.staffing.plan import NAME as PLAN

FIGURES: dict[str, Callable[[Finding], Iterator[Figure]]] = {
    ACCURACY: accuracy.draw_accuracy,
    BIAS: bias.draw_bias,
    CALIBRATION: calibration.draw_calibration,
    COLLABORATION: collaboration.draw_collaboration,
    MIGRATION: migration.draw_migration,
    PERIODS: periods.draw_periods,
    PERSPECTIVE: perspective.draw_perspective,
    PLAN: plan.draw_plan,
    SIMULATION: simulation.draw_simulation,
}


def draw_figures(finding: Finding) -> list[Figure]:
    """All figures of a finding; an audit without a row here has none."""
    draw = FIGURES.get(finding.audit)
    return list(draw(finding)) if draw else []
