"""Corpora of texts with one label each: CivilComments, Wikipedia talk pages, Reddit posts, tweets of several kinds."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.reproduce.corpora.corpus import YES_OR_NO, Corpus, CorpusFile, CorpusLayout, RemoteFile, RowCheck

CIVIL_IDENTITIES = (
    *("male", "female", "transgender", "other_gender"),
    *("heterosexual", "homosexual_gay_or_lesbian", "bisexual", "other_sexual_orientation"),
    *("christian", "jewish", "muslim", "hindu", "buddhist", "atheist", "other_religion"),
    *("black", "white", "asian", "latino", "other_race_or_ethnicity"),
    *("physical_disability", "intellectual_or_learning_disability", "psychiatric_or_mental_illness"),
    "other_disability",
)
TOXIC_KINDS = ("toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate")
JIGSAW_BUCKET = "https://storage.googleapis.com/jigsaw-unintended-bias-in-toxicity-classification"
LABEL_IS_SHARE = RowCheck("the toxicity is a share of annotators", pl.col("label").is_between(0.0, 1.0))


def read_civil_comments(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Shares of annotators; identities are empty where nobody was asked. The paper's comments are the train split."""
    (frame,) = frames
    named = frame.rename(
        {"comment_text": "text"} | {old: "label" for old in ("toxicity", "target") if old in frame.columns}
    )
    numbers = [name for name in ("label", *CIVIL_IDENTITIES) if name in named.columns]
    typed = named.with_columns(
        pl.col(numbers).cast(pl.Float64), pl.col("id").cast(pl.String), pl.col("text").cast(pl.String)
    )
    if "split" not in typed.columns:
        return typed.with_columns(split=pl.lit("train"))
    return typed


