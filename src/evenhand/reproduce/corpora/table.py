"""The table of corpora: one row each."""

from __future__ import annotations

from evenhand.reproduce.corpora.comments import CIVIL_COMMENTS, CONTEXT, REDDIT, WIKIPEDIA_TALK
from evenhand.reproduce.corpora.corpus import Corpus
from evenhand.reproduce.corpora.kinds import COVID_HATE, EAST_ASIAN_PREJUDICE
from evenhand.reproduce.corpora.labels import CREHATE, MD_AGREEMENT, SBIC
from evenhand.reproduce.corpora.templates import HATECHECK, MADLIBS_77K, PERSPECTIVE_MADLIBS, UNITARY

CORPORA: dict[str, Corpus] = {
    corpus.name: corpus
    for corpus in (
        CIVIL_COMMENTS,
        WIKIPEDIA_TALK,
        REDDIT,
        CONTEXT,
        EAST_ASIAN_PREJUDICE,
        COVID_HATE,
        SBIC,
        CREHATE,
        MD_AGREEMENT,
        MADLIBS_77K,
        PERSPECTIVE_MADLIBS,
        UNITARY,
        HATECHECK,
    )
}
