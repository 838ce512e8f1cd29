"""The interval of a share that holds whatever the score misses.

Labels that are drawn by a score are few where the score is low, and each stands for many items there. Violations that
the score cannot see leave no trace in a variance as long as none of them was drawn. So this interval allows for one
more violation than was drawn, which stands for as many items as a label does in the mean over all items: Clopper and
Pearson's idea for labels of unequal weight, after Fay and Feuer's (1997) for rates and with the mean weight of Tiwari,
Clegg and Zou (2006). Where all labels have the same weight it is close to Clopper and Pearson's. It contains the usual
interval, which assumes that what was not drawn is like what was.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from scipy.special import betaincinv

from evenhand.estimate import Estimate
from evenhand.intervals.survey import SurveyShare

ONE_MORE_VIOLATION = "one_more_violation"
TOLERANCE = 1.05  # times the upper end of the usual interval, from which the two disagree
UNEQUAL = 1.1  # times the weight of labels drawn with equal probability, from which a blind spot is possible
MOST_SPREAD = 0.999  # of the largest variance that a share of this mean can have


@dataclass(frozen=True, slots=True)
class RobustShare(SurveyShare):
    """The same share and variance, with the interval that holds whatever the score misses."""

    @classmethod
    def from_share(cls, share: SurveyShare) -> RobustShare:
        """From a share with the usual interval."""
        return cls(**{field.name: getattr(share, field.name) for field in fields(SurveyShare)})

    def estimate(self, level: float = 0.95) -> Estimate:
        """No narrower than the usual interval."""
        usual = SurveyShare.estimate(self, level)
        if usual.method == "exact" or usual.value is None or usual.low is None or usual.high is None:
            return usual
        low, high = robust_interval(self, level)
        ends = min(low, usual.low), max(high, usual.high)
        return Estimate(usual.value, *ends, level, ONE_MORE_VIOLATION, usual.n, flags=usual.flags)


def robust_interval(share: SurveyShare, level: float) -> tuple[float, float]:
    """Ends of two beta distributions: with one more violation than was drawn, and with one less."""
    value, weight = min(max(share.value, 0.0), 1.0), min(share.mean_weight or share.heaviest, 1.0)
    variance, tail = max(share.variance, share.cautious_variance), 0.5 * (1.0 - level)
    high = _beta_quantile(value + weight * (1.0 - value), variance + weight**2 * (1.0 - value), 1.0 - tail)
    low = _beta_quantile(value * (1.0 - weight), variance + weight**2 * value, tail)
    return low, high


def _beta_quantile(mean: float, variance: float, at: float) -> float:
    """Of the beta distribution with this mean and variance."""
    if not 0.0 < mean < 1.0 or variance <= 0.0:
        return min(max(mean, 0.0), 1.0)
    size = mean * (1.0 - mean) / min(variance, MOST_SPREAD * mean * (1.0 - mean)) - 1.0
    return float(betaincinv(mean * size, (1.0 - mean) * size, at))


def drawn_unequally(share: SurveyShare) -> bool:
    """Whether labels are fewer where most items are, so that a blind spot is possible."""
    return share.mean_weight * share.n > UNEQUAL


def intervals_disagree(share: SurveyShare, level: float) -> bool:
    """Whether clearly more violations are possible than the usual interval says."""
    usual, robust = share.estimate(level).high, RobustShare.from_share(share).estimate(level).high
    return (robust or 0.0) > TOLERANCE * (usual or 0.0)
