"""Annotations: which annotator gave which label to which item, as three aligned columns of numbers, checked once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Bools, Floats, Ints, refuse_beyond_one
from evenhand.errors import InputError


@dataclass(frozen=True)
class Annotations:
    """A row is one label: the number of the item, of the annotator and of the class, each counted from 0."""

    item: Ints
    annotator: Ints
    label: Ints
    items: int
    annotators: int
    classes: int

    @classmethod
    def from_columns(
        cls,
        item: npt.ArrayLike,
        annotator: npt.ArrayLike,
        label: npt.ArrayLike,
        *,
        size: tuple[int, int, int] | None = None,
    ) -> Annotations:
        """`size` is how many items, annotators and classes there are; without it, as many as occur."""
        columns = [
            _numbers(values, name) for values, name in ((item, "items"), (annotator, "annotators"), (label, "labels"))
        ]
        if len({len(column) for column in columns}) != 1:
            raise InputError("items, annotators and labels must be equally many: one of each per annotation")
        largest = tuple(int(column.max()) + 1 if len(column) else 0 for column in columns)
        sizes = (*largest[:2], max(largest[2], 2)) if size is None else size
        for name, most, allowed in zip(("item", "annotator", "label"), largest, sizes, strict=True):
            if most > allowed:
                raise InputError(f"{name} {most - 1} is out of range: they are counted from 0 to {allowed - 1}")
        first, second, third = columns
        return cls(first, second, third, *sizes)

    def __len__(self) -> int:
        return len(self.label)

    def only(self, rows: Bools | Ints) -> Annotations:
        """Some of the rows; items, annotators and classes keep their numbers."""
        return replace(self, item=self.item[rows], annotator=self.annotator[rows], label=self.label[rows])

    def counts(self, rows: Bools | None = None) -> Ints:
        """Items × classes: how often an item got a label, from some of the rows or from all."""
        cell = self.item * self.classes + self.label
        cell = cell if rows is None else cell[rows]
        return np.bincount(cell, minlength=self.items * self.classes).reshape(self.items, self.classes)

    @cached_property
    def labels_given(self) -> Ints:
        """How many labels each annotator gave."""
        return np.bincount(self.annotator, minlength=self.annotators)

    @cached_property
    def repeated(self) -> Bools:
        """Rows in which an annotator labels an item again: none of them is the first."""
        pair = self.item * max(self.annotators, 1) + self.annotator
        order = np.argsort(pair, kind="stable")
        again = np.zeros(len(self), dtype=bool)
        again[order[1:]] = pair[order[1:]] == pair[order[:-1]]
        return again

    def of_group(self, group: npt.ArrayLike, groups: int) -> Ints:
        """Per row the group of its annotator, from one number per annotator; `groups` for those in none (−1)."""
        groups_of_annotators = np.asarray(group)
        if groups_of_annotators.shape != (self.annotators,) or (
            groups_of_annotators.dtype.kind not in "iu" and groups_of_annotators.size
        ):
            raise InputError(f"groups must be one whole number for each of the {self.annotators} annotators")
        if groups_of_annotators.size and (groups_of_annotators.min() < -1 or groups_of_annotators.max() >= groups):
            raise InputError(f"groups are counted from 0 to {groups - 1}; -1 is for annotators in none of them")
        return (groups_of_annotators.astype(np.int64) % (groups + 1))[self.annotator]


def checked_probabilities(probabilities: npt.ArrayLike, annotations: Annotations) -> Floats:
    """Items × classes, from 0 to 1."""
    table = np.asarray(probabilities, dtype=np.float64)
    if table.shape != (annotations.items, annotations.classes):
        wanted = f"{annotations.items} items and {annotations.classes} classes"
        raise InputError(f"probabilities must be a table of {wanted}, not of shape {table.shape}")
    refuse_beyond_one(table)
    return table


def _numbers(values: npt.ArrayLike, name: str) -> Ints:
    column = np.asarray(values)
    if column.ndim != 1 or (column.dtype.kind not in "iub" and column.size):
        raise InputError(f"{name} must be one column of whole numbers")
    if column.size and column.min() < 0:
        raise InputError(f"{name} are counted from 0: none may be negative")
    return column.astype(np.int64)
