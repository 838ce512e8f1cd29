"""Published data sets: where they come from, what their files look like, and the tables they become."""

from evenhand.reproduce.corpora.corpus import Corpus, LoadedCorpus
from evenhand.reproduce.corpora.registry import CORPORA, CorpusFolder

__all__ = ["CORPORA", "Corpus", "CorpusFolder", "LoadedCorpus"]
