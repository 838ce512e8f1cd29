"""Which audit is shown how: one row for each. `SECTIONS` has what a page, a terminal and the files show.

The summary has the verdicts of the findings; one without any is summarised by its significant estimates and readings.
"""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.audits.accuracy import NAME as ACCURACY
from evenhand.audits.bias import NAME as BIAS
from evenhand.audits.calibration import NAME as CALIBRATION
from evenhand.audits.collaboration import NAME as COLLABORATION
from evenhand.audits.perspective import NAME as PERSPECTIVE
from evenhand.audits.registry import verdicts_of
from evenhand.comparison.chart_finding import NAME as PERIODS
from evenhand.comparison.runs import NAME as COMPARISON
from evenhand.finding import Finding
from evenhand.measurement.simulation.simulate import NAME as SIMULATION
from evenhand.migration import NAME as MIGRATION
from evenhand.recalibration.comparison import NAME as CALIBRATORS
from evenhand.reports import (
    accuracy,
    bias,
    calibration,
    calibrators,
    collaboration,
    comparison,
    migration,
    periods,
    perspective,
    plan,
    simulation,
)
from evenhand.reports.section import Section
from evenhand.reports.summary import AuditVerdict, ReportSummary, plain_verdicts
from evenhand.staffing.plan import NAME as PLAN

SECTIONS: dict[str, Section] = {
    ACCURACY: accuracy.SECTION,
    BIAS: bias.SECTION,
    CALIBRATION: calibration.SECTION,
    CALIBRATORS: calibrators.SECTION,
    COLLABORATION: collaboration.SECTION,
    COMPARISON: comparison.SECTION,
    MIGRATION: migration.SECTION,
    PERIODS: periods.SECTION,
    PERSPECTIVE: perspective.SECTION,
    PLAN: plan.SECTION,
    SIMULATION: simulation.SECTION,
}


SIGNIFICANCE_NOTE = (
    "Statistical significance is corrected for multiple comparisons. A difference that is not "
    "statistically significant may still exist: the intervals show how large it may be."
)


def summarise(findings: Sequence[Finding]) -> ReportSummary:
    """The verdicts of all findings, in their order, and notes on all of them."""
    verdicts = [
        AuditVerdict(finding.audit, verdict)
        for finding in findings
        for verdict in verdicts_of(finding) or plain_verdicts(finding)
    ]
    return ReportSummary(tuple(verdicts), (SIGNIFICANCE_NOTE, *_first_caveats(findings)))


def _first_caveats(findings: Sequence[Finding]) -> list[str]:
    """The first caveat of each finding."""
    return list(dict.fromkeys(finding.caveats[0] for finding in findings if finding.caveats))
