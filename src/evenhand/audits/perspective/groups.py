"""Groups of annotators as they may be shown: nobody alone, no group of fewer than five."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Ints
from evenhand.audits.settings import SMALLEST_GROUP
from evenhand.evidence import Annotators
from evenhand.finding import Slice, SliceKey
from evenhand.measures.perspective import Annotations

MANY_ANNOTATORS = 20  # annotators, below which a group's numbers move with every one of them
OTHER_GROUPS = "other groups"


@dataclass(frozen=True)
class AnnotatorGroups:
    """Groups with enough annotators each, at least five, and the group of each annotator."""

    names: tuple[str, ...]
    group: Ints
    within: Ints | None
    notes: tuple[str, ...]
    smallest: int = SMALLEST_GROUP

    @classmethod
    def from_annotators(cls, annotators: Annotators, smallest: int = SMALLEST_GROUP) -> AnnotatorGroups:
        """Groups that are too small are put together, if need be with the next smallest.

        So everybody is in a group, and the whole less the groups shown is nobody. Of annotators no group of fewer than
        five is shown, also where it was asked for.
        """
        smallest = max(smallest, SMALLEST_GROUP)
        sizes = np.bincount(annotators.group, minlength=len(annotators.names))
        order = np.argsort(sizes, kind="stable")
        few = int((sizes < smallest).sum())
        reached = np.flatnonzero(np.cumsum(sizes[order]) >= smallest)
        together = max(few, int(reached[0]) + 1) if few and len(reached) else few
        other = set(order[:together].tolist())
        kept = [number for number in range(len(sizes)) if number not in other]
        place = np.full(len(sizes), len(kept), dtype=np.int64)
        place[kept] = np.arange(len(kept))
        names = tuple(annotators.names[number] for number in kept) + ((OTHER_GROUPS,) if other else ())
        within = None if annotators.within is None else annotators.within.astype(np.int64)
        return cls(names, place[annotators.group], within, _small_group_notes(few, together, smallest), smallest)

    @property
    def tests(self) -> int:
        """How many numbers of one model are tested."""
        return tests_of_a_model(len(self.names))

    @property
    def slices(self) -> list[tuple[int, Slice]]:
        """The number of each group with how it is filed, and last everybody."""
        groups: list[tuple[int, Slice]] = [
            (number, {SliceKey.ANNOTATORS: name}) for number, name in enumerate(self.names)
        ]
        return [*groups, (len(self.names), {})]

    def labels(self, annotations: Annotations) -> Ints:
        """How many labels each group gave, and last everybody."""
        label_counts = np.bincount(annotations.of_group(self.group, len(self.names)), minlength=len(self.names) + 1)
        label_counts[-1] = len(annotations)
        return label_counts

    def sizes(self) -> Ints:
        """How many annotators each group has, and last everybody."""
        inside = np.bincount(self.group, minlength=len(self.names))
        return np.append(inside, inside.sum())

    def member(self, number: int) -> npt.NDArray[np.bool_]:
        """Who is in a group; the number after the last is everybody."""
        return self.group == number if number < len(self.names) else np.ones(len(self.group), dtype=bool)


def tests_of_a_model(groups: int) -> int:
    """How many numbers of one model are tested: two a group, and the clusters."""
    return 2 * groups + 1


def _small_group_notes(few: int, together: int, smallest: int) -> tuple[str, ...]:
    if not few:
        return ()
    groups = "1 group" if few == 1 else f"{few} groups"
    hidden = f"{groups} with fewer than {smallest} annotators {'is' if few == 1 else 'are'} not shown separately"
    more = "; with the next smallest group," if together > few else ";"
    return (f"{hidden}, to protect their members{more} they are combined as '{OTHER_GROUPS}'.",)
