"""How well a score puts violating items above benign ones."""

from __future__ import annotations

import numpy as np

from evenhand.errors import Undefined
from evenhand.tally import Classes, Mass, dot


def auc(high: Mass, low: Mass) -> float:
    """P(an item of `high` scores above an item of `low`), a tie counting one half."""
    if not high.total.weight or not low.total.weight:
        raise Undefined("one of the two samples is empty")
    return share(dot(high.weight, low.below) / high.total.weight)


def share(value: float) -> float:
    """A share, rid of the rounding that weights may bring in beyond 0 and 1."""
    return min(max(value, 0.0), 1.0)


def auroc(classes: Classes) -> float:
    """The area under the ROC curve: violating against benign items."""
    return auc(classes.violating, classes.benign)


def average_precision(classes: Classes) -> float:
    """Σ (R_k − R_{k−1}) P_k over distinct scores from the highest down, tied items taken together."""
    found, missed = classes.violating.weight[::-1], classes.benign.weight[::-1]
    if not classes.violating.total.weight:
        raise Undefined("there are no violating items")
    hits = np.cumsum(found)
    flagged = hits + np.cumsum(missed)
    precision = np.divide(hits, flagged, out=np.zeros_like(hits), where=flagged > 0)
    return dot(found, precision) / classes.violating.total.weight


def auprc_interpolated(classes: Classes) -> float:
    """The area under the precision-recall curve with neighbouring points joined as Davis and Goadrich (2006) do.

    Between two distinct scores the false alarms grow in proportion to the hits, so hits = slope · flagged + start, and
    the area of hits / flagged has a logarithm in it.
    """
    total = classes.violating.total.weight
    if not total:
        raise Undefined("there are no violating items")
    found, missed = classes.violating.weight[::-1], classes.benign.weight[::-1]
    steps = found > 0.0
    hits, flagged = np.cumsum(found), np.cumsum(found + missed)
    after, step = flagged[steps], (found + missed)[steps]
    slope, before = found[steps] / step, after - step
    start = hits[steps] - slope * after
    ratio = np.divide(after, before, out=np.ones_like(after), where=before > 0)
    return share(dot(slope, found[steps] + start * np.log(ratio)) / total)
