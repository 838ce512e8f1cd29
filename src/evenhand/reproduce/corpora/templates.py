"""Corpora of sentences made from templates, in which who is spoken of is the only difference."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.reproduce.corpora.corpus import YES_OR_NO, Check, Corpus, File, Layout, Remote

JIGSAW = "https://raw.githubusercontent.com/conversationai/unintended-ml-bias-analysis"
HATECHECK_AT = "https://raw.githubusercontent.com/paul-rottger/hatecheck-data/d84302298ceeb34f4b0dde2d8a1f4932c2caa612"
CASES = ("functionality", "case_id", "test_case", "label_gold", "target_ident")
PAGE = "https://github.com/conversationai/unintended-ml-bias-analysis"


def madlibs(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """BAD sentences are violating by construction."""
    return frames[0].select(text="Text", label=(pl.col("Label") == "BAD").cast(pl.Int64))


def scored(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Sentences with the scores of both Perspective models."""
    frame = frames[0].rename({old: new for old, new in _SCORES.items() if old in frames[0].columns})
    return frame.select("toxicity_1", "toxicity_6", text="phrase", label=(pl.col("label") == "toxic").cast(pl.Int64))


def hatecheck(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Hateful cases are violating; the group is whom they are about."""
    return frames[0].select(
        id=pl.col("case_id").cast(pl.String),
        text="test_case",
        label=(pl.col("label_gold") == "hateful").cast(pl.Int64),
        target="target_ident",
        functionality="functionality",
    )


_SCORES = {"TOXICITY@1": "toxicity_1", "TOXICITY@6": "toxicity_6"}
METRICS = {
    "subgroup_auc": "subgroup_auc",
    "bpsn_auc": "negative_cross_auc",
    "bnsp_auc": "positive_cross_auc",
    "negative_aeg": "negative_aeg",
    "positive_aeg": "positive_aeg",
}  # ours, and what Jigsaw's files call them
UNITARY_COLUMNS = tuple(f"{model}_{column}" for model in _SCORES for column in METRICS.values())
MADLIBS_77K = Corpus(
    name="madlibs_77k",
    title="Template set of the paper, 77k sentences",
    page=PAGE,
    licence="CC BY 4.0",
    roles={"label": "label", "text": "text"},
    checks=(YES_OR_NO,),
    layouts=(
        Layout("CSV", (File("bias_madlibs_77k.csv", ("Text", "Label")),), madlibs),
        Layout("prepared Parquet", (File("madlibs_77k.parquet", ("Text", "Label")),), madlibs),
    ),
    remotes=(
        Remote(
            f"{JIGSAW}/ff0f436f0c3bf336702f80644b935b9bcc296cb4/unintended_ml_bias/eval_datasets/bias_madlibs_77k.csv",
            "bias_madlibs_77k.csv",
        ),
    ),
)
PERSPECTIVE_MADLIBS = Corpus(
    name="perspective_madlibs",
    title="Jigsaw's scored template set, 30,240 sentences",
    page=PAGE,
    licence="CC BY 4.0",
    roles={"label": "label", "text": "text", "score": ("toxicity_1", "toxicity_6")},
    checks=(YES_OR_NO, Check("scores are probabilities", pl.col("toxicity_1").is_between(0.0, 1.0))),
    layouts=(
        Layout(
            "CSV",
            (File("intersectional_madlibs_scored.csv", ("label", "phrase", *_SCORES)),),
            scored,
        ),
        Layout(
            "prepared Parquet",
            (File("perspective_madlibs.parquet", ("label", "phrase", "toxicity_1", "toxicity_6")),),
            scored,
        ),
    ),
    remotes=(
        Remote(
            f"{JIGSAW}/28d30eb51d9cbdf48e9c6d5f27fc258736459ad6/unintended_ml_bias/model_card/intersectional_madlibs_scored.csv",
            "intersectional_madlibs_scored.csv",
        ),
    ),
)
UNITARY = Corpus(
    name="perspective_madlibs_published",
    title="Jigsaw's own metrics on its scored template set",
    page=PAGE,
    licence="CC BY 4.0",
    roles={},
    layouts=tuple(
        Layout(name, (File(file, ("subgroup", "subset_size"), UNITARY_COLUMNS),), lambda frames: frames[0])
        for name, file in (
            ("CSV", "unitary_results.csv"),
            ("prepared CSV", "perspective_madlibs_published_unitary.csv"),
        )
    ),
    remotes=(
        Remote(
            f"{JIGSAW}/6a62fab0f31c73553e1b7b925177a568991e008d/unintended_ml_bias/model_card/unitary_results.csv",
            "unitary_results.csv",
        ),
    ),
)
HATECHECK = Corpus(
    name="hatecheck",
    title="HateCheck",
    page="https://github.com/paul-rottger/hatecheck-data",
    licence="CC BY 4.0",
    roles={"label": "label", "text": "text", "id": "id", "group_by": "target"},
    checks=(YES_OR_NO,),
    layouts=(
        Layout("CSV", (File("test_suite_cases.csv", CASES),), hatecheck),
        Layout("prepared Parquet", (File("hatecheck.parquet", CASES),), hatecheck),
    ),
    remotes=(Remote(f"{HATECHECK_AT}/test_suite_cases.csv", "test_suite_cases.csv"),),
)
