"""Evenhand, from Parquet to findings: all estimates of the bias audit with their analytic intervals."""

from __future__ import annotations

import json
import resource
import sys
import time

import evenhand as eh
from evenhand.measures.bias import COMPARISONS

REPEATS = 7


def main(path: str) -> None:
    groups = [f"g{number}" for number in range(24)]
    eh.audit  # noqa: B018 (imports are not part of the measurement, here or there)
    import evenhand.reports  # noqa: F401

    seconds = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        report = eh.audit(path, score="p", label="toxic", groups=groups)
        seconds.append(time.perf_counter() - started)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    (finding,) = report.findings
    values = {g: {c.name: finding.get(c.name, group=g).value for c in COMPARISONS} for g in groups}
    print(json.dumps({"seconds": seconds, "peak_mb": peak, "values": values, "estimates": len(finding.estimates)}))


if __name__ == "__main__":
    main(sys.argv[1])
