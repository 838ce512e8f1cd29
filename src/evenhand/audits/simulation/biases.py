"""Whether a bias is more than chance: many designs are looked at, and one of them will look biased by chance alone.

Three words by strength. Up to the bar of a single look (1.96 errors at 95 %) no bias is seen. From the bar of all looks
(Bonferroni's: the level is shared among all biases of the simulation) a design is biased. In between it perhaps is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evenhand.audits.simulation.bench import BIAS_IN_ERRORS
from evenhand.finding import Measured
from evenhand.sampling.targets import two_sided

LEVEL = 0.95
SEEN, PERHAPS, SURE = "no bias seen", "perhaps biased", "biased"


@dataclass(frozen=True)
class Bars:
    """Monte-Carlo errors from which a bias is perhaps one, and from which it is one, with so many of them looked at."""

    looks: int

    @classmethod
    def of(cls, measured: Iterable[Measured]) -> Bars:
        """For all biases of a simulation."""
        return cls(max(1, sum(m.measure == BIAS_IN_ERRORS for m in measured)))

    @property
    def perhaps(self) -> float:
        """The bar of a single look."""
        return two_sided(LEVEL)

    @property
    def sure(self) -> float:
        """The bar of all looks: even one beyond it comes in at most one simulation in twenty by chance."""
        return two_sided(1.0 - (1.0 - LEVEL) / self.looks)

    def word(self, errors: float) -> str:
        """What so many errors come to."""
        if abs(errors) > self.sure:
            return SURE
        return PERHAPS if abs(errors) > self.perhaps else SEEN
