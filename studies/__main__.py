"""python -m studies [NAME …]: run all studies, or some."""

from __future__ import annotations

import sys

from studies import coverage, design, differences, familywise, summaries

STUDIES = {s.name: s for s in (coverage.STUDY, differences.STUDY, design.STUDY, summaries.STUDY, familywise.STUDY)}

if __name__ == "__main__":
    for name in sys.argv[1:] or STUDIES:
        STUDIES[name].write(STUDIES[name].everything())
