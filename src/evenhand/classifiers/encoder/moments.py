"""From the logits of members, each perhaps with a variance of its own, to one probability and its spread."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

POINTS = 16  # of the quadrature: exact to many digits for a function as smooth as the logistic one


def moments(logits: Tensor, variances: Tensor, *, exclusive: bool, factor: float) -> tuple[Tensor, Tensor]:
    """Mean and variance [texts, classes] of p over members and over what each is unsure of: [members, texts, classes].

    A member's probability is that of its logit, drawn towards zero by the mean-field factor 1 / √(1 + factor · σ²). The
    variance is that between members and the mean of that within them, and never above p(1 − p), which none can exceed.
    """
    drawn = logits / torch.sqrt(1.0 + factor * variances)
    each = torch.softmax(drawn, dim=-1) if exclusive else torch.sigmoid(drawn)
    mean = each.mean(dim=0)
    between = (each - mean).square().mean(dim=0)
    within = _within(logits, variances, each, exclusive=exclusive).mean(dim=0) if bool((variances > 0).any()) else 0.0
    return mean, torch.minimum(between + within, mean * (1.0 - mean))


def _within(logits: Tensor, variances: Tensor, each: Tensor, *, exclusive: bool) -> Tensor:
    """The variance of p where the logit is normal; of several classes to first order."""
    if exclusive:
        slope = each * (1.0 - each)
        return slope.square() * variances + each.square() * (
            (each.square() * variances).sum(dim=-1, keepdim=True) - each.square() * variances
        )
    points, weights = np.polynomial.hermite_e.hermegauss(POINTS)
    first, second = torch.zeros_like(logits), torch.zeros_like(logits)
    for point, weight in zip(points.tolist(), (weights / weights.sum()).tolist(), strict=True):
        p = torch.sigmoid(logits + point * variances.sqrt())
        first, second = first + weight * p, second + weight * p.square()
    return (second - first.square()).clamp(min=0.0)
