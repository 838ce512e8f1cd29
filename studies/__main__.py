"""python -m studies [NAME …]: run all studies, or some."""

from __future__ import annotations

import sys

from studies import (
    anytime,
    calibration,
    collaboration,
    coverage,
    design,
    differences,
    familywise,
    gaps,
    perspective,
    planning,
    promises,
    rivals,
    sampling,
    summaries,
    survey,
)

MODULES = (
    coverage,
    differences,
    gaps,
    design,
    summaries,
    familywise,
    promises,
    collaboration,
    planning,
    calibration,
    rivals,
    perspective,
    sampling,
    anytime,
    survey,
)
STUDIES = {module.STUDY.name: module.STUDY for module in MODULES}

if __name__ == "__main__":
    for name in sys.argv[1:] or STUDIES:
        STUDIES[name].write(STUDIES[name].everything())
