"""A published data set: the files it comes in, the columns they must have, and the table they become.

A corpus may lie in several layouts (the CSV of a challenge, the archive of a publisher, the JSON of a shared task, a
prepared Parquet file). Whatever the layout, the table has the same columns, declared once, and is checked once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.errors import InputError
from evenhand.evidence import Declaration, Source, open_source, reading_errors
from evenhand.inputs import note_input

TASK_FIELDS = ("text", "annotators", "annotations")


def open_json(path: Path) -> Source:
    """A table with a row for each item."""
    note_input(path)
    try:
        content = path.read_bytes()
        items = json.loads(content)
        rows = [_task_row(str(key), value) for key, value in items.items()]
        frame = pl.LazyFrame(rows, schema=dict.fromkeys(_task_columns(), pl.String))
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}", source=str(path)) from None
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
        problem = f"not the JSON of the task: one object, each item with {', '.join(TASK_FIELDS)}"
        raise InputError(problem, source=str(path)) from None
    identity: Future[dict[str, str]] = Future()
    identity.set_result({"source": path.name, "sha256": sha256(content).hexdigest()})
    return Source(str(path), frame, identity=identity)


def _task_columns() -> tuple[str, ...]:
    return ("key", *TASK_FIELDS, "domain", "split")


def _task_row(key: str, item: dict[str, Any]) -> dict[str, str]:
    other = item.get("other_info") or {}
    return {
        "key": key,
        **{name: str(item[name]) for name in TASK_FIELDS},
        "domain": str(other.get("domain", "")),
        "split": str(item.get("split", "")),
    }


CorpusReader = Callable[[Sequence[pl.DataFrame]], pl.DataFrame]


@dataclass(frozen=True)
class CorpusFile:
    """A file of a layout and the columns that are read of it; `also` are read where they are there."""

    name: str
    columns: tuple[str, ...]
    also: tuple[str, ...] = ()
    needed: bool = True


@dataclass(frozen=True)
class CorpusLayout:
    """How a corpus lies in files, and how their columns become its table."""

    name: str
    files: tuple[CorpusFile, ...]
    read: CorpusReader
    note: str = ""  # what the table lacks in this layout


@dataclass(frozen=True)
class RemoteFile:
    """Where a file can be fetched. Of an archive, `members` are what is taken out of it."""

    url: str
    name: str
    size: int | None = None
    sha256: str | None = None
    members: tuple[str, ...] = ()


@dataclass(frozen=True)
class RowCheck:
    """What must be true of every row of the table, in words and as an expression."""

    words: str
    holds: pl.Expr


YES_OR_NO = RowCheck("a label is 0 or 1", pl.col("label").is_in([0, 1]))


@dataclass(frozen=True)
class Corpus:
    """A row of the table of corpora. `roles` declares the columns of its table as evidence."""

    name: str
    title: str
    page: str
    licence: str
    roles: Mapping[str, Any]
    layouts: tuple[CorpusLayout, ...]
    checks: tuple[RowCheck, ...] = ()
    remotes: tuple[RemoteFile, ...] = ()

    def where(self) -> str:
        """Where to get it, in a sentence."""
        files = " or ".join(" + ".join(f.name for f in layout.files if f.needed) for layout in self.layouts)
        return f"{self.title}: {files}, from {self.page}"


@dataclass(frozen=True)
class LoadedCorpus:
    """A corpus in memory: its table, what the columns mean, and which files it came from."""

    corpus: Corpus
    layout: CorpusLayout
    frame: pl.DataFrame
    files: tuple[Mapping[str, Any], ...] = field(default=())

    @property
    def roles(self) -> dict[str, Any]:
        """The declared roles whose columns are there in this layout."""
        there = set(self.frame.columns)
        roles: dict[str, Any] = {}
        for role, columns in self.corpus.roles.items():
            several = isinstance(columns, (list, tuple))
            known = [column for column in columns if column in there] if several else columns
            if known and (several or columns in there):
                roles[role] = known
        return roles

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


def load_corpus(corpus: Corpus, layout: CorpusLayout, paths: Mapping[str, Path]) -> LoadedCorpus:
    """Read the files of a layout, bring them into the table, and check it."""
    frames, files = [], []
    for file in layout.files:
        path = paths.get(file.name)
        if path is None:
            continue
        source = _open_file(path)
        known = source.columns()
        for column in file.columns:
            if column not in known:
                raise InputError(f"this column of {corpus.title} is missing", source=str(path), column=column)
        wanted = [*file.columns, *(column for column in file.also if column in known)]
        frames.append(source.collect(_selection(wanted)))
        files.append({**source.fingerprint(), "rows": len(frames[-1])})
    path = next(iter(paths.values()))
    try:
        table = layout.read(frames)
        if not len(table):
            raise InputError(f"there are no rows of {corpus.title}", source=str(path))
        for check in corpus.checks:
            _check_rows(table, check, corpus, path)
    except reading_errors.UNREADABLE as error:  # a column of another kind
        raise reading_errors.explain_failure(error, str(path), corpus.title, None) from None
    return LoadedCorpus(corpus, layout, table, tuple(files))


def _selection(columns: Sequence[str]) -> Callable[[pl.LazyFrame], pl.LazyFrame]:
    return lambda lazy: lazy.select(columns)


def _open_file(path: Path) -> Source:
    return open_json(path) if path.suffix == ".json" else open_source(path)


def _check_rows(table: pl.DataFrame, check: RowCheck, corpus: Corpus, path: Path) -> None:
    broken = table.select(~check.holds.fill_null(True)).to_series()
    if broken.any():
        row = int(broken.arg_max() or 0) + 1
        raise InputError(f"not {corpus.title} as published: {check.words}", source=str(path), row=row)
