"""The four samples of one group: inside or outside it, violating or benign.

They lie on the coarsest grid on which every comparison with the group stays exact. Where nobody of the group has a
score, the items outside can be heaped together: between two neighbouring scores of the group no member is passed. A
group with r distinct scores needs r cells for itself and 2r + 1 for the items outside (the odd ones at the group's
scores, the even ones between), however many millions of scores the others have.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Floats, Int32s
from evenhand.memo import Memo
from evenhand.tally.mass import Classes, Mass, Prefix, dot

if TYPE_CHECKING:
    from evenhand.tally.tally import GroupTally


class GroupSample(NamedTuple):
    """Which of the four samples."""

    inside: bool
    violating: bool


@dataclass(frozen=True)
class Split:
    """A group (`inside`, on its r cells) and its background (`outside`, on 2r + 1)."""

    members: GroupTally
    blurred: npt.NDArray[np.bool_] | None = None  # which of the r cells hold more than one score; None: none does

    @property
    def inside(self) -> Classes:
        """The group."""
        return self.members.inside

    @cached_property
    def outside(self) -> Classes:
        """Everybody annotated, less the group."""
        parts = zip(self._bounds, self.members.universe, self.inside, strict=True)
        return Classes(*(_heap_up(bounds, universe, own) for bounds, universe, own in parts))

    def sample(self, which: GroupSample) -> Mass:
        """One of the four."""
        return (self.inside if which.inside else self.outside).mass(violating=which.violating)

    def placements(self, own: GroupSample, other: GroupSample) -> Floats:
        """For each cell of `own`, the share of `other` that scores lower, a tie counting one half."""
        if own.inside and other.inside:
            return self.sample(other).below
        if not own.inside and not other.inside:
            raise ValueError("two samples outside the group are not told apart between its scores")
        make = self._outside_below if own.inside else self._inside_below
        return self._kept.once((own.inside, other.violating), lambda: make(other.violating))

    @cached_property
    def _kept(self) -> Memo:
        """Placements, by which side is placed and among which class."""
        return Memo()

    def shares_above(self, *, violating: bool) -> tuple[Floats, Floats]:
        """Shares of background and group at or above every edge of the group's cells, from the highest edge down."""
        own = self.inside.mass(violating=violating).prefixes[0]
        everybody = self._bounds[0 if violating else 1][0]
        inside = np.concatenate(([0.0], np.repeat(own, 2)[1:-1], own[-1:]))
        return tuple(1.0 - below[::-1] / below[-1] for below in (everybody - inside, inside))

    def unresolved(self, high: GroupSample, low: GroupSample) -> float:
        """How far the AUC of two samples may be off because scores were binned: half the pairs that share a cell."""
        if self.blurred is None:
            return 0.0
        at = [self.sample(which).weight[slice(None) if which.inside else slice(1, None, 2)] for which in (high, low)]
        shared = dot(at[0][self.blurred], at[1][self.blurred])
        return 0.5 * shared / (self.sample(high).total.weight * self.sample(low).total.weight) if shared else 0.0

    @cached_property
    def _bounds(self) -> tuple[tuple[Floats, ...], ...]:
        """Per class and part: how much of everybody lies before each end of each of the 2r + 1 cells."""
        edges = _edges(self.members.cells)
        return tuple(tuple(_at(prefix, edges) for prefix in mass.prefixes) for mass in self.members.universe)

    def _outside_below(self, violating: bool) -> Floats:
        """The share of the background below each of the group's r cells."""
        everybody = self._bounds[0 if violating else 1][0]
        own = self.inside.mass(violating=violating).prefixes[0]
        below = everybody[1:-1:2] + everybody[2:-1:2] - own[:-1] - own[1:]
        below *= 0.5 / self.outside.mass(violating=violating).total.weight
        return below

    def _inside_below(self, violating: bool) -> Floats:
        """The share of the group below each of the 2r + 1 cells."""
        own = self.inside.mass(violating=violating)
        shares = np.empty(2 * len(own.weight) + 1)
        shares[0::2] = own.prefixes[0] / own.total.weight
        shares[1::2] = own.below
        return shares


def _edges(cells: Int32s) -> npt.NDArray[np.int64]:
    """Where each cell of the group starts and stops on the grid of the tally."""
    edges = np.empty(2 * len(cells), dtype=np.int64)
    edges[0::2] = cells
    np.add(cells, 1, out=edges[1::2])
    return edges


def _at(prefix: Prefix, edges: npt.NDArray[np.int64]) -> Floats:
    bounds = np.empty(len(edges) + 2)
    bounds[0], bounds[-1] = 0.0, prefix[-1]
    bounds[1:-1] = prefix[edges]
    return bounds


def _heap_up(bounds: tuple[Floats, ...], universe: Mass, own: Mass) -> Mass:
    """What lies between the bounds, less the group's own at its cells."""
    parts = tuple(np.diff(bound) for bound in bounds)
    for heaps, part in zip(parts, own.parts, strict=True):
        heaps[1::2] -= part
    heaped = Mass(*parts, heaviest=universe.heaviest)
    heaped.are_importances = universe.are_importances
    heaped.total = universe.total - own.total
    return heaped
