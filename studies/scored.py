"""Seven real sets of scores and labels, and what is done to the scores to make a classifier useless or misleading.

They are read from the folder EVENHAND_DATA: public research data that is no part of the project. The scores of
Wikipedia talk pages are those of a word-unigram model trained here on its train split.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
from scipy.special import expit, logit

SETS = ("wikipedia", "threat", "severe_toxic", "identity_hate", "context")
MORE_SETS = (*SETS, "obscene", "insult")
CLASSIFIERS = ("as it is", "shuffled", "overconfident", "underconfident")


@dataclass(frozen=True)
class Scored:
    score: np.ndarray
    label: np.ndarray

    @property
    def prevalence(self) -> float:
        return float(self.label.mean())


@cache
def real(name: str) -> Scored:
    folder = Path(os.environ["EVENHAND_DATA"])
    if name == "wikipedia":
        return _wikipedia(pl.read_parquet(folder / "wikipedia_talk.parquet"))
    if name == "context":
        found = pl.read_parquet(folder / "wikipedia_context_gc.parquet")
        return Scored(found["api"].to_numpy(), found["label"].to_numpy().astype(float))
    found = pl.read_parquet(folder / "multilingual_predictions_a.parquet", columns=[f"p_{name}", name])
    return Scored(found[f"p_{name}"].to_numpy().astype(float), found[name].to_numpy().astype(float))


def misled(scored: Scored, classifier: str, rng: np.random.Generator) -> Scored:
    """The same labels with the scores of another classifier."""
    height = logit(np.clip(scored.score, 1e-9, 1.0 - 1e-9))
    score = {
        "as it is": lambda: scored.score,
        "shuffled": lambda: rng.permutation(scored.score),
        "overconfident": lambda: expit(3.0 * height - 3.0),
        "underconfident": lambda: expit(0.3 * height + 2.0),
    }[classifier]()
    return Scored(score, scored.label)


def _wikipedia(rows: pl.DataFrame) -> Scored:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    train, rest = rows.filter(pl.col("split") == "train"), rows.filter(pl.col("split") != "train")
    words = TfidfVectorizer(sublinear_tf=True, token_pattern=r"\b\w+\b", min_df=2)
    model = LogisticRegression(C=10.0, solver="liblinear", random_state=0)
    model.fit(words.fit_transform(train["text"].to_list()), train["label"].to_numpy())
    score = model.predict_proba(words.transform(rest["text"].to_list()))[:, 1]
    return Scored(score, rest["label"].to_numpy().astype(float))
