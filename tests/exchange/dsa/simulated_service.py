"""A synthetic service whose truth is known: its content, what automation and people removed, and samples of it."""

from __future__ import annotations

import numpy as np
import polars as pl

import evenhand as eh
from evenhand.exchange.dsa.period import ReportingPeriod
from evenhand.exchange.dsa.study import AutomationStudy, StudyPurpose

PERIOD = ReportingPeriod.parse("2026-01-01/2026-06-30")
LANGUAGES = {"en": 0.45, "de": 0.25, "fr": 0.15, "pl": 0.1, "et": 0.05}
LABELS = {"label": "label", "decision": "decision", "inclusion": "inclusion", "stratum": "stratum"}


def content(items: int = 20_000, seed: int = 0) -> pl.DataFrame:
    """All content of a period: its language, whether it violates, and what was decided."""
    rng = np.random.default_rng(seed)
    language = rng.choice(list(LANGUAGES), items, p=list(LANGUAGES.values()))
    shift = np.array([list(LANGUAGES).index(code) for code in language]) * 0.05
    bad = rng.random(items) < 0.12
    automated = np.where(bad, rng.random(items) < 0.75 - shift, rng.random(items) < 0.02)
    person = ~automated & np.where(bad, rng.random(items) < 0.4, rng.random(items) < 0.003)
    decision = np.where(automated, "automated", np.where(person, "person", "none"))
    return pl.DataFrame({"language": language, "label": bad, "decision": decision}).with_columns(
        stratum=pl.col("language")
        + pl.when(pl.col("decision") == "automated").then(pl.lit(" taken")).otherwise(pl.lit(""))
    )


def sample(items: pl.DataFrame, seed: int, *, most: int = 150) -> pl.DataFrame:
    """So many of each stratum, at random, with the probability of each."""
    rng = np.random.default_rng(seed)
    shuffled = items.with_columns(draw=pl.Series(rng.random(len(items)))).sort("draw")
    size = pl.len().over("stratum")
    return shuffled.with_columns(
        place=pl.int_range(pl.len()).over("stratum"), inclusion=pl.min_horizontal(most, size) / size
    ).filter(pl.col("place") < most)


def truth(items: pl.DataFrame, *measures: str) -> dict[str, float]:
    """Accuracy, precision and recall, counted from the definition."""
    found = wrong = missed = passed = 0
    for bad, decision in items.select("label", "decision").iter_rows():
        taken = decision in measures
        found, wrong = found + (bad and taken), wrong + (taken and not bad)
        missed, passed = missed + (bad and not taken), passed + (not bad and not taken)
    return {
        "Accuracy": (found + passed) / (found + wrong + missed + passed),
        "Precision": found / (found + wrong),
        "Recall": found / (found + missed),
    }


def study(labelled: pl.DataFrame, period: str = str(PERIOD), **changed: object) -> AutomationStudy:
    """What the labels show."""
    roles = {**LABELS, "audits": "accuracy", "slices": "language"}
    (automated,) = eh.audit(labelled, **roles, removes=["automated"]).findings
    (anybody,) = eh.audit(labelled, **roles, removes=["automated", "person"]).findings
    purpose = StudyPurpose("terms of use", "v3", "all", period)
    made = {"detection": anybody, **changed}
    return AutomationStudy(automated, "language", purpose, "a stratified design", **made)
