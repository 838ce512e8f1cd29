"""Corpora of texts of several kinds: one class each, some of them rare."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.reproduce.corpora.corpus import Check, Corpus, File, Layout, Remote

EAST_ASIAN_CLASSES = {
    "none_of_the_above": "Neutral",
    "entity_directed_criticism": "Criticism",
    "entity_directed_hostility": "Hostility",
    "discussion_of_eastasian_prejudice": "Discussion",
    "counter_speech": "Discussion",
}
NAME = "hs_AsianPrejudice_20kdataset_cleaned_anonymized.tsv"


def east_asian(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Four classes, as in the paper: discussion and counter speech, both rare, are one."""
    (frame,) = frames
    kind = pl.col("expert").replace_strict(EAST_ASIAN_CLASSES, default="", return_dtype=pl.String)
    return frame.select(text=pl.col("text").cast(pl.String), label=kind)


EAST_ASIAN_PREJUDICE = Corpus(
    name="east_asian_prejudice",
    title="East Asian Prejudice, 20,000 tweets",
    page="https://zenodo.org/record/3816667",
    licence="CC BY 4.0",
    roles={"label": "label", "text": "text"},
    checks=(Check("an expert's label is one of five kinds", pl.col("label") != ""),),
    layouts=(Layout("TSV", (File(NAME, ("text", "expert")),), east_asian),),
    remotes=(Remote(f"https://zenodo.org/record/3816667/files/{NAME}", NAME),),
)
COVID_HATE = Corpus(
    name="covid_hate",
    title="COVID-HATE, 2,319 tweets",
    page="http://claws.cc.gatech.edu/covid/",
    licence="none stated",
    roles={"label": "label", "text": "text"},
    layouts=(Layout("prepared Parquet", (File("covid_hate.parquet", ("text", "label")),), lambda frames: frames[0]),),
)
