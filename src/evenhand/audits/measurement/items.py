"""The items of a plan, read piece by piece: checked, and put into pools and groups. However many there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import InputError
from evenhand.evidence import columns, faults
from evenhand.evidence.columns import Table
from evenhand.evidence.contradictions import RESERVED
from evenhand.evidence.scales import SCALES
from evenhand.evidence.source import Source
from evenhand.evidence.spellings import NOT_STATED
from evenhand.progress import Progress, silent
from evenhand.sampling.plan import ALL, REMOVED, VISIBLE

ROWS = 250_000  # in a piece
MOST_GROUPS = 500
YES, NO = ("1", "true", "yes"), ("0", "false", "no")
OTHER_SCALE = "name another scale (--scale percent or logit)"
LISTS = ("by", "removes")
USUAL = ("id", "text", "context", "link")  # columns found by their names


@dataclass(frozen=True, slots=True)
class Roles:
    """Which column is what. Without an id the number of the row is it."""

    id: str | None = None
    score: str | None = None
    scale: str = "probability"
    by: tuple[str, ...] = ()
    text: str | None = None
    context: str | None = None
    link: str | None = None
    decision: str | None = None
    removes: tuple[str, ...] = ()  # the decisions that take an item down, where they are words
    cluster: str | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Roles:
        """From plain data."""
        lists = {name: given.get(name) or () for name in LISTS}
        plain = [value for name, value in given.items() if name not in LISTS and value is not None]
        fit = set(given) <= {one.name for one in fields(cls)}
        fit = fit and all(isinstance(many, list | tuple) for many in lists.values())
        if not fit or not all(isinstance(word, str) for word in chain(plain, *lists.values())):
            raise InputError("the columns that the plan names are not as they were written: make it again")
        return cls(**{**given, **{name: tuple(many) for name, many in lists.items()}})

    def named(self, columns: Sequence[str]) -> Roles:
        """With the columns of items that have the usual names and no other role."""
        taken = {self.score, self.decision, self.cluster, *self.by}
        found = {name: name for name in USUAL if name in columns and name not in taken}
        return replace(
            self,
            id=self.id or found.get("id"),
            text=self.text or found.get("text"),
            context=self.context or found.get("context"),
            link=self.link or found.get("link"),
        )

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {**asdict(self), **{name: list(getattr(self, name)) for name in LISTS}}

    @property
    def counted(self) -> list[str]:
        """Columns that a plan is made on."""
        return _there(self.id, self.score, *self.by, self.decision, self.cluster)

    @property
    def shown(self) -> list[str]:
        """Columns that annotators see, beside the id."""
        return _there(self.text, self.context, self.link)

    @property
    def pools(self) -> tuple[str, ...]:
        """What is sampled apart."""
        return (REMOVED, VISIBLE) if self.decision else (ALL,)


@dataclass(frozen=True)
class Piece:
    """Some rows: where they start in the file, the whole of them, and what a plan needs of each."""

    table: Table
    start: int
    score: Floats
    group: Ints
    pool: Ints

    def ids(self, roles: Roles, rows: Ints) -> list[str]:
        """Of some rows, as text."""
        if roles.id is None:
            return [str(self.start + row + 1) for row in rows.tolist()]
        found: list[str] = self.table.frame[roles.id][rows].cast(pl.String).to_list()
        return found


@dataclass
class Items:
    """A source with its roles. `groups` are numbered in the order in which they appear, unless given."""

    source: Source
    roles: Roles
    groups: dict[str, int] = field(default_factory=dict)
    closed: bool = False  # whether there may be no other groups

    def __post_init__(self) -> None:
        if self.roles.scale not in SCALES or SCALES[self.roles.scale].probability is None:
            raise InputError(f"a score is a probability, percent or logit, not '{self.roles.scale}'")
        for column in self.roles.by:
            if column in {*RESERVED, "stratum", "estimator"}:
                raise InputError("this name means something else in findings: rename the column", column=column)
        known = list(self.source.columns())
        for column in (*self.roles.counted, *self.roles.shown):
            if column not in known:
                raise faults.unknown_column(column, known, self.source.name)

    def pieces(self, *, texts: bool = False, progress: Progress = silent) -> Iterator[Piece]:
        """All rows in order; with `texts` what annotators see is there too."""
        wanted = list(dict.fromkeys([*self.roles.counted, *(self.roles.shown if texts else ())]))
        start = 0
        for frame in self.source.batches(ROWS, verbatim=True, columns=wanted or list(self.source.columns())[:1]):
            progress("reading items", start, 0)
            numbers = pl.int_range(start, start + len(frame), eager=True)
            yield self._piece(Table(self.source.name, frame, numbers), start)
            start += len(frame)
        if not start:
            raise InputError("the file holds no rows", source=self.source.name)

    def _piece(self, table: Table, start: int) -> Piece:
        try:
            return Piece(table, start, self._score(table), self._group(table), self._pool(table))
        except InputError as error:  # there is no --where here, and no rank
            plain = error.problem.split("; leave such rows out")[0]
            plain = plain.replace("declare another scale (percent, logit or rank)", OTHER_SCALE)
            raise InputError(plain, source=error.source, column=error.column, row=error.row) from None

    def _score(self, table: Table) -> Floats:
        if self.roles.score is None:
            return np.full(len(table.frame), 0.5)
        scale = SCALES[self.roles.scale]
        score = columns.score(table, self.roles.score, scale, []).astype(np.float64)
        assert scale.probability is not None
        return scale.probability(score)

    def _group(self, table: Table) -> Ints:
        if not self.roles.by:
            return np.zeros(len(table.frame), dtype=np.int64)
        names = [table.words(column, "names of groups").fill_null(NOT_STATED) for column in self.roles.by]
        joined = pl.select(pl.concat_str(*names, separator=", ")).to_series()
        for name in joined.unique(maintain_order=True):
            if name not in self.groups and not self.closed:
                self.groups[name] = len(self.groups)
        if len(self.groups) > MOST_GROUPS:
            table.fail(f"more than {MOST_GROUPS} groups: choose a column with fewer values", self.roles.by[0])
        codes = joined.replace_strict(self.groups, default=-1, return_dtype=pl.Int64)
        if codes.min() == -1:
            bad = codes == -1
            table.fail(f"the group '{joined.filter(bad)[0]}' is not in the plan", self.roles.by[0], bad)
        return codes.to_numpy()

    def _pool(self, table: Table) -> Ints:
        """0 for what was removed and 1 for what is visible; 0 where there is one pool."""
        if self.roles.decision is None:
            return np.zeros(len(table.frame), dtype=np.int64)
        return 1 - self._removed(table, self.roles.decision).astype(np.int64)

    def _removed(self, table: Table, column: str) -> Bools:
        words = table.words(column, "decisions").str.to_lowercase()
        table.complete(column, words, "the decision")
        if self.roles.removes:
            return words.is_in([value.lower() for value in self.roles.removes]).to_numpy()
        taken = words.is_in(YES)
        bad = ~taken & ~words.is_in(NO)
        if bad.any():
            wrong = f"a decision is yes or no (true/false, 1/0), not '{words.filter(bad)[0]}'"
            table.fail(f"{wrong}; name the one that takes an item down with --removes", column, bad)
        return taken.to_numpy()


def _there(*names: str | None) -> list[str]:
    return [name for name in names if name is not None]
