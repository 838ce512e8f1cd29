"""Corpora of annotations: who gave which label to which text, and how annotators describe themselves."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.reproduce.corpora.corpus import YES_OR_NO, Corpus, CorpusFile, CorpusLayout, RemoteFile, RowCheck

ANNOTATION_ROLES = {
    "item": "item",
    "annotator": "annotator",
    "label": "label",
    "text": "text",
    "annotator_groups": ("gender", "ethnicity"),
    "within": "country",
}
SBIC_COLUMNS = ("post", "WorkerId", "annotatorGender", "annotatorRace", "offensiveYN")
CREHATE_COLUMNS = ("ID", "annotator_id", "nationality", "ethnicity", "gender", "annotation")
GITHUB = "https://raw.githubusercontent.com"
CREHATE_AT = f"{GITHUB}/nlee0212/CREHate/c4cd7117ef67883674e263b9e41b15ec2b644502/data"
UNANSWERED = ("na", "", "None")


def gender_group(column: str) -> pl.Expr:
    """Women and men, in whatever spelling; others and those who do not say are left open."""
    return pl.col(column).replace_strict(
        {"woman": "women", "female": "women", "man": "men", "male": "men"}, default=None, return_dtype=pl.String
    )


def ethnicity_group(column: str) -> pl.Expr:
    """White and everybody else, as in the paper; those who do not say are left open."""
    answer = pl.col(column).cast(pl.String)
    return (
        pl.when(answer.is_null() | answer.is_in(UNANSWERED))
        .then(None)
        .when(answer.str.to_lowercase() == "white")
        .then(pl.lit("white"))
        .otherwise(pl.lit("non-white"))
    )


def read_sbic(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """One row for each label: a post has several rows of an annotator where it speaks of several groups.

    A half (maybe) counts as offensive; where somebody gave both answers to a post, offensive counts.
    """
    whole = pl.concat(frames, how="vertical_relaxed")
    answered = whole.with_columns(pl.col("offensiveYN").cast(pl.Float64, strict=False)).drop_nulls("offensiveYN")
    named = answered.select(
        item=pl.col("post"),
        text=pl.col("post"),
        annotator=pl.col("WorkerId").cast(pl.String),
        gender=gender_group("annotatorGender"),
        ethnicity=ethnicity_group("annotatorRace"),
        label=(pl.col("offensiveYN") >= 0.5).cast(pl.Int64),
    )
    described = named.group_by("item", "text", "annotator", maintain_order=True).agg(pl.col("label").max())
    return described.join(annotator_descriptions(named), on="annotator", how="left", maintain_order="left")


def annotator_descriptions(frame: pl.DataFrame) -> pl.DataFrame:
    """What each annotator says most often of themselves."""
    columns = [name for name in ("gender", "ethnicity", "country") if name in frame.columns]
    most = [pl.col(name).drop_nulls().mode(maintain_order=True).first().alias(name) for name in columns]
    return frame.group_by("annotator", maintain_order=True).agg(most)


def read_crehate(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Labels 0 and 1; 2 (cannot tell) is no judgement. Of an annotator's two labels of a text the first counts."""
    raw, *texts = frames
    named = raw.filter(pl.col("annotation") < 2).select(
        item=pl.col("ID"),
        annotator=pl.col("annotator_id").cast(pl.String),
        country=pl.col("nationality"),
        gender=gender_group("gender"),
        ethnicity=ethnicity_group("ethnicity"),
        label=pl.col("annotation").cast(pl.Int64),
    )
    once = named.unique(["item", "annotator"], keep="first", maintain_order=True)
    known = pl.concat([text.select(item="ID", text="Text") for text in texts]).unique("item", maintain_order=True)
    return once.join(known, on="item", how="left", maintain_order="left")


