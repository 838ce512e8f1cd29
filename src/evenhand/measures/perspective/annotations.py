"""Who said what about which item: three aligned columns of numbers, checked once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from evenhand.errors import InputError
from evenhand.tally import FloatArray

Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Annotations:
    """A row is one label: the number of the item, of the annotator and of the class, each counted from 0."""

    item: Numbers
    annotator: Numbers
    label: Numbers
    items: int
    annotators: int
    classes: int

    @classmethod
    def of(
        cls,
        item: npt.ArrayLike,
        annotator: npt.ArrayLike,
        label: npt.ArrayLike,
        *,
        size: tuple[int, int, int] | None = None,
    ) -> Annotations:
        """`size` is how many items, annotators and classes there are; without it, as many as occur."""
        columns = [
            _numbers(given, name) for given, name in ((item, "items"), (annotator, "annotators"), (label, "labels"))
        ]
        if len({len(column) for column in columns}) != 1:
            raise InputError("items, annotators and labels must be equally many: one of each per annotation")
        found = tuple(int(column.max()) + 1 if len(column) else 0 for column in columns)
        sizes = (*found[:2], max(found[2], 2)) if size is None else size
        for name, most, allowed in zip(("item", "annotator", "label"), found, sizes, strict=True):
            if most > allowed:
                raise InputError(f"{name} {most - 1} is out of range: they are counted from 0 to {allowed - 1}")
        first, second, third = columns
        return cls(first, second, third, *sizes)

    def __len__(self) -> int:
        return len(self.label)

    def only(self, rows: Mask | Numbers) -> Annotations:
        """Some of the rows; items, annotators and classes keep their numbers."""
        return replace(self, item=self.item[rows], annotator=self.annotator[rows], label=self.label[rows])

    def counts(self, rows: Mask | None = None) -> Numbers:
        """Items × classes: how often an item got a label, from some of the rows or from all."""
        cell = self.item * self.classes + self.label
        cell = cell if rows is None else cell[rows]
        return np.bincount(cell, minlength=self.items * self.classes).reshape(self.items, self.classes)

    @cached_property
    def labels_given(self) -> Numbers:
        """How many labels each annotator gave."""
        return np.bincount(self.annotator, minlength=self.annotators)

    @cached_property
    def repeated(self) -> Mask:
        """Rows in which an annotator labels an item again: none of them is the first."""
        pair = self.item * max(self.annotators, 1) + self.annotator
        order = np.argsort(pair, kind="stable")
        again = np.zeros(len(self), dtype=bool)
        again[order[1:]] = pair[order[1:]] == pair[order[:-1]]
        return again

    def of_group(self, group: npt.ArrayLike, groups: int) -> Numbers:
        """Per row the group of its annotator, from one number per annotator; `groups` for those in none (−1)."""
        found = np.asarray(group)
        if found.shape != (self.annotators,) or (found.dtype.kind not in "iu" and found.size):
            raise InputError(f"groups must be one whole number for each of the {self.annotators} annotators")
        if found.size and (found.min() < -1 or found.max() >= groups):
            raise InputError(f"groups are counted from 0 to {groups - 1}; -1 is for annotators in none of them")
        return (found.astype(np.int64) % (groups + 1))[self.annotator]


def checked_probabilities(probabilities: npt.ArrayLike, annotations: Annotations) -> FloatArray:
    """Items × classes, from 0 to 1."""
    table = np.asarray(probabilities, dtype=np.float64)
    if table.shape != (annotations.items, annotations.classes):
        wanted = f"{annotations.items} items and {annotations.classes} classes"
        raise InputError(f"probabilities must be a table of {wanted}, not of shape {table.shape}")
    if table.size and not (table.min() >= 0.0 and table.max() <= 1.0):  # not a number fails both
        raise InputError("a probability must lie from 0 to 1")
    return table


def _numbers(given: npt.ArrayLike, name: str) -> Numbers:
    found = np.asarray(given)
    if found.ndim != 1 or (found.dtype.kind not in "iub" and found.size):
        raise InputError(f"{name} must be one column of whole numbers")
    if found.size and found.min() < 0:
        raise InputError(f"{name} are counted from 0: none may be negative")
    return found.astype(np.int64)
