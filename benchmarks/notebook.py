"""The way people do it today: pandas masks, scikit-learn's AUC, SciPy's Mann-Whitney U. Point estimates only."""

from __future__ import annotations

import json
import resource
import sys
import time

import pandas as pd
from scipy.stats import mannwhitneyu
from sklearn.metrics import roc_auc_score

SCORE, LABEL = "p", "toxic"


def auc(frame: pd.DataFrame) -> float:
    return float(roc_auc_score(frame[LABEL], frame[SCORE]))


def gap(group: pd.Series, background: pd.Series) -> float:
    """Positive when the group is scored higher."""
    return float(mannwhitneyu(group, background).statistic) / (len(group) * len(background)) - 0.5


def five(frame: pd.DataFrame, group: str) -> dict[str, float]:
    inside, label = frame[group], frame[LABEL]
    group_positive, group_negative = frame[inside & label], frame[inside & ~label]
    other_positive, other_negative = frame[~inside & label], frame[~inside & ~label]
    return {
        "subgroup_auc": auc(frame[inside]),
        "bpsn_auc": auc(pd.concat([other_positive, group_negative])),
        "bnsp_auc": auc(pd.concat([group_positive, other_negative])),
        "negative_aeg": gap(group_negative[SCORE], other_negative[SCORE]),
        "positive_aeg": gap(group_positive[SCORE], other_positive[SCORE]),
    }


def main(path: str) -> None:
    started = time.perf_counter()
    frame = pd.read_parquet(path)
    found = {name: five(frame, name) for name in frame.columns if name.startswith("g")}
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": [seconds], "peak_mb": peak, "values": found}))


if __name__ == "__main__":
    main(sys.argv[1])
