"""How well a score ranks violating items above benign ones: AUC, average precision, area under precision and recall."""

from __future__ import annotations

import numpy as np

from evenhand.errors import Undefined
from evenhand.tally import Classes, Mass, dot


def auc(high: Mass, low: Mass) -> float:
    """P(an item of `high` scores above an item of `low`), a tie counting one half."""
    if not high.total.weight or not low.total.weight:
        raise Undefined("one of the two samples is empty")
    return clip_share(dot(high.weight, low.below) / high.total.weight)


def clip_share(value: float) -> float:
    """A share, rid of the rounding that weights may bring in beyond 0 and 1."""
    return min(max(value, 0.0), 1.0)


def auroc(classes: Classes) -> float:
    """The area under the ROC curve: violating against benign items."""
    return auc(classes.violating, classes.benign)


def average_precision(classes: Classes) -> float:
    """Σ (R_k − R_{k−1}) P_k over distinct scores from the highest down, tied items taken together."""
    violating, benign = classes.violating.weight[::-1], classes.benign.weight[::-1]
    if not classes.violating.total.weight:
        raise Undefined("there are no violating items")
    hits = np.cumsum(violating)
    flagged = hits + np.cumsum(benign)
    precision = np.divide(hits, flagged, out=np.zeros_like(hits), where=flagged > 0)
    return dot(violating, precision) / classes.violating.total.weight


def auprc_interpolated(classes: Classes) -> float:
    """The area under the precision-recall curve with neighbouring points joined as Davis and Goadrich (2006) do.

    Between two distinct scores the false alarms grow in proportion to the hits, so hits = slope · flagged + start, and
    the area of hits / flagged has a logarithm in it.
    """
    total = classes.violating.total.weight
    if not total:
        raise Undefined("there are no violating items")
    violating, benign = classes.violating.weight[::-1], classes.benign.weight[::-1]
    steps = violating > 0.0
    hits, flagged = np.cumsum(violating), np.cumsum(violating + benign)
    after, step = flagged[steps], (violating + benign)[steps]
    slope, before = violating[steps] / step, after - step
    start = hits[steps] - slope * after
    ratio = np.divide(after, before, out=np.ones_like(after), where=before > 0)
    return clip_share(dot(slope, violating[steps] + start * np.log(ratio)) / total)
