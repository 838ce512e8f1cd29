"""All corpora, one row each, and those that a folder holds, found by the names and columns of their files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.evidence import open_source
from evenhand.reproduce.corpora.annotations import CREHATE, MD_AGREEMENT, SBIC
from evenhand.reproduce.corpora.corpus import Corpus, CorpusFile, CorpusLayout, LoadedCorpus, load_corpus
from evenhand.reproduce.corpora.labelled_texts import (
    CIVIL_COMMENTS,
    COVID_HATE,
    EAST_ASIAN_PREJUDICE,
    REDDIT_CAD,
    WIKIPEDIA_CONTEXT,
    WIKIPEDIA_TALK,
)
from evenhand.reproduce.corpora.template_sets import (
    HATECHECK,
    MADLIBS_77K,
    PERSPECTIVE_MADLIBS,
    PERSPECTIVE_MADLIBS_PUBLISHED,
)

CORPORA: dict[str, Corpus] = {
    corpus.name: corpus
    for corpus in (
        CIVIL_COMMENTS,
        WIKIPEDIA_TALK,
        REDDIT_CAD,
        WIKIPEDIA_CONTEXT,
        EAST_ASIAN_PREJUDICE,
        COVID_HATE,
        SBIC,
        CREHATE,
        MD_AGREEMENT,
        MADLIBS_77K,
        PERSPECTIVE_MADLIBS,
        PERSPECTIVE_MADLIBS_PUBLISHED,
        HATECHECK,
    )
}


class CorpusFolder:
    """What a folder holds. A file lies in the folder itself or in a folder of the corpus' name within it."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise InputError("there is no such folder", source=str(folder))
        self.folder = folder
        self._loaded: dict[str, LoadedCorpus] = {}

    def has(self, name: str) -> bool:
        """Whether the files of some layout are there."""
        return self._found(CORPORA[name]) is not None

    def load(self, name: str) -> LoadedCorpus:
        """The corpus, read once; an `InputError` says where to get one that is not there."""
        if name not in self._loaded:
            corpus = CORPORA[name]
            files = self._found(corpus)
            if files is None:
                raise InputError(f"a file is missing: {corpus.where()}", source=str(self.folder))
            self._loaded[name] = load_corpus(corpus, *files)
        return self._loaded[name]

    def require(self, *names: str) -> str:
        """The first of some corpora that is there."""
        for name in names:
            if self.has(name):
                return name
        wanted = "; or ".join(CORPORA[name].where() for name in names)
        raise InputError(f"no data that this paper needs is in this folder: get {wanted}", source=str(self.folder))

    @property
    def sources(self) -> tuple[Mapping[str, Any], ...]:
        """The facts of all that was read."""
        return tuple(loaded.facts() for loaded in self._loaded.values())

    def _found(self, corpus: Corpus) -> tuple[CorpusLayout, dict[str, Path]] | None:
        for layout in corpus.layouts:
            paths = {file.name: path for file in layout.files if (path := self._path(corpus, file))}
            if all(file.name in paths for file in layout.files if file.needed):
                return layout, paths
        return None

    def _path(self, corpus: Corpus, file: CorpusFile) -> Path | None:
        """Of two challenges whose files have the same name, the one with these columns."""
        for path in (self.folder / corpus.name / file.name, self.folder / file.name):
            if path.is_file() and (path.parent != self.folder or not _is_shared_name(file) or _has_columns(path, file)):
                return path
        return None


def _is_shared_name(file: CorpusFile) -> bool:
    """Whether files of other corpora have this name too."""
    named = [1 for corpus in CORPORA.values() for layout in corpus.layouts for f in layout.files if f.name == file.name]
    return len(named) > 1


def _has_columns(path: Path, file: CorpusFile) -> bool:
    return set(file.columns) <= set(open_source(path).columns())
