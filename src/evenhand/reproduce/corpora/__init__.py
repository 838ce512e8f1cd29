"""Published data sets: where they come from, what their files look like, and the tables they become."""

from evenhand.reproduce.corpora.corpus import Corpus, Loaded
from evenhand.reproduce.corpora.folder import Corpora
from evenhand.reproduce.corpora.table import CORPORA

__all__ = ["CORPORA", "Corpora", "Corpus", "Loaded"]