def read_challenge(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Any of six kinds is violating. Test rows without a label (−1: not used for scoring) are left out."""
    train, *rest = frames
    parts = [train.with_columns(split=pl.lit("train"))]
    if len(rest) == 2:
        joined = rest[0].join(rest[1], on="id", how="inner", maintain_order="left")
        parts.append(joined.filter(pl.col("toxic") >= 0).with_columns(split=pl.lit("test")))
    whole = pl.concat(
        [part.select("id", "comment_text", *TOXIC_KINDS, "split") for part in parts], how="vertical_relaxed"
    )
    return whole.select("id", "split", text="comment_text", label=pl.max_horizontal(TOXIC_KINDS).cast(pl.Int64))


def read_subtypes(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The publisher's archive of the same comments: train and test with all labels."""
    named = zip(frames, ("train", "test"), strict=True)
    whole = pl.concat([frame.with_columns(split=pl.lit(split)) for frame, split in named], how="vertical_relaxed")
    label = pl.max_horizontal(pl.col(TOXIC_KINDS).cast(pl.Float64)) >= 0.5
    return whole.select(pl.col("id").cast(pl.String), "split", text="comment_text", label=label.cast(pl.Int64))


def read_figshare(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
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


def read_prepared(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """As it is."""
    return frames[0]


CIVIL_COMMENTS = Corpus(
    name="civil_comments",
    title="CivilComments",
    page="https://www.kaggle.com/c/jigsaw-unintended-bias-in-toxicity-classification/data",
    licence="CC0",
    roles={"label": "label", "groups": CIVIL_IDENTITIES, "text": "text", "id": "id"},
    checks=(LABEL_IS_SHARE,),
    layouts=(
        CorpusLayout(
            "all_data.csv of the challenge",
            (CorpusFile("all_data.csv", ("id", "toxicity", "comment_text"), (*CIVIL_IDENTITIES, "split")),),
            read_civil_comments,
        ),
        CorpusLayout(
            "archive of the publisher",
            (CorpusFile("civil_comments.csv", ("id", "toxicity", "comment_text"), (*CIVIL_IDENTITIES, "split")),),
            read_civil_comments,
        ),
        CorpusLayout(
            "train.csv of the challenge",
            (CorpusFile("train.csv", ("id", "target", "comment_text"), CIVIL_IDENTITIES),),
            read_civil_comments,
        ),
    ),
    remotes=(
        RemoteFile(
            f"{JIGSAW_BUCKET}/civil_comments_v1.2.zip",
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
        CorpusLayout(
            "toxic comment challenge",
            (
                CorpusFile("train.csv", ("id", "comment_text", *TOXIC_KINDS)),
                CorpusFile("test.csv", ("id", "comment_text"), needed=False),
                CorpusFile("test_labels.csv", ("id", *TOXIC_KINDS), needed=False),
            ),
            read_challenge,
        ),
        CorpusLayout(
            "archive of the publisher",
            tuple(
                CorpusFile(f"wikidata_{part}.csv", ("id", "comment_text", *TOXIC_KINDS)) for part in ("train", "test")
            ),
            read_subtypes,
        ),
        CorpusLayout(
            "Figshare TSV",
            (
                CorpusFile("toxicity_annotated_comments.tsv", ("rev_id", "comment", "split")),
                CorpusFile("toxicity_annotations.tsv", ("rev_id", "worker_id", "toxicity")),
            ),
            read_figshare,
        ),
        CorpusLayout(
            "prepared Parquet", (CorpusFile("wikipedia_talk.parquet", ("id", "text", "label", "split")),), read_prepared
        ),
    ),
    remotes=(
        RemoteFile(
            f"{JIGSAW_BUCKET}/wikipedia_toxicity_subtypes.zip",
            "wikipedia_toxicity_subtypes.zip",
            38_644_519,
            "96b26bb75315a155d9897207ba801899b2657386d1ed83e63cdca9bdb058ddd4",
            ("wikidata_train.csv", "wikidata_test.csv"),
        ),
    ),
)
REDDIT_CAD = Corpus(
    name="reddit_cad",
    title="Contextual Abuse Dataset (Reddit)",
    page="https://zenodo.org/record/4881008",
    licence="CC BY 4.0",
    roles={"label": "label", "text": "text", "id": "id"},
    checks=(YES_OR_NO,),
    layouts=(
        CorpusLayout(
            "prepared Parquet",
            (CorpusFile("reddit_cad.parquet", ("id", "text", "labels", "label", "split")),),
            read_prepared,
        ),
    ),
)
WIKIPEDIA_CONTEXT = Corpus(
    name="wikipedia_context",
    title="Wikipedia comments with context, and a Perspective score",
    page="https://github.com/ipavlopoulos/context_toxicity",
    licence="Apache-2.0",
    roles={"label": "label", "score": ("api",), "text": "text", "id": "id"},
    checks=(YES_OR_NO, RowCheck("the score is a probability", pl.col("api").is_between(0.0, 1.0))),
    layouts=(
        CorpusLayout(
            "prepared Parquet",
            (CorpusFile("wikipedia_context_gc.parquet", ("id", "text", "label", "api")),),
            read_prepared,
        ),
    ),
)


EAST_ASIAN_CLASSES = {
    "none_of_the_above": "Neutral",
    "entity_directed_criticism": "Criticism",
    "entity_directed_hostility": "Hostility",
    "discussion_of_eastasian_prejudice": "Discussion",
    "counter_speech": "Discussion",
}
EAST_ASIAN_FILE = "hs_AsianPrejudice_20kdataset_cleaned_anonymized.tsv"


def read_east_asian_prejudice(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
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
    checks=(RowCheck("an expert's label is one of five kinds", pl.col("label") != ""),),
    layouts=(CorpusLayout("TSV", (CorpusFile(EAST_ASIAN_FILE, ("text", "expert")),), read_east_asian_prejudice),),
    remotes=(RemoteFile(f"https://zenodo.org/record/3816667/files/{EAST_ASIAN_FILE}", EAST_ASIAN_FILE),),
)
COVID_HATE = Corpus(
    name="covid_hate",
    title="COVID-HATE, 2,319 tweets",
    page="http://claws.cc.gatech.edu/covid/",
    licence="none stated",
    roles={"label": "label", "text": "text"},
    layouts=(
        CorpusLayout(
            "prepared Parquet", (CorpusFile("covid_hate.parquet", ("text", "label")),), lambda frames: frames[0]
        ),
    ),
)
