"""Published data sets as presets of an audit: the table of a data set, with its columns declared.

A file or a folder of the data set is read with the loader of the papers. Columns that were added to a file, such as the
scores of a model, stay beside their rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.errors import InputError, nearest
from evenhand.evidence import open_source
from evenhand.reproduce.corpora.corpus import Corpus, LoadedCorpus, load_corpus
from evenhand.reproduce.corpora.registry import CORPORA, CorpusFolder

AUDIT_PRESETS = {  # what a user calls them, and their names among the corpora
    "civil-comments": "civil_comments",
    "sbic": "sbic",
    "crehate": "crehate",
    "md-agreement": "md_agreement",
    "hatecheck": "hatecheck",
    "jigsaw-wikipedia": "wikipedia_talk",
}


GROUP_SHARE = 0.5  # of annotators, from which an item is in a group


@dataclass(frozen=True)
class PresetTable:
    """The table of a data set, and the roles of its columns."""

    frame: pl.DataFrame
    roles: Mapping[str, Any]


def load_preset(name: str, path: Path, *, added: Sequence[str] = ()) -> PresetTable:
    """A data set in a file or a folder; `added` are columns of the file that are not of the data set."""
    if name not in AUDIT_PRESETS:
        raise InputError(f"invalid `preset`: '{name}'; {nearest(name, AUDIT_PRESETS)}")
    corpus = CORPORA[AUDIT_PRESETS[name]]
    loaded = CorpusFolder(path).load(corpus.name) if path.is_dir() else _load_file(corpus, path)
    missing = [column for column in added if column not in loaded.frame.columns]
    frame = _with_added(loaded.frame, corpus, path, missing) if missing else loaded.frame
    return PresetTable(frame, _with_members(loaded))


def _with_members(loaded: LoadedCorpus) -> dict[str, Any]:
    """The roles, without groups that have no member in this part of the data."""
    groups = loaded.roles.get("groups", ())
    most = loaded.frame.select(pl.col(groups).cast(pl.Float64).max()).row(0, named=True) if groups else {}
    there = [name for name in groups if (most[name] or 0.0) >= GROUP_SHARE]
    return {**loaded.roles, **({"groups": there} if groups else {})}


def _load_file(corpus: Corpus, path: Path) -> LoadedCorpus:
    """By its columns: a file may have another name than the published one."""
    known = set(open_source(path).columns())
    for layout in corpus.layouts:
        needed = [file for file in layout.files if file.needed]
        if len(needed) == 1 and set(needed[0].columns) <= known:
            return load_corpus(corpus, layout, {needed[0].name: path})
    raise InputError(f"not a file of this data set; {corpus.where()}", source=str(path))


def _with_added(frame: pl.DataFrame, corpus: Corpus, path: Path, columns: Sequence[str]) -> pl.DataFrame:
    """With columns of the same file, row by row; where rows became others, they have no place."""
    if path.is_dir():
        problem = f"{corpus.title} in a folder has no column '{columns[0]}'"
        raise InputError(problem, source=str(path), remedy="give the scores of items as a table with `items`")
    source = open_source(path)
    for column in columns:
        if column not in source.columns():
            raise source.unknown_column(column)
    more = source.collect(lambda lazy: lazy.select(columns))
    if len(more) != len(frame):
        problem = f"the rows of {corpus.title} are labels, not items, so that '{columns[0]}' belongs to none"
        raise InputError(problem, source=str(path), remedy="give the scores of items as a table with `items`")
    return frame.hstack(more)
