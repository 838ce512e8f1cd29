"""A model trained several times, on other splits each time, with its probabilities for validation and test items.

BERT cannot be trained here. In its place stands a linear model of words and parts of words, a single one and weakly
regularised, so that it is overconfident as fine-tuned encoders are. The SMOTE variant oversamples rare classes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from evenhand.errors import InputError
from evenhand.evidence import Declaration, Evidence, open_evidence
from evenhand.reproduce.workspace import Workspace, predict_probabilities, train_stand_in

LINEAR_OPTIONS = {"members": 1, "anchor": 0.0, "bits": 18, "strength": 20.0}
SMOTE_OPTIONS = {**LINEAR_OPTIONS, "oversample": "smote"}
RUN = "run"
SEEDS, FEW_SEEDS = 5, 2
FEWEST = 10  # texts of a class, to be split in three


@dataclass(frozen=True)
class PredictedRuns:
    """Of all runs together: validation and test items, and test items by the oversampled model."""

    classes: tuple[str, ...]
    validation: pl.DataFrame
    test: pl.DataFrame
    oversampled: pl.DataFrame

    @property
    def runs(self) -> int:
        """How many there are."""
        return self.test[RUN].n_unique()

    def evidence(self, frame: pl.DataFrame, *, run: str | None = None) -> Evidence:
        """Declared; all runs, told apart, or one of them."""
        roles = {"probabilities": [f"p_{name}" for name in self.classes], "classes": self.classes, "label": "label"}
        if run is None:
            return open_evidence(frame, Declaration.of(roles | {"slices": [RUN]}))
        return open_evidence(frame.filter(pl.col(RUN) == run), Declaration.of(roles))


def predict_runs(place: Workspace, frame: pl.DataFrame) -> PredictedRuns:
    """Split 80/10/10, train and predict, five times over."""
    classes = tuple(frame["label"].unique().sort())
    if min(frame["label"].value_counts()["count"].to_list()) < FEWEST:
        raise InputError("a class has fewer than ten texts: it cannot be split in three", source=str(place.folder))
    parts: list[list[pl.DataFrame]] = [[], [], []]
    times = place.times(SEEDS, FEW_SEEDS)
    for number in range(times):
        place.progress("training", number, times)
        order = np.random.default_rng([place.seed, number]).permutation(len(frame))
        first, second = int(0.8 * len(frame)), int(0.9 * len(frame))
        learnt, validation, test = (frame[part.tolist()] for part in np.split(order, [first, second]))
        for place_in, options, shown in ((0, LINEAR_OPTIONS, (validation, test)), (2, SMOTE_OPTIONS, (test,))):
            model = train_stand_in(learnt, "linear", progress=place.progress, options={**options, "seed": number})
            for offset, rows in enumerate(shown):
                columns = predict_probabilities(model, rows["text"])
                named = {f"p_{name}": columns[:, k] for k, name in enumerate(model.targets.classes)}
                parts[place_in + offset].append(
                    rows.select("label", pl.lit(str(number)).alias(RUN)).with_columns(**named)
                )
    return PredictedRuns(classes, *(pl.concat(frames) for frames in parts))
