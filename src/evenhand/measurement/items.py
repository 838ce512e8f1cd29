"""The items of a population, read piece by piece: checked, and assigned to pools and groups, however many there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from evenhand.arrays import Floats, Ints
from evenhand.errors import ErrorKind, InputError
from evenhand.evidence import checks
from evenhand.evidence.columns import SourceTable, label_words
from evenhand.evidence.condition import rows_where
from evenhand.evidence.declaration import NOT_STATED
from evenhand.evidence.scales import SCALES
from evenhand.evidence.source import Source, same_name
from evenhand.measurement.plan import ALL, REMOVED, VISIBLE
from evenhand.progress import Progress, silent

ROWS = 250_000  # in a piece
MOST_GROUPS = 500
OTHER_SCALE = "set `scale` to percent or logit if the scores are not probabilities"
LIST_ROLES = ("by", "removes")
SKIP = "skip_unscored"
COMMON_NAMES = ("id", "text", "context", "link")  # columns found by their names


@dataclass(frozen=True, slots=True)
class ItemColumns:
    """Which column is what. Without an id the number of the row is it.

    >>> eh.measurement.ItemColumns(id="id", score="p", by=("language",)).by
    ('language',)
    """

    id: str | None = None
    score: str | None = None
    scale: str = "probability"
    by: tuple[str, ...] = ()
    text: str | None = None
    context: str | None = None
    link: str | None = None
    decision: str | None = None
    removes: tuple[str, ...] = ()  # for decisions in words: those that remove an item
    cluster: str | None = None
    skip_unscored: bool = False
    where: str | None = None

    @classmethod
    def of(cls, columns: Mapping[str, Any]) -> ItemColumns:
        """From plain data."""
        lists = {name: columns.get(name) or () for name in LIST_ROLES}
        plain = [value for name, value in columns.items() if name not in (*LIST_ROLES, SKIP) and value is not None]
        fit = set(columns) <= {one.name for one in fields(cls)} and isinstance(columns.get(SKIP, False), bool)
        fit = fit and all(isinstance(many, list | tuple) for many in lists.values())
        if not fit or not all(isinstance(word, str) for word in chain(plain, *lists.values())):
            raise InputError("the plan's list of columns is not valid: make the plan again")
        return cls(**{**columns, **{name: tuple(many) for name, many in lists.items()}})

    def named(self, columns: Sequence[str]) -> ItemColumns:
        """With the columns of items that have the usual names and no other role."""
        taken = {self.score, self.decision, self.cluster, *self.by}
        usual = {name: name for name in COMMON_NAMES if same_name(name, columns) not in (None, *taken)}
        return replace(
            self,
            id=self.id or usual.get("id"),
            text=self.text or usual.get("text"),
            context=self.context or usual.get("context"),
            link=self.link or usual.get("link"),
        )

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        lists = {name: list(getattr(self, name)) for name in LIST_ROLES}
        written = {name: value for name, value in asdict(self).items() if value or name not in (SKIP, "where")}
        return {**written, **lists}

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
class ItemPiece:
    """Some rows: the whole of them with their places in the file, and what a plan needs of each."""

    table: SourceTable
    score: Floats
    group: Ints
    pool: Ints

    def rows(self, rows: Ints) -> Ints:
        """The places of some rows in the file."""
        assert self.table.rows is not None
        return self.table.rows.to_numpy()[rows]

    def ids(self, roles: ItemColumns, rows: Ints) -> list[str]:
        """Of some rows, as text."""
        if roles.id is None:
            return [str(row + 1) for row in self.rows(rows).tolist()]
        ids: list[str] = self.table.frame[roles.id][rows].cast(pl.String).to_list()
        return ids


@dataclass
class ItemSource:
    """A source with its roles. `groups` are numbered in the order in which they appear, unless given."""

    source: Source
    roles: ItemColumns
    groups: dict[str, int] = field(default_factory=dict)
    closed: bool = False  # whether there may be no other groups
    unscored: int = 0  # rows that were left out so far
    decisions: set[str] = field(default_factory=set)  # words seen so far

    def __post_init__(self) -> None:
        if self.roles.scale not in SCALES or SCALES[self.roles.scale].probability is None:
            raise InputError(f"invalid `scale`: '{self.roles.scale}' (choose from: probability, percent, logit)")
        self.source = self.source.naming((*self.roles.counted, *self.roles.shown))

    @cached_property
    def blank_scores(self) -> bool:
        """Whether an item has no score: one without a text has none, and there is nothing to label."""
        score = self.roles.score
        if score is None or self.roles.text is None:
            return False
        frame = self.source.collect(lambda lazy: lazy.select(pl.col(score)))
        return len(SourceTable(self.source.name, frame).without_unscored([score]).frame) < len(frame)

    def pieces(self, *, texts: bool = False, progress: Progress = silent) -> Iterator[ItemPiece]:
        """All rows in order; with `texts` what annotators see is there too."""
        beside = self.roles.shown if texts else [self.roles.text] if self.roles.text and self.blank_scores else []
        wanted = list(dict.fromkeys([*self.roles.counted, *beside]))
        chosen = None if self.roles.where is None else rows_where(self.source, self.roles.where)
        places = None if chosen is None else chosen.arg_true().cast(pl.Int64)
        start = 0
        columns = wanted or list(self.source.columns())[:1]
        for frame in self.source.batches(ROWS, verbatim=True, columns=columns, kept=chosen):
            progress("reading items", start, 0)
            numbers = pl.int_range(start, start + len(frame), eager=True)
            numbers = numbers if places is None else places.slice(start, len(frame))
            table = SourceTable(self.source.name, frame, numbers, self.source.decimal, place=self.source.place)
            if self.roles.skip_unscored and self.roles.score:
                table = table.without_unscored([self.roles.score])
            elif self.blank_scores and self.roles.score and self.roles.text:
                table = table.without_blank([self.roles.score, self.roles.text])
            self.unscored += len(frame) - len(table.frame)
            if len(table.frame):
                yield self._piece(table)
            start += len(frame)
        if not start:
            raise InputError("there are no rows", source=self.source.name)
        self._check_removes()

    def _check_removes(self) -> None:
        """Every word that is said to remove an item must be there."""
        for word in self.roles.removes:
            if self.roles.decision and word.lower() not in self.decisions:
                known = ", ".join(sorted(self.decisions)[:5])
                problem = f"no decision is '{word}', which `removes` names (there are: {known})"
                raise InputError(problem, source=self.source.name, column=self.roles.decision)

    def _piece(self, table: SourceTable) -> ItemPiece:
        try:
            return ItemPiece(table, self._score(table), self._group(table), self._pool(table))
        except InputError as error:
            if error.kind is ErrorKind.EMPTY and error.column != self.roles.score:  # every item needs one
                raise error.rephrased(error.fault) from None
            if error.role == "scale":  # and ranks are no probabilities
                raise error.rephrased(error.fault, remedy=OTHER_SCALE) from None
            raise

    def _score(self, table: SourceTable) -> Floats:
        if self.roles.score is None:
            return np.full(len(table.frame), 0.5)
        scale = SCALES[self.roles.scale]
        score = checks.read_scores(table, self.roles.score, scale, []).astype(np.float64)
        assert scale.probability is not None
        return scale.probability(score)

    def _group(self, table: SourceTable) -> Ints:
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

    def _pool(self, table: SourceTable) -> Ints:
        """0 for what was removed and 1 for what is visible; 0 where there is one pool."""
        if self.roles.decision is None:
            return np.zeros(len(table.frame), dtype=np.int64)
        removed = checks.read_decisions(table, self.roles.decision, self.roles.removes)
        self.decisions.update(label_words(table, self.roles.decision, "decisions").str.to_lowercase().unique())
        return 1 - removed.astype(np.int64)


def _there(*names: str | None) -> list[str]:
    return [name for name in names if name is not None]
