"""Corpora of sentences made from templates, in which the group that is mentioned is the only difference."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.catalogue.bias import BNSP_AUC, BPSN_AUC, NEGATIVE_AEG, POSITIVE_AEG, SUBGROUP_AUC
from evenhand.reproduce.corpora.corpus import YES_OR_NO, Corpus, CorpusFile, CorpusLayout, RemoteFile, RowCheck

JIGSAW_RAW = "https://raw.githubusercontent.com/conversationai/unintended-ml-bias-analysis"
HATECHECK_AT = "https://raw.githubusercontent.com/paul-rottger/hatecheck-data/d84302298ceeb34f4b0dde2d8a1f4932c2caa612"
HATECHECK_COLUMNS = ("functionality", "case_id", "test_case", "label_gold", "target_ident")
PAGE = "https://github.com/conversationai/unintended-ml-bias-analysis"


def read_madlibs(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """BAD sentences are violating by construction."""
    return frames[0].select(text="Text", label=(pl.col("Label") == "BAD").cast(pl.Int64))


def read_scored_madlibs(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Sentences with the scores of both Perspective models."""
    frame = frames[0].rename({old: new for old, new in _SCORES.items() if old in frames[0].columns})
    return frame.select("toxicity_1", "toxicity_6", text="phrase", label=(pl.col("label") == "toxic").cast(pl.Int64))


def read_hatecheck(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Hateful cases are violating; the group is whom they are about."""
    return frames[0].select(
        id=pl.col("case_id").cast(pl.String),
        text="test_case",
        label=(pl.col("label_gold") == "hateful").cast(pl.Int64),
        target="target_ident",
        functionality="functionality",
    )


_SCORES = {"TOXICITY@1": "toxicity_1", "TOXICITY@6": "toxicity_6"}
JIGSAW_METRICS = {
    SUBGROUP_AUC: "subgroup_auc",
    BPSN_AUC: "negative_cross_auc",
    BNSP_AUC: "positive_cross_auc",
    NEGATIVE_AEG: "negative_aeg",
    POSITIVE_AEG: "positive_aeg",
}  # ours, and what Jigsaw's files call them
PUBLISHED_METRIC_COLUMNS = tuple(f"{model}_{column}" for model in _SCORES for column in JIGSAW_METRICS.values())
MADLIBS_77K = Corpus(
    name="madlibs_77k",
    title="Template set of the paper, 77k sentences",
    page=PAGE,
    licence="CC BY 4.0",
    roles={"label": "label", "text": "text"},
    checks=(YES_OR_NO,),
    layouts=(
        CorpusLayout("CSV", (CorpusFile("bias_madlibs_77k.csv", ("Text", "Label")),), read_madlibs),
        CorpusLayout("prepared Parquet", (CorpusFile("madlibs_77k.parquet", ("Text", "Label")),), read_madlibs),
    ),
    remotes=(
        RemoteFile(
            f"{JIGSAW_RAW}/ff0f436f0c3bf336702f80644b935b9bcc296cb4/unintended_ml_bias/eval_datasets/bias_madlibs_77k.csv",
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
    checks=(YES_OR_NO, RowCheck("scores are probabilities", pl.col("toxicity_1").is_between(0.0, 1.0))),
    layouts=(
        CorpusLayout(
            "CSV",
            (CorpusFile("intersectional_madlibs_scored.csv", ("label", "phrase", *_SCORES)),),
            read_scored_madlibs,
        ),
        CorpusLayout(
            "prepared Parquet",
            (CorpusFile("perspective_madlibs.parquet", ("label", "phrase", "toxicity_1", "toxicity_6")),),
            read_scored_madlibs,
        ),
    ),
    remotes=(
        RemoteFile(
            f"{JIGSAW_RAW}/28d30eb51d9cbdf48e9c6d5f27fc258736459ad6/unintended_ml_bias/model_card/intersectional_madlibs_scored.csv",
            "intersectional_madlibs_scored.csv",
        ),
    ),
)
PERSPECTIVE_MADLIBS_PUBLISHED = Corpus(
    name="perspective_madlibs_published",
    title="Jigsaw's own metrics on its scored template set",
    page=PAGE,
    licence="CC BY 4.0",
    roles={},
    layouts=tuple(
        CorpusLayout(
            name, (CorpusFile(file, ("subgroup", "subset_size"), PUBLISHED_METRIC_COLUMNS),), lambda frames: frames[0]
        )
        for name, file in (
            ("CSV", "unitary_results.csv"),
            ("prepared CSV", "perspective_madlibs_published_unitary.csv"),
        )
    ),
    remotes=(
        RemoteFile(
            f"{JIGSAW_RAW}/6a62fab0f31c73553e1b7b925177a568991e008d/unintended_ml_bias/model_card/unitary_results.csv",
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
        CorpusLayout("CSV", (CorpusFile("test_suite_cases.csv", HATECHECK_COLUMNS),), read_hatecheck),
        CorpusLayout("prepared Parquet", (CorpusFile("hatecheck.parquet", HATECHECK_COLUMNS),), read_hatecheck),
    ),
    remotes=(RemoteFile(f"{HATECHECK_AT}/test_suite_cases.csv", "test_suite_cases.csv"),),
)
