"""Does weighting the temperature towards rare classes lower CECE on other data than the paper's?

Four-class linear models are trained on 80 % of the items, calibrated on 10 % and measured on 10 %, with a new split and
seed for each draw; beside them one trained with rare classes filled up (SMOTE). `reddit_cad` has the four most frequent
single labels of the Contextual Abuse Dataset (83, 9, 4 and 3 %), `covid_hate` all four of COVID-HATE (41, 29, 15 and
14 %). The binary labels of a multilingual transformer, which cannot be trained again, are split into halves instead.
Needs EVENHAND_DATA.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from evenhand.classifiers.linear.classifier import LinearClassifier
from evenhand.classifiers.linear.settings import LinearSettings
from evenhand.classifiers.protocol import LabelledTexts, Targets
from evenhand.evidence import Declaration, open_evidence
from evenhand.recalibration.comparison import RecalibrationSettings, compare_calibrators
from studies.study import Row, Study

FOUR = ("Neutral", "IdentityDirectedAbuse", "AffiliationDirectedAbuse", "PersonDirectedAbuse")
LABELS = ("toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate")
SETTINGS = LinearSettings(bits=17, members=4)


def cells() -> list[Row]:
    return [{"data": name} for name in ("reddit_cad", "covid_hate", *(f"multilingual {label}" for label in LABELS))]


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    data = Path(os.environ["EVENHAND_DATA"])
    if cell["data"].startswith("multilingual"):
        return _halves(data / "multilingual_predictions_a.parquet", cell["data"].split()[1], draws, rng)
    texts, kinds = _texts(data, cell["data"])
    pieces = [_trained(texts, kinds, seed, rng) for seed in range(draws)]
    validation, test, filled = (pl.concat([piece[k] for piece in pieces]) for k in range(3))
    columns = [name for name in test.columns if name.startswith("p ")]
    roles = {"probabilities": columns, "label": "kind", "slices": ["run"]}
    return _rows(validation, test, roles, {"smote": filled})


def _texts(data: Path, name: str) -> tuple[list[str], list[str]]:
    frame = pl.read_parquet(data / f"{name}.parquet").filter(pl.col("text").is_not_null())
    column = "labels" if name == "reddit_cad" else "label"
    some = frame.filter(pl.col(column).is_in(FOUR)) if name == "reddit_cad" else frame
    return some["text"].to_list(), some[column].to_list()


def _trained(texts: list[str], kinds: list[str], seed: int, rng: np.random.Generator) -> list[pl.DataFrame]:
    """Validation and test predictions of a plain model, and the test predictions of one with rare classes filled up."""
    classes = tuple(sorted(set(kinds)))
    number = np.array([classes.index(kind) for kind in kinds])
    order = rng.permutation(len(texts))
    learnt, tuned, held = np.split(order, [int(0.8 * len(order)), int(0.9 * len(order))])
    truth = np.eye(len(classes), dtype=np.float32)[number[learnt]]
    labelled = LabelledTexts([texts[row] for row in learnt], truth, Targets("multi-class", classes))
    found = []
    for settings, parts in ((SETTINGS, (tuned, held)), (replace(SETTINGS, oversample="smote"), (held,))):
        model = LinearClassifier.train(labelled, replace(settings, seed=seed))
        for rows in parts:
            p = model.score([texts[row] for row in rows]).probabilities
            columns = {f"p {name}": p[:, k] for k, name in enumerate(classes)}
            found.append(pl.DataFrame({**columns, "kind": [kinds[row] for row in rows], "run": seed}))
    return found


def _halves(path: Path, label: str, draws: int, rng: np.random.Generator) -> list[Row]:
    frame = pl.read_parquet(path)
    first, second = [], []
    for seed in range(draws):
        half = rng.random(len(frame)) < 0.5
        both = frame.select(f"p_{label}", label).with_columns(run=pl.lit(seed))
        first.append(both.filter(half))
        second.append(both.filter(~half))
    roles = {"score": f"p_{label}", "label": label, "slices": ["run"]}
    return _rows(pl.concat(first), pl.concat(second), roles, {})


def _rows(
    validation: pl.DataFrame, test: pl.DataFrame, roles: dict[str, object], beside: dict[str, pl.DataFrame]
) -> list[Row]:
    declaration = Declaration.of(roles)
    first, second = (open_evidence(frame, declaration) for frame in (validation, test))
    others = {name: open_evidence(frame, declaration) for name, frame in beside.items()}
    finding = compare_calibrators(first, second, RecalibrationSettings(run="run"), beside=others)
    rows: list[Row] = []
    for measured in finding:
        if "bins" not in measured.slice:
            e = measured.estimate
            named = {"calibrator": measured.slice["calibrator"], "class": measured.slice.get("class", "")}
            rows.append({**named, "measure": measured.measure, "mean": e.value, "lowest": e.low, "highest": e.high})
    said = next(reading.text for reading in finding.readings if reading.tendency == "recommended")
    print(said)
    return rows


STUDY = Study("rivals", cells(), run, 5)
