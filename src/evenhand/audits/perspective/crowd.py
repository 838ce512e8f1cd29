"""Annotators as they may be shown: nobody alone, no group of a handful."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand.evidence import Annotators
from evenhand.measures.perspective import Annotations

FEWEST = 5  # annotators in a group that is shown
MANY = 20  # annotators, below which a group's numbers move with every one of them
OTHER = "other groups"

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Crowd:
    """Groups with at least five annotators each, and the group of each annotator; −1 is in none."""

    names: tuple[str, ...]
    group: Numbers
    within: Numbers | None
    notes: tuple[str, ...]

    @classmethod
    def of(cls, annotators: Annotators) -> Crowd:
        """Smaller groups are put together; where that is still too few, nothing of theirs counts.

        Otherwise the whole less the groups shown would be the few who are not.
        """
        sizes = np.bincount(annotators.group, minlength=len(annotators.names))
        small = np.flatnonzero(sizes < FEWEST)
        kept = [number for number in range(len(sizes)) if number not in small]
        together = int(sizes[small].sum()) >= FEWEST
        place = np.full(len(sizes), len(kept) if together else -1, dtype=np.int64)
        place[kept] = np.arange(len(kept))
        names = tuple(annotators.names[number] for number in kept) + ((OTHER,) if together else ())
        within = None if annotators.within is None else annotators.within.astype(np.int64)
        return cls(names, place[annotators.group], within, _notes(len(small), together=together))

    def labels(self, annotations: Annotations) -> Numbers:
        """How many labels each group gave, and last everybody."""
        found = np.bincount(annotations.of_group(self.group, len(self.names)), minlength=len(self.names) + 1)
        found[-1] = len(annotations)
        return found

    def sizes(self) -> Numbers:
        """How many annotators each group has, and last everybody."""
        inside = np.bincount(self.group[self.group >= 0], minlength=len(self.names))
        return np.append(inside, inside.sum())

    def shown(self, annotations: Annotations) -> Annotations:
        """The labels of those who are in a group."""
        inside = self.group[annotations.annotator] >= 0
        return annotations if inside.all() else annotations.only(inside)

    def member(self, number: int) -> npt.NDArray[np.bool_]:
        """Who is in a group; the number after the last is everybody."""
        return self.group == number if number < len(self.names) else self.group >= 0


def _notes(small: int, *, together: bool) -> tuple[str, ...]:
    if not small:
        return ()
    what = f"are put together as '{OTHER}'" if together else "are left out"
    groups = "1 group" if small == 1 else f"{small} groups"
    left = f"{groups} with fewer than {FEWEST} annotators {'is' if small == 1 else 'are'} not shown, so that nobody is"
    return (f"{left}; these people {what}.",)
