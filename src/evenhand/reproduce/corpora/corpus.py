"""A published data set: the files it comes in, the columns they must have, and the one table that all become.

A corpus may lie in several layouts (the CSV of a challenge, the archive of a publisher, a Parquet file that somebody
prepared). Whatever the layout, the table has the same columns, declared once, and is checked once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.errors import InputError
from evenhand.evidence import Declaration, faults, open_source

Read = Callable[[Sequence[pl.DataFrame]], pl.DataFrame]


@dataclass(frozen=True)
class File:
    """A file of a layout and the columns that are read of it; `also` are read where they are there."""

    name: str
    columns: tuple[str, ...]
    also: tuple[str, ...] = ()
    needed: bool = True


@dataclass(frozen=True)
class Layout:
    """How a corpus lies in files, and how their columns become its table."""

    name: str
    files: tuple[File, ...]
    read: Read
    note: str = ""  # what the table lacks in this layout


@dataclass(frozen=True)
class Remote:
    """Where a file can be fetched. Of an archive, `members` are what is taken out of it."""

    url: str
    name: str
    size: int | None = None
    sha256: str | None = None
    members: tuple[str, ...] = ()


@dataclass(frozen=True)
class Check:
    """What must be true of every row of the table, in words and as an expression."""

    words: str
    holds: pl.Expr


YES_OR_NO = Check("a label is 0 or 1", pl.col("label").is_in([0, 1]))


@dataclass(frozen=True)
class Corpus:
    """A row of the table of corpora. `roles` declares the columns of its table as evidence."""

    name: str
    title: str
    page: str
    licence: str
    roles: Mapping[str, Any]
    layouts: tuple[Layout, ...]
    checks: tuple[Check, ...] = ()
    remotes: tuple[Remote, ...] = ()

    def where(self) -> str:
        """Where to get it, in a sentence."""
        files = " or ".join(" + ".join(f.name for f in layout.files if f.needed) for layout in self.layouts)
        return f"{self.title}: {files}, from {self.page}"


@dataclass(frozen=True)
class Loaded:
    """A corpus in memory: its table, what the columns mean, and which files it came from."""

    corpus: Corpus
    layout: Layout
    frame: pl.DataFrame
    files: tuple[Mapping[str, Any], ...] = field(default=())

    @property
    def roles(self) -> dict[str, Any]:
        """The declared roles whose columns are there in this layout."""
        there = set(self.frame.columns)
        kept: dict[str, Any] = {}
        for role, columns in self.corpus.roles.items():
            several = isinstance(columns, (list, tuple))
            known = [column for column in columns if column in there] if several else columns
            if known and (several or columns in there):
                kept[role] = known
        return kept

    def declaration(self, **more: Any) -> Declaration:
        """As evidence, with whatever a model adds."""
        return Declaration.of({**self.roles, **more})

    def facts(self) -> dict[str, Any]:
        """For the provenance."""
        return {
            "corpus": self.corpus.name,
            "title": self.corpus.title,
            "layout": self.layout.name,
            "rows": len(self.frame),
            "licence": self.corpus.licence,
            "files": [dict(file) for file in self.files],
        }


def load(corpus: Corpus, layout: Layout, paths: Mapping[str, Path]) -> Loaded:
    """Read the files of a layout, bring them into the table, and check it."""
    frames, files = [], []
    for file in layout.files:
        path = paths.get(file.name)
        if path is None:
            continue
        source = _opened(path)
        known = source.columns()
        for column in file.columns:
            if column not in known:
                raise InputError(f"this column of {corpus.title} is missing", source=str(path), column=column)
        wanted = [*file.columns, *(column for column in file.also if column in known)]
        frames.append(source.collect(lambda lazy, wanted=wanted: lazy.select(wanted)))
        files.append({**source.fingerprint(), "rows": len(frames[-1])})
    path = next(iter(paths.values()))
    try:
        table = layout.read(frames)
        if not len(table):
            raise InputError(f"there are no rows of {corpus.title}", source=str(path))
        for check in corpus.checks:
            _checked(table, check, corpus, path)
    except faults.UNREADABLE as error:  # a column of another kind
        raise faults.explain(error, str(path), corpus.title, None) from None
    return Loaded(corpus, layout, table, tuple(files))


def _opened(path: Path) -> Any:
    from evenhand.reproduce.corpora.lewidi import open_json

    return open_json(path) if path.suffix == ".json" else open_source(path)


def _checked(table: pl.DataFrame, check: Check, corpus: Corpus, path: Path) -> None:
    broken = table.select(~check.holds.fill_null(True)).to_series()
    if broken.any():
        row = int(broken.arg_max() or 0) + 1
        raise InputError(f"not {corpus.title} as published: {check.words}", source=str(path), row=row)
