"""A share estimated from a designed sample: its interval, and its correction for annotator error.

The interval has Wilson's form with the effective number of labels and Student's quantile. With few violations in the
sample it takes the larger variance and is the exact one of Clopper and Pearson on effective counts (Korn and
Graubard's), which is too wide rather than too narrow. docs/sampling.md shows the coverage.

On gold items, whose truth is known, annotators catch a part of the violations (sensitivity) and pass a part of the rest
(specificity). What they see in the sample is a mixture of both; Rogan and Gladen's correction undoes it, and Lang and
Reiczigel's interval carries the uncertainty of the gold items. At a rare prevalence a specificity just below 1 explains
all that is seen: the correction says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import betaincinv

from evenhand import arrays
from evenhand.errors import InputError, Undefined
from evenhand.estimate import Estimate, Flag
from evenhand.intervals.proportions import WilsonInterval
from evenhand.intervals.significance import ROUNDING, student_quantile

FEW_VIOLATIONS = 30.0  # violations in the sample, below which the interval is the cautious one and marked
SCORE, CAUTIOUS, CORRECTED = "survey_wilson", "korn_graubard", "lang_reiczigel"


@dataclass(frozen=True, slots=True)
class SurveyShare:
    """A share of a population, estimated from n labels, of which `hits` are violations.

    `heaviest` is the largest part of the population that a single label stands for; `cautious_variance` is a variance
    for cautious statements, no smaller than the variance, and `cautious_freedom` are its degrees of freedom. An
    interval counts no more effective labels than `most`. `mean_weight` is the part of the population that one label
    stands for, in the mean over all items; 0 where that is not known.
    """

    value: float
    variance: float
    freedom: float
    n: int
    hits: float
    heaviest: float
    cautious_variance: float = 0.0
    cautious_freedom: float = math.inf
    most: float = math.inf
    mean_weight: float = 0.0

    @property
    def error(self) -> float:
        """The standard error."""
        return math.sqrt(self.variance)

    def estimate(self, level: float = 0.95) -> Estimate:
        """With the default interval; marked where few violations were seen."""
        arrays.share(level, "the level")
        value = _rounded_share(self.value)
        if self.variance == 0.0 and self.heaviest == 0.0:
            return Estimate.exact(value, level=level, n=self.n)
        if self.variance > 0.0 and min(self.hits, self.n - self.hits) >= FEW_VIOLATIONS:
            low, high = score_interval(self, level)
            return Estimate(value, min(low, value), max(high, value), level, SCORE, self.n)
        low, high = korn_graubard_interval(self, level)
        return Estimate(value, min(low, value), max(high, value), level, CAUTIOUS, self.n).flagged(Flag.SMALL)

    def corrected(self, gold: GoldCounts) -> SurveyShare:
        """The true share, where annotators err as they do on gold items."""
        return correct_annotator_error(self, gold)


def score_interval(figure: SurveyShare, level: float) -> tuple[float, float]:
    """Wilson's interval on the effective number of labels."""
    value = min(max(figure.value, 0.0), 1.0)
    variance = max(figure.variance, value * (1.0 - value) / figure.most)
    return WilsonInterval.from_variance(value, variance, freedom=figure.freedom).interval(level)


def logit_interval(figure: SurveyShare, level: float) -> tuple[float, float]:
    """Symmetric on the logit scale."""
    centre = math.log(figure.value / (1.0 - figure.value))
    reach = student_quantile(level, figure.freedom) * figure.error / (figure.value * (1.0 - figure.value))
    low, high = (1.0 / (1.0 + math.exp(-(centre + side * reach))) for side in (-1.0, 1.0))
    return low, high


def log_interval(figure: SurveyShare, level: float) -> tuple[float, float]:
    """Symmetric on the logarithmic scale."""
    reach = math.exp(student_quantile(level, figure.freedom) * figure.error / figure.value)
    return figure.value / reach, min(1.0, figure.value * reach)


def normal_interval(figure: SurveyShare, level: float) -> tuple[float, float]:
    """The normal interval, as papers have it."""
    reach = student_quantile(level) * figure.error
    return figure.value - reach, figure.value + reach


def korn_graubard_interval(figure: SurveyShare, level: float) -> tuple[float, float]:
    """Clopper and Pearson's on effective counts, from the cautious variance."""
    value = _rounded_share(figure.value)
    labels = _effective_labels(figure, value, level)
    return clopper_pearson_interval(value * labels, labels, level)


def clopper_pearson_interval(hits: float, labels: float, level: float) -> tuple[float, float]:
    """The exact interval of a share of so many labels; both may be effective counts."""
    tail = (1.0 - level) / 2.0
    low = float(betaincinv(hits, labels - hits + 1.0, tail)) if hits > 0.0 else 0.0
    high = float(betaincinv(hits + 1.0, labels - hits, 1.0 - tail)) if hits < labels else 1.0
    return low, high


def _rounded_share(value: float) -> float:
    """From 0 to 1; a sum of shares that is 1 but for rounding is 1, since nothing but violations was seen."""
    return 0.0 if value < ROUNDING else 1.0 if value > 1.0 - ROUNDING else value


