"""Real comments with the scores of two models. CivilComments where it is at hand, the nearest where it is not.

Scores of TOXICITY@1 and TOXICITY@6 on comments were not published. In their place stand a plain bag of words, to which
nothing was done about bias, and the default model, which was balanced over who is spoken of: before and after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from evenhand.classifiers.opening import open_model
from evenhand.classifiers.protocol import Classifier
from evenhand.errors import InputError
from evenhand.reproduce.bias.groups import WORDS
from evenhand.reproduce.models import probabilities, trained
from evenhand.reproduce.paper import Workplace

PLAIN, BALANCED = "bag of words", "default model"
MEMBER = 0.5  # share of annotators from which a comment speaks of an identity
THEIRS = {PLAIN: "toxicity_1", BALANCED: "toxicity_6"}  # which of the paper's models each is set beside
Models = Mapping[str, Classifier]


@dataclass(frozen=True)
class Scored:
    """Comments with the scores of the models, and what their groups are."""

    frame: pl.DataFrame
    roles: Mapping[str, Any]
    on: str
    own: bool  # the paper's comments

    @property
    def models(self) -> list[str]:
        """Those that scored it."""
        return [name for name in (PLAIN, BALANCED) if name in self.frame.columns]

    def slice(self, model: str) -> dict[str, str]:
        """How the numbers of a model are filed."""
        return {"model": model} if len(self.models) > 1 else {}


def models(place: Workplace) -> dict[str, Classifier]:
    """The default model, and beside it a bag of words where there is something to train it on."""
    found: dict[str, Classifier] = {BALANCED: open_model("default")}
    if place.corpora.has("wikipedia_talk"):
        rows = place.corpora.load("wikipedia_talk").frame.filter(pl.col("split") == "train")
        found = {PLAIN: trained(rows, "unigram", progress=place.progress), **found}
    return found


def with_scores(frame: pl.DataFrame, asked: Models) -> pl.DataFrame:
    """A column for each model."""
    return frame.with_columns(**{name: probabilities(model, frame["text"])[:, 0] for name, model in asked.items()})


def comments(place: Workplace, asked: Models) -> Scored:
    """The paper's comments, or the nearest."""
    if place.corpora.has("civil_comments"):
        loaded = place.corpora.load("civil_comments")
        frame = with_scores(loaded.frame.filter(pl.col("split") == "train"), asked)
        groups = [name for name in loaded.roles["groups"] if (frame[name] >= MEMBER).any()]
        roles = {**loaded.roles, "groups": groups}
        return Scored(frame, roles, f"CivilComments, {len(frame):,} comments, as in the paper", own=True)
    loaded = place.corpora.load("wikipedia_talk")
    unseen = loaded.frame.filter(pl.col("split") != "train")
    if not len(unseen):
        raise InputError("no comments are left beside the train split", source=str(place.folder))
    on = (
        f"nearest real data: {len(unseen):,} Wikipedia talk page comments that neither model has seen, in the groups "
        "whose words they hold; nobody was asked whom they speak of"
    )
    words = {name: own for name, own in WORDS.items() if holds(unseen, own)}
    return Scored(with_scores(unseen, asked), {**loaded.roles, "terms": words}, on, own=False)


def holds(frame: pl.DataFrame, words: Sequence[str]) -> bool:
    """Whether some text has one of the words."""
    return bool(frame["text"].str.contains(rf"(?i)\b(?:{'|'.join(words)})\b").any())
