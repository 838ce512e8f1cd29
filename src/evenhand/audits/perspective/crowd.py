"""Annotators as they may be shown: nobody alone, no group of a handful."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand.evidence import Annotators
from evenhand.finding import Slice
from evenhand.measures.perspective import Annotations

FEWEST = 5  # annotators in a group that is shown
MANY = 20  # annotators, below which a group's numbers move with every one of them
OTHER = "other groups"

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Crowd:
    """Groups with at least five annotators each, and the group of each annotator."""

    names: tuple[str, ...]
    group: Numbers
    within: Numbers | None
    notes: tuple[str, ...]

    @classmethod
    def of(cls, annotators: Annotators) -> Crowd:
        """Groups that are too small are put together, if need be with the next smallest.

        So everybody is in a group, and the whole less the groups shown is nobody.
        """
        sizes = np.bincount(annotators.group, minlength=len(annotators.names))
        order = np.argsort(sizes, kind="stable")
        few = int((sizes < FEWEST).sum())
        reached = np.flatnonzero(np.cumsum(sizes[order]) >= FEWEST)
        together = max(few, int(reached[0]) + 1) if few and len(reached) else few
        other = set(order[:together].tolist())
        kept = [number for number in range(len(sizes)) if number not in other]
        place = np.full(len(sizes), len(kept), dtype=np.int64)
        place[kept] = np.arange(len(kept))
        names = tuple(annotators.names[number] for number in kept) + ((OTHER,) if other else ())
        within = None if annotators.within is None else annotators.within.astype(np.int64)
        return cls(names, place[annotators.group], within, _notes(few, together))

    @property
    def tests(self) -> int:
        """How many numbers of one model are tested: two a group, and the clusters."""
        return 2 * len(self.names) + 1

    @property
    def slices(self) -> list[tuple[int, Slice]]:
        """The number of each group with how it is filed, and last everybody."""
        groups: list[tuple[int, Slice]] = [(number, {"annotators": name}) for number, name in enumerate(self.names)]
        return [*groups, (len(self.names), {})]

    def labels(self, annotations: Annotations) -> Numbers:
        """How many labels each group gave, and last everybody."""
        found = np.bincount(annotations.of_group(self.group, len(self.names)), minlength=len(self.names) + 1)
        found[-1] = len(annotations)
        return found

    def sizes(self) -> Numbers:
        """How many annotators each group has, and last everybody."""
        inside = np.bincount(self.group, minlength=len(self.names))
        return np.append(inside, inside.sum())

    def member(self, number: int) -> npt.NDArray[np.bool_]:
        """Who is in a group; the number after the last is everybody."""
        return self.group == number if number < len(self.names) else np.ones(len(self.group), dtype=bool)


def _notes(few: int, together: int) -> tuple[str, ...]:
    if not few:
        return ()
    groups = "1 group" if few == 1 else f"{few} groups"
    left = f"{groups} with fewer than {FEWEST} annotators {'is' if few == 1 else 'are'} not shown, so that nobody is"
    more = ", with the next smallest," if together > few else ""
    return (f"{left}; these people{more} are put together as '{OTHER}'.",)
