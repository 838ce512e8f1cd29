"""Whether ids are there, and each only once, among any number of items in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import polars as pl

from evenhand.evidence.columns import Table

MOST = 1 << 27  # hashes kept: a gigabyte
Hashes = npt.NDArray[np.uint64]


class Ids:
    """Ids seen so far, as hashes; nothing needs to be compared as long as ids rise.

    Where there are more than fits, one in two hashes is kept, one in four and so on: whether an id is kept depends on
    the id alone, so that a repeated one is kept twice or not at all.
    """

    def __init__(self, column: str, *, most: int = MOST) -> None:
        self.column, self.kept_one_in = column, 1
        self._most, self._count = most, 0
        self._hashes: list[Hashes] = []
        self._rising, self._last = True, pl.Series([], dtype=pl.Null)

    def add(self, table: Table) -> None:
        """One piece; fails where an id is missing."""
        values = ids_of(table, self.column)
        if values.null_count():
            table.fail("the id is empty", self.column, values.is_null())
        if self._rising:
            follows = not len(self._last) or bool(self._last[0] < values[0])
            self._rising = follows and bool((values.slice(1) > values.slice(0, len(values) - 1)).all())
            self._last = values.tail(1)
        self._keep(values.hash(seed=0).to_numpy())

    def check(self, tables: Iterable[Table]) -> None:
        """Fail where an id occurs twice; `tables` are the same pieces again, looked at only if one seems to."""
        suspects = self._repeated()
        if not len(suspects):
            return
        seen: set[object] = set()
        for table in tables:
            values = ids_of(table, self.column)
            for row in np.flatnonzero(np.isin(values.hash(seed=0).to_numpy(), suspects)).tolist():
                if values[row] in seen:
                    again = pl.Series(np.arange(len(values)) == row)
                    table.fail(f"the id '{values[row]}' occurs twice", self.column, again)
                seen.add(values[row])

    def _keep(self, found: Hashes) -> None:
        kept = found if self.kept_one_in == 1 else found[found & np.uint64(self.kept_one_in - 1) == 0]
        self._hashes.append(kept)
        self._count += len(kept)
        while self._count > self._most:
            self.kept_one_in *= 2
            mask = np.uint64(self.kept_one_in - 1)
            self._hashes = [part[part & mask == 0] for part in self._hashes]
            self._count = sum(map(len, self._hashes))

    def _repeated(self) -> Hashes:
        """Hashes that occur more than once; two ids may by a small chance have one hash."""
        if self._rising:
            return np.empty(0, dtype=np.uint64)
        every, at = np.empty(self._count, dtype=np.uint64), 0
        while self._hashes:  # one by one, so that they are not in memory twice
            part = self._hashes.pop()
            every[at : at + len(part)] = part
            at += len(part)
        every.sort()
        return np.unique(every[1:][every[1:] == every[:-1]])


def ids_of(table: Table, column: str) -> pl.Series:
    """The ids of a piece; blank ones are missing."""
    values = table.frame[column]
    if values.dtype.is_nested() or values.dtype.is_float():
        table.fail(f"ids are whole numbers or text, not {values.dtype}", column)
    return values.set(values.str.strip_chars() == "", None) if values.dtype == pl.String else values
