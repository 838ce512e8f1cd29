"""What comes in as pandas goes out as pandas, with its index."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import evenhand as eh
from evenhand.pandas_frames import to_pandas

INDEX = ["a", "b", "c", "d", "e", "f"]
P = pd.Series([0.9, 0.8, 0.3, 0.6, 0.95, 0.1], index=INDEX)
TABLE = pd.DataFrame({"benign": 1 - P, "violating": P})
LABELS = [1, 0, 0, 1, 1, 0]


def test_scores() -> None:
    frame = pd.DataFrame({"text": ["Thank you.", "You idiot.", None]}, index=[7, 3, 5])
    scored = eh.score(frame)
    assert list(scored.index) == [7, 3, 5]
    assert list(frame.columns) == ["text"]
    assert list(scored.columns[:2]) == ["text", "p"]
    assert scored["p"].isna().tolist() == [False, False, True]
    assert scored.loc[3, "p"] > scored.loc[7, "p"]


def test_calibrated_probabilities() -> None:
    calibrator = eh.calibrators.fit(TABLE, LABELS)
    calibrated = calibrator.apply(TABLE)
    assert isinstance(calibrated, pd.DataFrame)
    assert list(calibrated.index) == INDEX
    assert list(calibrated.columns) == ["benign", "violating"]
    assert np.array_equal(calibrated.to_numpy(), calibrator.apply(TABLE.to_numpy()))


def test_prediction_sets() -> None:
    predictor = eh.conformal.calibrate(TABLE, LABELS, alpha=0.4)
    sets = predictor.predict(TABLE)
    assert isinstance(sets, pd.DataFrame)
    assert list(sets.index) == INDEX
    assert np.array_equal(sets.to_numpy(), predictor.predict(TABLE.to_numpy()))
    half = eh.conformal.split_by_item(pd.Series(["x", "x", "y", "y", "z", "z"], index=INDEX))
    assert list(half.index) == INDEX


@pytest.mark.parametrize("name", ["uncertainty", "toxicity", "hybrid:0.3"])
def test_review(name: str) -> None:
    strategy = eh.routing.parse_strategy(name)
    for values, plain in (
        (strategy.review_score(P), strategy.review_score(P.to_numpy())),
        (strategy.shares_reviewed(P, 2), strategy.shares_reviewed(P.to_numpy(), 2)),
    ):
        assert isinstance(values, pd.Series)
        assert list(values.index) == INDEX
        assert np.array_equal(values.to_numpy(), plain)


def test_decisions() -> None:
    policy = eh.routing.Policy(0.9, 0.2, None, None, 0.05, 6, 3, "")
    decisions = policy.decisions(P)
    assert isinstance(decisions, pd.Series)
    assert decisions.to_dict() == dict(zip(INDEX, policy.decisions(P.to_list()), strict=True))
    assert policy.decide(0.95) == "remove"


def test_to_pandas_keeps_what_is_missing() -> None:
    frame = to_pandas(pl.DataFrame({"n": [1, None], "word": ["a", None], "flag": [True, False], "x": [0.5, None]}))
    assert frame["word"].isna().tolist() == [False, True]
    assert frame["n"].isna().tolist() == [False, True]
    assert frame["flag"].dtype == bool
    assert frame["x"].dtype == float
