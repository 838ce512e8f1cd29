"""The way people do it today: pandas masks, scikit-learn's AUC, SciPy's Mann-Whitney U. Point estimates only."""

from __future__ import annotations

from typing import Any

import pandas as pd
from scipy.stats import mannwhitneyu
from sklearn.metrics import roc_auc_score

from benchmarks.clock import timed

SCORE, LABEL = "p", "toxic"


def notebook(path: str) -> dict[str, Any]:
    found, values = timed(lambda: every_group(pd.read_parquet(path)))
    return found | {"values": values}


def every_group(frame: pd.DataFrame) -> dict[str, dict[str, float]]:
    return {name: five(frame, name) for name in frame.columns if name.startswith("g")}


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


def auc(frame: pd.DataFrame) -> float:
    return float(roc_auc_score(frame[LABEL], frame[SCORE]))


def gap(group: pd.Series, background: pd.Series) -> float:
    """Positive when the group is scored higher."""
    return float(mannwhitneyu(group, background).statistic) / (len(group) * len(background)) - 0.5
