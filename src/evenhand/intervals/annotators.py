"""A share that annotators see, put right for errors they are known to make (Rogan and Gladen's correction).

On gold items, whose truth is known, annotators catch a part of the violations (sensitivity) and pass a part of the rest
(specificity). What they see in the sample is a mixture of both, and the correction undoes it. Its variance carries that
of the gold items. At a rare prevalence a specificity just below 1 explains all that is seen: the correction says so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from evenhand import arrays
from evenhand.errors import InputError, Undefined
from evenhand.intervals.survey import Figure


@dataclass(frozen=True, slots=True)
class Gold:
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


def corrected(seen: Figure, gold: Gold) -> Figure:
    """The true share behind the one seen; kept between 0 and 1."""
    power = gold.sensitivity + gold.specificity - 1.0
    if power <= 0.0:
        raise Undefined("on gold items the annotators do no better than chance, so their labels cannot be corrected")
    value = min(max((seen.value + gold.specificity - 1.0) / power, 0.0), 1.0)
    caught, passed = _variance(gold.caught, gold.violating), _variance(gold.passed, gold.others)
    variance = (seen.variance + value**2 * caught + (1.0 - value) ** 2 * passed) / power**2
    return replace(seen, value=value, variance=variance, hits=value * seen.n, heaviest=seen.heaviest / power)


def _variance(part: int, whole: int) -> float:
    """Of a share of gold items; one of each kind is added, so that a perfect record is not taken for certainty."""
    share = (part + 1.0) / (whole + 2.0)
    return share * (1.0 - share) / whole
