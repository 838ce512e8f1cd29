"""Corpora of labelled comments: CivilComments, Wikipedia talk pages, and the nearest to them."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.reproduce.corpora.corpus import YES_OR_NO, Check, Corpus, File, Layout, Remote

IDENTITIES = (
    *("male", "female", "transgender", "other_gender"),
    *("heterosexual", "homosexual_gay_or_lesbian", "bisexual", "other_sexual_orientation"),
    *("christian", "jewish", "muslim", "hindu", "buddhist", "atheist", "other_religion"),
    *("black", "white", "asian", "latino", "other_race_or_ethnicity"),
    *("physical_disability", "intellectual_or_learning_disability", "psychiatric_or_mental_illness"),
    "other_disability",
)
KINDS = ("toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate")
BUCKET = "https://storage.googleapis.com/jigsaw-unintended-bias-in-toxicity-classification"
SHARE = Check("the toxicity is a share of annotators", pl.col("label").is_between(0.0, 1.0))


def civil(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Shares of annotators; identities are empty where nobody was asked. The paper's comments are the train split."""
    (frame,) = frames
    named = frame.rename(
        {"comment_text": "text"} | {old: "label" for old in ("toxicity", "target") if old in frame.columns}
    )
    numbers = [name for name in ("label", *IDENTITIES) if name in named.columns]
    typed = named.with_columns(
        pl.col(numbers).cast(pl.Float64), pl.col("id").cast(pl.String), pl.col("text").cast(pl.String)
    )
    if "split" not in typed.columns:
        return typed.with_columns(split=pl.lit("train"))
    return typed


def challenge(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Any of six kinds is violating. Test rows without a label (−1: not used for scoring) are left out."""
    train, *rest = frames
    parts = [train.with_columns(split=pl.lit("train"))]
    if len(rest) == 2:
        joined = rest[0].join(rest[1], on="id", how="inner", maintain_order="left")
        parts.append(joined.filter(pl.col("toxic") >= 0).with_columns(split=pl.lit("test")))
    whole = pl.concat([part.select("id", "comment_text", *KINDS, "split") for part in parts], how="vertical_relaxed")
    return whole.select("id", "split", text="comment_text", label=pl.max_horizontal(KINDS).cast(pl.Int64))


def subtypes(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The publisher's archive of the same comments: train and test with all labels."""
    named = zip(frames, ("train", "test"), strict=True)
    whole = pl.concat([frame.with_columns(split=pl.lit(split)) for frame, split in named], how="vertical_relaxed")
    label = pl.max_horizontal(pl.col(KINDS).cast(pl.Float64)) >= 0.5
    return whole.select(pl.col("id").cast(pl.String), "split", text="comment_text", label=label.cast(pl.Int64))


def figshare(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Labels by workers: violating where half of them say toxic or more."""
    comments, annotations = frames
    share = annotations.group_by("rev_id").agg(share=pl.col("toxicity").cast(pl.Float64).mean())
    plain = pl.col("comment").str.replace_all("NEWLINE_TOKEN", "\n").str.replace_all("TAB_TOKEN", "\t")
    return comments.join(share, on="rev_id", how="inner", maintain_order="left").select(
        id=pl.col("rev_id").cast(pl.Int64).cast(pl.String),
        split=pl.col("split").replace("dev", "validation"),
        text=plain,
        label=(pl.col("share") >= 0.5).cast(pl.Int64),
    )


def plain(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """As it is."""
    return frames[0]


CIVIL_COMMENTS = Corpus(
    name="civil_comments",
    title="CivilComments",
    page="https://www.kaggle.com/c/jigsaw-unintended-bias-in-toxicity-classification/data",
    licence="CC0",
    roles={"label": "label", "groups": IDENTITIES, "text": "text", "id": "id"},
    checks=(SHARE,),
    layouts=(
        Layout(
            "all_data.csv of the challenge",
            (File("all_data.csv", ("id", "toxicity", "comment_text"), (*IDENTITIES, "split")),),
            civil,
        ),
        Layout(
            "archive of the publisher",
            (File("civil_comments.csv", ("id", "toxicity", "comment_text"), (*IDENTITIES, "split")),),
            civil,
        ),
        Layout("train.csv of the challenge", (File("train.csv", ("id", "target", "comment_text"), IDENTITIES),), civil),
    ),
    remotes=(
        Remote(
            f"{BUCKET}/civil_comments_v1.2.zip",
            "civil_comments_v1.2.zip",
            448_174_578,
            "89a60573acbbfaf189b2c77278115eefcbc1654dbd8235dd8fbecc1b83f1585c",
            ("civil_comments.csv",),
        ),
    ),
)
WIKIPEDIA_TALK = Corpus(
    name="wikipedia_talk",
    title="Wikipedia talk page comments (Jigsaw)",
    page="https://www.kaggle.com/c/jigsaw-toxic-comment-classification-challenge/data or https://doi.org/10.6084/m9.figshare.4563973",
    licence="labels CC0, texts CC BY-SA",
    roles={"label": "label", "text": "text", "id": "id"},
    checks=(YES_OR_NO,),
    layouts=(
        Layout(
            "toxic comment challenge",
            (
                File("train.csv", ("id", "comment_text", *KINDS)),
                File("test.csv", ("id", "comment_text"), needed=False),
                File("test_labels.csv", ("id", *KINDS), needed=False),
            ),
            challenge,
        ),
        Layout(
            "archive of the publisher",
            tuple(File(f"wikidata_{part}.csv", ("id", "comment_text", *KINDS)) for part in ("train", "test")),
            subtypes,
        ),
        Layout(
            "Figshare TSV",
            (
                File("toxicity_annotated_comments.tsv", ("rev_id", "comment", "split")),
                File("toxicity_annotations.tsv", ("rev_id", "worker_id", "toxicity")),
            ),
            figshare,
        ),
        Layout("prepared Parquet", (File("wikipedia_talk.parquet", ("id", "text", "label", "split")),), plain),
    ),
    remotes=(
        Remote(
            f"{BUCKET}/wikipedia_toxicity_subtypes.zip",
            "wikipedia_toxicity_subtypes.zip",
            38_644_519,
            "96b26bb75315a155d9897207ba801899b2657386d1ed83e63cdca9bdb058ddd4",
            ("wikidata_train.csv", "wikidata_test.csv"),
        ),
    ),
)
REDDIT = Corpus(
    name="reddit_cad",
    title="Contextual Abuse Dataset (Reddit)",
    page="https://zenodo.org/record/4881008",
    licence="CC BY 4.0",
    roles={"label": "label", "text": "text", "id": "id"},
    checks=(YES_OR_NO,),
    layouts=(
        Layout("prepared Parquet", (File("reddit_cad.parquet", ("id", "text", "labels", "label", "split")),), plain),
    ),
)
CONTEXT = Corpus(
    name="wikipedia_context",
    title="Wikipedia comments with context, and a Perspective score",
    page="https://github.com/ipavlopoulos/context_toxicity",
    licence="Apache-2.0",
    roles={"label": "label", "score": ("api",), "text": "text", "id": "id"},
    checks=(YES_OR_NO, Check("the score is a probability", pl.col("api").is_between(0.0, 1.0))),
    layouts=(
        Layout("prepared Parquet", (File("wikipedia_context_gc.parquet", ("id", "text", "label", "api")),), plain),
    ),
)
