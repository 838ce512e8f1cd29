"""Real comments with the scores of two models, and the groups of the paper.

CivilComments where it is available, the nearest corpus where it is not. Scores of TOXICITY@1 and TOXICITY@6 on comments
were not published. Two models take their place: a plain bag of words, without any mitigation of bias (before), and the
default model, which was balanced over the groups mentioned (after).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from evenhand.catalogue.bias import BNSP_AUC, BPSN_AUC, NEGATIVE_AEG, POSITIVE_AEG, SUBGROUP_AUC
from evenhand.classifiers.models import open_model
from evenhand.classifiers.protocol import Classifier
from evenhand.errors import InputError
from evenhand.reproduce.workspace import Workspace, predict_probabilities, train_stand_in

AREAS, GAPS = (SUBGROUP_AUC, BPSN_AUC, BNSP_AUC), (NEGATIVE_AEG, POSITIVE_AEG)
MEASURES = (*AREAS, *GAPS)
MEASURE_TITLES = tuple(measure.title for measure in MEASURES)
IDENTITY_TERMS = (
    *("lesbian", "gay", "bisexual", "transgender", "trans", "queer", "lgbt", "lgbtq", "homosexual", "straight"),
    *("heterosexual", "male", "female", "nonbinary", "african", "african american", "black", "white", "european"),
    *("hispanic", "latino", "latina", "latinx", "mexican", "canadian", "american", "asian", "indian"),
    *("middle eastern", "chinese", "japanese", "christian", "muslim", "jewish", "buddhist", "catholic", "protestant"),
    *("sikh", "taoist", "old", "older", "young", "younger", "teenage", "millenial", "middle aged", "elderly"),
    *("blind", "deaf", "paralyzed"),
)
IDENTITY_WORDS = {  # where nobody was asked which identities a comment speaks of
    "male": ("male", "males", "man", "men", "boy", "boys"),
    "female": ("female", "females", "woman", "women", "girl", "girls"),
    "transgender": ("transgender", "trans", "transsexual", "transgendered"),
    "homosexual_gay_or_lesbian": ("gay", "gays", "lesbian", "lesbians", "homosexual", "homosexuals", "homosexuality"),
    "christian": ("christian", "christians", "christianity", "catholic", "catholics"),
    "jewish": ("jewish", "jew", "jews", "judaism"),
    "muslim": ("muslim", "muslims", "islam", "islamic"),
    "atheist": ("atheist", "atheists", "atheism"),
    "black": ("black", "blacks", "african american", "african americans"),
    "white": ("white", "whites", "caucasian"),
    "asian": ("asian", "asians", "chinese", "japanese", "korean"),
    "latino": ("latino", "latina", "latinos", "hispanic", "hispanics", "mexican", "mexicans"),
    "psychiatric_or_mental_illness": ("mental illness", "mentally ill", "schizophrenic", "bipolar", "autistic"),
}
TABLE_5_NAMES = {"homosexual_gay_or_lesbian": "homosexual"}  # as Table 5 calls it


BAG_OF_WORDS, DEFAULT_MODEL = "bag of words", "default model"
MEMBERSHIP_SHARE = 0.5  # share of annotators from which a comment speaks of an identity
PAPER_MODELS = {
    BAG_OF_WORDS: "toxicity_1",
    DEFAULT_MODEL: "toxicity_6",
}  # which of the paper's models each is set beside
ModelsByName = Mapping[str, Classifier]


@dataclass(frozen=True)
class ScoredComments:
    """Comments with the scores of the models, and what their groups are."""

    frame: pl.DataFrame
    roles: Mapping[str, Any]
    on: str
    own: bool  # the paper's comments

    @property
    def models(self) -> list[str]:
        """Those that scored it."""
        return [name for name in (BAG_OF_WORDS, DEFAULT_MODEL) if name in self.frame.columns]


def comment_models(place: Workspace) -> dict[str, Classifier]:
    """The default model, and beside it a bag of words where there is something to train it on."""
    models: dict[str, Classifier] = {DEFAULT_MODEL: open_model("default")}
    if place.corpora.has("wikipedia_talk"):
        rows = place.corpora.load("wikipedia_talk").frame.filter(pl.col("split") == "train")
        models = {BAG_OF_WORDS: train_stand_in(rows, "unigram", progress=place.progress), **models}
    return models


def add_scores(frame: pl.DataFrame, models: ModelsByName) -> pl.DataFrame:
    """A column for each model."""
    return frame.with_columns(
        **{name: predict_probabilities(model, frame["text"])[:, 0] for name, model in models.items()}
    )


def score_comments(place: Workspace, models: ModelsByName) -> ScoredComments:
    """The paper's comments, or the nearest."""
    if place.corpora.has("civil_comments"):
        loaded = place.corpora.load("civil_comments")
        frame = add_scores(loaded.frame.filter(pl.col("split") == "train"), models)
        groups = [name for name in loaded.roles["groups"] if (frame[name] >= MEMBERSHIP_SHARE).any()]
        roles = {**loaded.roles, "groups": groups}
        return ScoredComments(frame, roles, f"CivilComments, {len(frame):,} comments, as in the paper", own=True)
    loaded = place.corpora.load("wikipedia_talk")
    unseen = loaded.frame.filter(pl.col("split") != "train")
    if not len(unseen):
        raise InputError("no comments are left beside the train split", source=str(place.folder))
    on = (
        f"nearest real data: {len(unseen):,} Wikipedia talk page comments that neither model has seen, in the groups "
        "whose words they contain; nobody annotated whom they mention"
    )
    words = {name: own for name, own in IDENTITY_WORDS.items() if contains_any_word(unseen, own)}
    return ScoredComments(add_scores(unseen, models), {**loaded.roles, "terms": words}, on, own=False)


def contains_any_word(frame: pl.DataFrame, words: Sequence[str]) -> bool:
    """Whether some text has one of the words."""
    return bool(frame["text"].str.contains(rf"(?i)\b(?:{'|'.join(words)})\b").any())