def read_md_agreement(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Five annotators a tweet, offensive or not."""
    parts = [
        frame.select(
            item=pl.col("split") + "-" + pl.col("key"),
            text=pl.col("text"),
            domain=pl.col("domain"),
            split=pl.col("split"),
            annotator=pl.col("annotators").str.split(","),
            label=pl.col("annotations").str.split(","),
        )
        for frame in frames
    ]
    rows = pl.concat(parts).explode("annotator", "label")
    return rows.with_columns(
        annotator=pl.col("annotator").str.strip_chars(), label=pl.col("label").str.strip_chars().cast(pl.Int64)
    )


SBIC = Corpus(
    name="sbic",
    title="Social Bias Inference Corpus v2",
    page="https://maartensap.com/social-bias-frames/",
    licence="CC BY 4.0",
    roles={key: value for key, value in ANNOTATION_ROLES.items() if key != "within"},
    checks=(YES_OR_NO,),
    layouts=(
        CorpusLayout(
            "three splits",
            tuple(CorpusFile(f"SBIC.v2.{part}.csv", SBIC_COLUMNS) for part in ("trn", "dev", "tst")),
            read_sbic,
        ),
        CorpusLayout(
            "development split",
            (CorpusFile("SBIC.v2.dev.csv", SBIC_COLUMNS),),
            read_sbic,
            "the development split only, about a ninth of the corpus",
        ),
        CorpusLayout(
            "prepared Parquet",
            (CorpusFile("sbic_dev_annotations.parquet", SBIC_COLUMNS),),
            read_sbic,
            "the development split only, about a ninth of the corpus",
        ),
    ),
    remotes=(
        RemoteFile(
            "https://maartensap.com/social-bias-frames/SBIC.v2.tgz",
            "SBIC.v2.tgz",
            members=("SBIC.v2.trn.csv", "SBIC.v2.dev.csv", "SBIC.v2.tst.csv"),
        ),
    ),
)
CREHATE = Corpus(
    name="crehate",
    title="CREHate",
    page="https://github.com/nlee0212/CREHate",
    licence="none stated",
    roles=ANNOTATION_ROLES,
    checks=(YES_OR_NO, RowCheck("every label is of a known text", pl.col("text").is_not_null())),
    layouts=(
        CorpusLayout(
            "CSV",
            (
                CorpusFile("CREHate_raw_annotations.csv", CREHATE_COLUMNS),
                CorpusFile("CREHate_SBIC.csv", ("ID", "Text")),
                CorpusFile("CREHate_CP.csv", ("ID", "Text")),
            ),
            read_crehate,
        ),
        CorpusLayout(
            "prepared Parquet",
            (
                CorpusFile("crehate_annotations.parquet", CREHATE_COLUMNS),
                CorpusFile("crehate_texts.parquet", ("ID", "Text")),
            ),
            read_crehate,
        ),
    ),
    remotes=tuple(
        RemoteFile(f"{CREHATE_AT}/{name}", name)
        for name in ("CREHate_raw_annotations.csv", "CREHate_SBIC.csv", "CREHate_CP.csv")
    ),
)
MD_COLUMNS = ("item_id", "text", "annotator_id", "label", "domain", "split")
MD_AGREEMENT = Corpus(
    name="md_agreement",
    title="MD-Agreement",
    page="https://github.com/Le-Wi-Di/le-wi-di.github.io (data_post-competition.zip)",
    licence="none stated",
    roles={"item": "item", "annotator": "annotator", "label": "label", "text": "text"},
    checks=(YES_OR_NO, RowCheck("every label has an annotator", pl.col("annotator") != "")),
    layouts=(
        CorpusLayout(
            "JSON of the shared task",
            tuple(
                CorpusFile(f"MD-Agreement_{part}.json", ("key", "text", "annotators", "annotations", "domain", "split"))
                for part in ("train", "dev", "test")
            ),
            read_md_agreement,
        ),
        CorpusLayout(
            "prepared Parquet",
            (CorpusFile("md_agreement_annotations.parquet", MD_COLUMNS),),
            lambda frames: frames[0].rename({"item_id": "item", "annotator_id": "annotator"}),
        ),
    ),
    remotes=(
        RemoteFile(
            f"{GITHUB}/Le-Wi-Di/le-wi-di.github.io/37ed47e84d3709a3eb08c67dd3c65d0f934e2b9c/data_post-competition.zip",
            "data_post-competition.zip",
            members=("MD-Agreement_train.json", "MD-Agreement_dev.json", "MD-Agreement_test.json"),
        ),
    ),
)
