"""How many labels of a list are wrong, from a random part of it that was labelled again.

The list is finite and the part is drawn without replacement, so the number of hits is hypergeometric: the interval has
every number of errors in the list that the answers do not contradict (exact, equal tails).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand import arrays
from evenhand.errors import InputError
from evenhand.estimate import Estimate

METHOD = "hypergeometric"


@dataclass(frozen=True, slots=True)
class LabelErrors:
    """The number of wrong labels in a list and their share, with what was labelled again.

    >>> errors = eh.measurement.estimate_label_errors(200, [True] * 20 + [False] * 30)
    >>> errors.listed, errors.relabelled
    (200, 50)
    """

    number: Estimate
    share: Estimate
    listed: int
    relabelled: int
    different: int
    unclear: int

    def sentence(self) -> str:
        """The answer in words."""
        low, high = (round(end or 0.0) for end in (self.number.low, self.number.high))
        unclear = f"; {self.unclear:,} could not be told" if self.unclear else ""
        seen = f"of {self.relabelled:,} drawn at random, {self.different:,} were labelled differently{unclear}"
        if self.number.value is None:
            return f"How many of the {self.listed:,} listed labels are wrong is undetermined: {self.number.note}."
        return (
            f"About {round(self.number.value):,} of the {self.listed:,} listed labels are wrong ({low:,} to {high:,}, "
            f"{100.0 * self.number.level:g} % confidence): {seen}."
        )


def estimate_label_errors(listed: int, differs: Sequence[bool | None], *, level: float = 0.95) -> LabelErrors:
    """From a random part of a list: whether each second label differs from the first (None: cannot tell).

    What could not be told counts as an error at the upper end of the interval and as none at the lower end.

    >>> eh.measurement.estimate_label_errors(200, [True] * 20 + [False] * 30).sentence()[:52]
    'About 80 of the 200 listed labels are wrong (57 to 1'
    """
    arrays.share(level, "`level`")
    drawn, hits, unclear = len(differs), sum(d is True for d in differs), sum(d is None for d in differs)
    if not 0 < drawn <= listed:
        raise InputError(f"invalid: {drawn:,} labels of a list of {listed:,} (at least 1, at most the list)")
    low, high = _errors_possible(listed, drawn, hits, hits + unclear, (1.0 - level) / 2.0)
    if unclear == drawn:
        number = Estimate.undefined("no answer says whether an item violates", level=level, n=drawn)
        share = number
    else:
        value = min(max(listed * hits / (drawn - unclear), low), high)
        number = Estimate(value, low, high, level, METHOD, drawn)
        share = Estimate(value / listed, low / listed, high / listed, level, METHOD, drawn)
    return LabelErrors(number, share, listed, drawn, hits, unclear)


def _errors_possible(listed: int, drawn: int, fewest: int, most: int, tail: float) -> tuple[float, float]:
    """The smallest and largest number of errors in the list that these counts do not contradict."""
    errors = np.arange(listed + 1)
    from scipy.stats import hypergeom  # a second to import, and few need it

    at_least = hypergeom.sf(fewest - 1, listed, errors, drawn)
    at_most = hypergeom.cdf(most, listed, errors, drawn)
    low, high = errors[at_least > tail], errors[at_most > tail]
    return float(max(low[0], fewest)), float(min(high[-1], listed - (drawn - most)))
