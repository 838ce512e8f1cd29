"""From columns to groups of rows: who is in, who is not, and who was not annotated."""

from __future__ import annotations

import numpy as np
import polars as pl

from evenhand.evidence.columns import Table
from evenhand.tally import Membership
from evenhand.tally.rows import Mask


class Groups:
    """Collects groups, sharing one mask between those that were annotated on the same rows."""

    def __init__(self, table: Table) -> None:
        self.table, self.members = table, dict[str, Membership]()
        self._known: list[tuple[pl.Series, Mask]] = []
        self._empty: list[tuple[str, str]] = []

    def column(self, column: str, threshold: float) -> None:
        """A group from a column of true/false, 0/1 or shares of annotators."""
        if self.table.frame[column].dtype == pl.Boolean:
            self.add(column, self.table.frame[column], column)
            return
        values = self.table.numbers(column, "a group's values", "true/false or numbers").fill_nan(None)
        bad = ((values < 0) | (values > 1)).fill_null(False)
        if bad.any():
            self.table.fail(
                f"{values.filter(bad)[0]:g} is no membership: a group holds true/false, 0/1 or a share of annotators; "
                "for named values use --group-by",
                column,
                bad,
            )
        self.add(column, values >= threshold, column)

    def add(self, name: str, inside: pl.Series, column: str) -> None:
        """A group from true, false and empty (not annotated)."""
        rows = inside.fill_null(False).arg_true().to_numpy().astype(np.int32)
        if not len(rows):
            self._empty.append((name, column))
        self.members[name] = Membership(rows, self._annotated(inside))

    def check(self) -> None:
        """Somebody must be in every group."""
        if self._empty:
            names = " and ".join(f"'{name}'" for name, _ in self._empty)
            many = len(self._empty) > 1
            problem = f"nobody is in the group{'s' if many else ''} {names}: leave {'them' if many else 'it'} out"
            self.table.fail(problem, self._empty[0][1])

    def _annotated(self, inside: pl.Series) -> Mask | None:
        if not inside.null_count():
            return None
        known = inside.is_not_null()
        for series, mask in self._known:
            if series.equals(known):
                return mask
        self._known.append((known, known.to_numpy()))
        return self._known[-1][1]


def categories(table: Table, column: str, what: str, most: int) -> dict[str, pl.Series]:
    """The values of a column as true/false series, the most frequent first; an empty value is in none and unknown."""
    values = table.words(column, "values")
    counts = values.drop_nulls().value_counts(sort=True)
    if len(counts) > most:
        table.fail(f"{len(counts)} different values: {what} needs a column with at most {most}", column)
    names = sorted(zip(counts[column].to_list(), counts["count"].to_list(), strict=True), key=lambda x: (-x[1], x[0]))
    return {name: values == name for name, _ in names}
