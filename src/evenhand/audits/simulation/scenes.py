"""What is simulated on: a population for each model and label threshold."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from evenhand.finding import Slice
from evenhand.sampling import Strata
from evenhand.sampling import strata as cutting
from evenhand.sampling.simulation import Population, Urns

BY = {"equal_width": cutting.equal_width, "quantile": cutting.quantile}
ORACLE = "oracle"


@dataclass(frozen=True)
class Scene:
    """A population with all its labels. `slice` names the model and the label threshold where there are several."""

    slice: Slice
    here: Population
    _strata: dict[tuple[str, int], Strata] = field(default_factory=dict, repr=False)

    @cached_property
    def endless(self) -> Population:
        """The same without an end of items."""
        return self.here.endless()

    def strata(self, by: str, count: int) -> Strata:
        """Parts of the population along the score."""
        if (by, count) not in self._strata:
            score, label = self.here.score, self.here.label
            found = cutting.oracle(score, label, count) if by == ORACLE else BY[by](score, count)
            self._strata[by, count] = found
        return self._strata[by, count]

    def urns(self, by: str, count: int, *, endless: bool) -> Urns:
        """The same, counted."""
        times = self.endless.times if endless else 1
        return Urns.of(self.strata(by, count), self.here.label, times=times)
