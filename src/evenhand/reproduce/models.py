"""Models made on the spot, where those of a paper cannot be had: trained on one corpus, asked about another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from evenhand.classifiers import methods
from evenhand.classifiers.learning import Question, read_labelled
from evenhand.classifiers.methods import Trainable
from evenhand.classifiers.protocol import Classifier, in_batches
from evenhand.evidence import open_source
from evenhand.progress import Progress
from evenhand.tally import FloatArray


def trained(
    frame: pl.DataFrame, method: str, *, progress: Progress, options: Mapping[str, Any] | None = None
) -> Trainable:
    """A model of the `label` of each `text`."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    data = read_labelled(open_source(frame.select("text", "label")), Question(label=("label",), text="text"))
    with threadpool_limits(1):  # many small products: threads would wait for one another
        return methods.train(data, method=method, options=options or {}, progress=progress)


def probabilities(model: Classifier, texts: pl.Series) -> FloatArray:
    """What it says of texts, in batches: [texts, classes], for yes or no one column."""
    return in_batches(model, texts.fill_null("").to_list()).probabilities.astype(np.float64)
