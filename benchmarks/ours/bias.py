"""From Parquet to findings: all estimates of the bias audit with their analytic intervals."""

from __future__ import annotations

from typing import Any

import evenhand as eh
import evenhand.reports
from benchmarks.clock import timed
from benchmarks.data import GROUPS
from evenhand.measures.bias import COMPARISONS


def audit(path: str) -> dict[str, Any]:
    groups = [f"g{number}" for number in range(GROUPS)]
    eh.audit  # noqa: B018 (looked up lazily)
    found, report = timed(lambda: eh.audit(path, audits=["bias"], score="p", label="toxic", groups=groups), 7)
    (finding,) = report.findings
    values = {g: {c.name: finding.get(c.name, group=g).value for c in COMPARISONS} for g in groups}
    return found | {"values": values, "estimates": len(finding.estimates)}
