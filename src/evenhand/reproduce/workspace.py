"""What a reproduction works with: the available corpora, the numbers a paper prints, and stand-in models.

Stand-in models are trained on the spot where those of a paper are not available. The printed numbers are read once,
from `published.json` beside this module.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from evenhand.arrays import Floats
from evenhand.catalogue import Measure
from evenhand.catalogue.bias import BNSP_AUC, BPSN_AUC, NEGATIVE_AEG, POSITIVE_AEG, SUBGROUP_AUC
from evenhand.catalogue.calibration import CLASS_ACE, CLASS_ECE, WEIGHTED_F1
from evenhand.catalogue.collaboration import CALIBRATION_AUPRC, CALIBRATION_AUROC
from evenhand.catalogue.perspective import DIFFERING_SHARE, UNCERTAINTY_DIVERGENCE
from evenhand.catalogue.shared import ACCURACY, AUPRC, AUROC, BRIER, COUNT, ECE, F1
from evenhand.classifiers import methods
from evenhand.classifiers.methods import TrainedClassifier
from evenhand.classifiers.protocol import Classifier, score_in_batches
from evenhand.classifiers.texts import TrainingColumns, read_labelled_texts
from evenhand.evidence import open_source
from evenhand.progress import Progress, silent
from evenhand.reproduce.corpora import CorpusFolder

PUBLISHED_KEYS: dict[Measure, str] = {  # how `published.json` names what we measure
    SUBGROUP_AUC: "subgroup_auc",
    BPSN_AUC: "bpsn_auc",
    BNSP_AUC: "bnsp_auc",
    NEGATIVE_AEG: "negative_aeg",
    POSITIVE_AEG: "positive_aeg",
    COUNT: "count",
    AUROC: "auroc",
    AUPRC: "auprc",
    ACCURACY: "accuracy",
    ECE: "ece",
    BRIER: "brier",
    CALIBRATION_AUROC: "calibration_auroc",
    CALIBRATION_AUPRC: "calibration_auprc",
    CLASS_ECE: "table_1_class_ece",
    CLASS_ACE: "table_2_class_ace",
    WEIGHTED_F1: "weighted_f1",
    DIFFERING_SHARE: "differing_share",
    F1: "table_1_f1",
    UNCERTAINTY_DIVERGENCE: "table_2_uncertainty_divergence",
}


def published_values(printed: Mapping[str, float], measures: Sequence[Measure]) -> list[float | None]:
    """What a row of a paper's table prints of each measure; None where it prints nothing."""
    return [printed.get(PUBLISHED_KEYS[measure]) for measure in measures]


@cache
def _published_file() -> dict[str, Any]:
    return dict(json.loads((files("evenhand.reproduce") / "published.json").read_text(encoding="utf-8")))


def published_tables(paper: str) -> dict[str, Any]:
    """The tables of one paper, by their names."""
    tables: dict[str, Any] = _published_file()[paper]
    return tables


def citation(paper: str) -> str:
    """Where they stand."""
    return str(_published_file()["sources"][paper])


@dataclass(frozen=True)
class Workspace:
    """The available data, the seed of everything random, and who is informed of the progress.

    `light` draws less often, for a look rather than a result.
    """

    folder: Path
    seed: int = 0
    light: bool = False
    progress: Progress = silent
    corpora: CorpusFolder = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "corpora", CorpusFolder(self.folder))

    def times(self, often: int, seldom: int) -> int:
        """How often something random is repeated."""
        return seldom if self.light else often


def train_stand_in(
    frame: pl.DataFrame, method: str, *, progress: Progress, options: Mapping[str, Any] | None = None
) -> TrainedClassifier:
    """A model of the `label` of each `text`."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    data = read_labelled_texts(
        open_source(frame.select("text", "label")), TrainingColumns(label=("label",), text="text")
    )
    with threadpool_limits(1):  # many small products: threads would wait for one another
        return methods.train_classifier(data, method=method, options=options or {}, progress=progress)


def predict_probabilities(model: Classifier, texts: pl.Series) -> Floats:
    """What it says of texts, in batches: [texts, classes], for yes or no one column."""
    return score_in_batches(model, texts.fill_null("").to_list()).probabilities.astype(np.float64)