def _effective_labels(figure: SurveyShare, value: float, level: float) -> float:
    """Labels drawn at random that would tell as much; where nothing was seen, as many as the heaviest label allows."""
    variance = max(figure.variance, figure.cautious_variance)
    if not 0.0 < value < 1.0 or variance == 0.0:
        return min(figure.most, 1.0 / figure.heaviest if figure.heaviest > 0.0 else float(figure.n))
    freedom = figure.cautious_freedom if figure.cautious_variance > 0.0 else figure.freedom
    shrink = (student_quantile(level, freedom) / student_quantile(level)) ** 2
    return max(1.0, min(figure.most, value * (1.0 - value) / (shrink * variance)))


@dataclass(frozen=True, slots=True)
class GoldCounts:
    """Labels on items of known truth: violating ones and how many were called so, others and how many were passed."""

    violating: int
    caught: int
    others: int
    passed: int

    def __post_init__(self) -> None:
        for part, whole in ((self.caught, self.violating), (self.passed, self.others)):
            if arrays.whole(part, "a count of gold items", least=0) > arrays.whole(whole, "the gold items", least=2):
                raise InputError(f"{part} of {whole} gold items is not possible")

    @property
    def sensitivity(self) -> float:
        """The part of violating items that is called so."""
        return self.caught / self.violating

    @property
    def specificity(self) -> float:
        """The part of the other items that is passed."""
        return self.passed / self.others


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedShare(SurveyShare):
    """The true share behind the one that annotators saw, by Rogan and Gladen, with Lang and Reiczigel's interval.

    `hits` are the violations that annotators marked. A value of 0 means that their errors explain all of these.
    """

    seen: SurveyShare
    gold: GoldCounts

    @property
    def explained(self) -> bool:
        """Whether the errors of annotators explain everything they marked."""
        return self.value == 0.0 and self.hits > 0.0

    @property
    def gold_share(self) -> float:
        """The part of the variance that comes from the gold items."""
        power = self.gold.sensitivity + self.gold.specificity - 1.0
        return 1.0 - self.seen.variance / power**2 / self.variance if self.variance > 0.0 else 0.0

    @property
    def gold_needed(self) -> int:
        """Benign gold items of which the variance would be that of the sample."""
        passed = (self.gold.passed + 1.0) / (self.gold.others + 2.0)
        own = max(self.seen.variance, self.seen.cautious_variance, (self.seen.heaviest / 2.0) ** 2, ROUNDING)
        return math.ceil((1.0 - self.value) ** 2 * passed * (1.0 - passed) / own)

    def estimate(self, level: float = 0.95) -> Estimate:
        """With the interval that carries the uncertainty of the sample and of the gold items."""
        low, high = lang_reiczigel_interval(self.seen, self.gold, level)
        estimate = Estimate(self.value, min(low, self.value), max(high, self.value), level, CORRECTED, self.n)
        return estimate.flagged(Flag.SMALL) if min(self.hits, self.n - self.hits) < FEW_VIOLATIONS else estimate


def correct_annotator_error(seen: SurveyShare, gold: GoldCounts) -> CorrectedShare:
    """The true share behind the one seen; kept between 0 and 1."""
    power = gold.sensitivity + gold.specificity - 1.0
    if power <= 0.0:
        raise Undefined("on gold items the annotators do no better than chance, so their labels cannot be corrected")
    value = min(max((seen.value + gold.specificity - 1.0) / power, 0.0), 1.0)
    caught, passed = _gold_variance(gold.caught, gold.violating), _gold_variance(gold.passed, gold.others)
    variance = (seen.variance + value**2 * caught + (1.0 - value) ** 2 * passed) / power**2
    return CorrectedShare(value, variance, seen.freedom, seen.n, seen.hits, seen.heaviest / power, seen=seen, gold=gold)


def lang_reiczigel_interval(seen: SurveyShare, gold: GoldCounts, level: float) -> tuple[float, float]:
    """Lang and Reiczigel's (2014): all three shares with items of each kind added, and the centre moved.

    The sample counts with its effective labels.
    """
    z = student_quantile(level)
    value = _rounded_share(seen.value)
    labels = _effective_labels(seen, value, level) + z**2
    share = (value * (labels - z**2) + 0.5 * z**2) / labels
    sizes = gold.violating + 2.0, gold.others + 2.0
    caught, passed = (gold.caught + 1.0) / sizes[0], (gold.passed + 1.0) / sizes[1]
    power = max(caught + passed - 1.0, ROUNDING)
    centre = (share + passed - 1.0) / power
    spreads = caught * (1.0 - caught) / sizes[0], passed * (1.0 - passed) / sizes[1]
    moved = centre + 2.0 * z**2 * (centre * spreads[0] - (1.0 - centre) * spreads[1])
    variance = share * (1.0 - share) / labels + centre**2 * spreads[0] + (1.0 - centre) ** 2 * spreads[1]
    reach = z * math.sqrt(variance) / power
    return min(max(moved - reach, 0.0), 1.0), min(max(moved + reach, 0.0), 1.0)


def _gold_variance(part: int, whole: int) -> float:
    """Of a share of gold items; one of each kind is added, so that a perfect record is not taken for certainty."""
    share = (part + 1.0) / (whole + 2.0)
    return share * (1.0 - share) / whole
