"""Corpora of labels by annotators, and models to hold against them.

The paper's eleven models cannot be had. In their place stand models made here from other corpora: of comments on
encyclopaedia talk pages, of Reddit posts and of tweets, each a bag of words and a model of words and parts of words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from evenhand.classifiers.opening import open_model
from evenhand.classifiers.protocol import Classifier
from evenhand.finding import Finding
from evenhand.reports import audit
from evenhand.reproduce.models import probabilities, trained
from evenhand.reproduce.paper import Workplace

CORPORA = ("crehate", "sbic")
GROUPS = {  # as the paper files them, and as the audit names them
    "white_men": "men × white",
    "white_women": "women × white",
    "nonwhite_men": "men × non-white",
    "nonwhite_women": "women × non-white",
}
TITLES = {"white_men": "white men", "white_women": "white women", "nonwhite_men": "non-white men"}
TITLES |= {"nonwhite_women": "non-white women"}
SINGLE = {"members": 1, "anchor": 0.0}
DEFAULT = "default model (Wikipedia)"


@dataclass(frozen=True)
class Judged:
    """What the audit found on one corpus, and how many annotators it could not place."""

    name: str
    title: str
    finding: Finding
    left_out: int
    note: str

    @property
    def models(self) -> tuple[str, ...]:
        """In the order they were made; one alone has no name of its own."""
        return self.finding.values("model") or (DEFAULT,)

    def slice(self, model: str) -> dict[str, str]:
        """How the numbers of a model are filed."""
        return {"model": model} if len(self.models) > 1 else {}

    @property
    def groups(self) -> dict[str, str]:
        """The groups of the paper that are shown."""
        shown = self.finding.values("annotators")
        return {name: ours for name, ours in GROUPS.items() if ours in shown}


def models(place: Workplace) -> dict[str, Classifier]:
    """Two of each corpus that is at hand."""
    found: dict[str, Classifier] = {DEFAULT: open_model("default")}
    learnt = {"Wikipedia": "wikipedia_talk", "Reddit": "reddit_cad", "tweets": "md_agreement"}
    for title, corpus in learnt.items():
        if not place.corpora.has(corpus):
            continue
        rows = _to_learn(place, corpus)
        found[f"bag of words ({title})"] = trained(rows, "unigram", progress=place.progress)
        if corpus != "wikipedia_talk":
            found[f"parts of words ({title})"] = trained(rows, "linear", progress=place.progress, options=SINGLE)
    return found


def _to_learn(place: Workplace, corpus: str) -> pl.DataFrame:
    frame = place.corpora.load(corpus).frame
    if corpus == "md_agreement":  # what most of the five say
        return frame.group_by("item", "text", maintain_order=True).agg((pl.col("label").mean() > 0.5).cast(pl.Int64))
    return frame.filter(pl.col("split") == "train")


def judged(place: Workplace, name: str, asked: Mapping[str, Classifier]) -> Judged:
    """The audit of all models; annotators who do not say their gender or ethnicity take no part, as in the paper."""
    loaded = place.corpora.load(name)
    placed = loaded.frame.filter(pl.col("gender").is_not_null() & pl.col("ethnicity").is_not_null())
    items = placed.select("item", "text").unique("item", maintain_order=True)
    scores = {title: probabilities(model, items["text"])[:, 0] for title, model in asked.items()}
    frame = placed.drop("text").join(items.drop("text").with_columns(**scores), on="item", how="left")
    roles = {role: columns for role, columns in loaded.roles.items() if role != "text"}
    finding = audit(
        frame,
        audits="perspective",
        score=list(scores),
        **roles,
        seed=place.seed,
        replicates=place.times(200, 50),
        permutations=place.times(999, 199),
        progress=place.progress,
    ).findings[0]
    left_out = loaded.frame["annotator"].n_unique() - placed["annotator"].n_unique()
    return Judged(name, loaded.corpus.title, finding, left_out, loaded.layout.note)
