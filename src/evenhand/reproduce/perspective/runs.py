"""Corpora of annotations, audited with models trained on other corpora.

The paper's eleven models are not available. In their place stand models trained here: on comments of encyclopaedia
talk pages, on Reddit posts and on tweets, each a bag of words and a model of words and parts of words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from evenhand.catalogue import Measure
from evenhand.classifiers.models import open_model
from evenhand.classifiers.protocol import Classifier
from evenhand.estimate import Estimate
from evenhand.finding import Finding, SliceKey
from evenhand.reports import audit
from evenhand.reproduce.result import find_estimate
from evenhand.reproduce.workspace import Workspace, predict_probabilities, train_stand_in

CORPUS_NAMES = ("crehate", "sbic")
GROUPS = {  # as the paper files them, and as the audit names them
    "white_men": "men × white",
    "white_women": "women × white",
    "nonwhite_men": "men × non-white",
    "nonwhite_women": "women × non-white",
}
TITLES = {"white_men": "white men", "white_women": "white women", "nonwhite_men": "non-white men"}
TITLES |= {"nonwhite_women": "non-white women"}
SINGLE_MEMBER = {"members": 1, "anchor": 0.0}
DEFAULT_MODEL = "default model (Wikipedia)"


@dataclass(frozen=True)
class AuditedCorpus:
    """What the audit found on one corpus, and how many annotators it could not place."""

    name: str
    title: str
    finding: Finding
    left_out: int
    note: str

    @property
    def models(self) -> tuple[str, ...]:
        """In the order they were made; one alone has no name of its own."""
        return tuple(name or DEFAULT_MODEL for name, _ in self.finding.models)

    def get(self, measure: Measure, model: str, **slice_: str) -> Estimate | None:
        """Of one model; None where it was not taken."""
        return find_estimate(self.finding, measure, {**self.finding.slice_of(model), **slice_})

    @property
    def groups(self) -> dict[str, str]:
        """The groups of the paper that are shown."""
        shown = self.finding.values(SliceKey.ANNOTATORS)
        return {name: ours for name, ours in GROUPS.items() if ours in shown}


def corpus_models(place: Workspace) -> dict[str, Classifier]:
    """Two for each corpus that is available."""
    models: dict[str, Classifier] = {DEFAULT_MODEL: open_model("default")}
    learnt = {"Wikipedia": "wikipedia_talk", "Reddit": "reddit_cad", "tweets": "md_agreement"}
    for title, corpus in learnt.items():
        if not place.corpora.has(corpus):
            continue
        rows = _training_rows(place, corpus)
        models[f"bag of words ({title})"] = train_stand_in(rows, "unigram", progress=place.progress)
        if corpus != "wikipedia_talk":
            models[f"parts of words ({title})"] = train_stand_in(
                rows, "linear", progress=place.progress, options=SINGLE_MEMBER
            )
    return models


def _training_rows(place: Workspace, corpus: str) -> pl.DataFrame:
    frame = place.corpora.load(corpus).frame
    if corpus == "md_agreement":  # what most of the five say
        return frame.group_by("item", "text", maintain_order=True).agg((pl.col("label").mean() > 0.5).cast(pl.Int64))
    return frame.filter(pl.col("split") == "train")


def audit_corpus(place: Workspace, name: str, models: Mapping[str, Classifier]) -> AuditedCorpus:
    """The audit of all models; annotators who do not say their gender or ethnicity take no part, as in the paper."""
    loaded = place.corpora.load(name)
    placed = loaded.frame.filter(pl.col("gender").is_not_null() & pl.col("ethnicity").is_not_null())
    items = placed.select("item", "text").unique("item", maintain_order=True)
    scores = {title: predict_probabilities(model, items["text"])[:, 0] for title, model in models.items()}
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
    return AuditedCorpus(name, loaded.corpus.title, finding, left_out, loaded.layout.note)
