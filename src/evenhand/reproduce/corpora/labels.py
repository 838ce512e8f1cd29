"""Corpora of labels by annotators: who said what of which text, and what the annotators say of themselves."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.reproduce.corpora.corpus import YES_OR_NO, Check, Corpus, File, Layout, Remote

ROLES = {
    "item": "item",
    "annotator": "annotator",
    "label": "label",
    "text": "text",
    "annotator_groups": ("gender", "ethnicity"),
    "within": "country",
}
SBIC_COLUMNS = ("post", "WorkerId", "annotatorGender", "annotatorRace", "offensiveYN")
RAW = ("ID", "annotator_id", "nationality", "ethnicity", "gender", "annotation")
GITHUB = "https://raw.githubusercontent.com"
CREHATE_AT = f"{GITHUB}/nlee0212/CREHate/c4cd7117ef67883674e263b9e41b15ec2b644502/data"
NOT_SAID = ("na", "", "None")


def gender(column: str) -> pl.Expr:
    """Women and men, in whatever spelling; others and those who do not say are left open."""
    return pl.col(column).replace_strict(
        {"woman": "women", "female": "women", "man": "men", "male": "men"}, default=None, return_dtype=pl.String
    )


def ethnicity(column: str) -> pl.Expr:
    """White and everybody else, as in the paper; those who do not say are left open."""
    said = pl.col(column).cast(pl.String)
    return (
        pl.when(said.is_null() | said.is_in(NOT_SAID))
        .then(None)
        .when(said.str.to_lowercase() == "white")
        .then(pl.lit("white"))
        .otherwise(pl.lit("non-white"))
    )


def sbic(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """One row for each label: a post has several rows of an annotator where it speaks of several groups.

    A half (maybe) counts as offensive; where somebody gave both answers to a post, offensive counts.
    """
    whole = pl.concat(frames, how="vertical_relaxed")
    said = whole.with_columns(pl.col("offensiveYN").cast(pl.Float64, strict=False)).drop_nulls("offensiveYN")
    named = said.select(
        item=pl.col("post"),
        text=pl.col("post"),
        annotator=pl.col("WorkerId").cast(pl.String),
        gender=gender("annotatorGender"),
        ethnicity=ethnicity("annotatorRace"),
        label=(pl.col("offensiveYN") >= 0.5).cast(pl.Int64),
    )
    described = named.group_by("item", "text", "annotator", maintain_order=True).agg(pl.col("label").max())
    return described.join(people(named), on="annotator", how="left", maintain_order="left")


def people(frame: pl.DataFrame) -> pl.DataFrame:
    """What each annotator says most often of themselves."""
    columns = [name for name in ("gender", "ethnicity", "country") if name in frame.columns]
    most = [pl.col(name).drop_nulls().mode(maintain_order=True).first().alias(name) for name in columns]
    return frame.group_by("annotator", maintain_order=True).agg(most)


def crehate(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Labels 0 and 1; 2 (cannot tell) is no judgement. Of an annotator's two labels of a text the first counts."""
    raw, *texts = frames
    named = raw.filter(pl.col("annotation") < 2).select(
        item=pl.col("ID"),
        annotator=pl.col("annotator_id").cast(pl.String),
        country=pl.col("nationality"),
        gender=gender("gender"),
        ethnicity=ethnicity("ethnicity"),
        label=pl.col("annotation").cast(pl.Int64),
    )
    once = named.unique(["item", "annotator"], keep="first", maintain_order=True)
    known = pl.concat([text.select(item="ID", text="Text") for text in texts]).unique("item", maintain_order=True)
    return once.join(known, on="item", how="left", maintain_order="left")


def md_agreement(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
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
    roles={key: value for key, value in ROLES.items() if key != "within"},
    checks=(YES_OR_NO,),
    layouts=(
        Layout(
            "three splits", tuple(File(f"SBIC.v2.{part}.csv", SBIC_COLUMNS) for part in ("trn", "dev", "tst")), sbic
        ),
        Layout(
            "development split",
            (File("SBIC.v2.dev.csv", SBIC_COLUMNS),),
            sbic,
            "the development split only, about a ninth of the corpus",
        ),
        Layout(
            "prepared Parquet",
            (File("sbic_dev_annotations.parquet", SBIC_COLUMNS),),
            sbic,
            "the development split only, about a ninth of the corpus",
        ),
    ),
    remotes=(
        Remote(
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
    roles=ROLES,
    checks=(YES_OR_NO, Check("every label is of a known text", pl.col("text").is_not_null())),
    layouts=(
        Layout(
            "CSV",
            (
                File("CREHate_raw_annotations.csv", RAW),
                File("CREHate_SBIC.csv", ("ID", "Text")),
                File("CREHate_CP.csv", ("ID", "Text")),
            ),
            crehate,
        ),
        Layout(
            "prepared Parquet",
            (File("crehate_annotations.parquet", RAW), File("crehate_texts.parquet", ("ID", "Text"))),
            crehate,
        ),
    ),
    remotes=tuple(
        Remote(f"{CREHATE_AT}/{name}", name)
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
    checks=(YES_OR_NO, Check("every label has an annotator", pl.col("annotator") != "")),
    layouts=(
        Layout(
            "JSON of the shared task",
            tuple(
                File(f"MD-Agreement_{part}.json", ("key", "text", "annotators", "annotations", "domain", "split"))
                for part in ("train", "dev", "test")
            ),
            md_agreement,
        ),
        Layout(
            "prepared Parquet",
            (File("md_agreement_annotations.parquet", MD_COLUMNS),),
            lambda frames: frames[0].rename({"item_id": "item", "annotator_id": "annotator"}),
        ),
    ),
    remotes=(
        Remote(
            f"{GITHUB}/Le-Wi-Di/le-wi-di.github.io/37ed47e84d3709a3eb08c67dd3c65d0f934e2b9c/data_post-competition.zip",
            "data_post-competition.zip",
            members=("MD-Agreement_train.json", "MD-Agreement_dev.json", "MD-Agreement_test.json"),
        ),
    ),
)
