"""Cards of models that are seldom met: words as groups, no value in a cell, unseen rows with other labels."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import evenhand as eh
from classifiers.made import QUICK, comments
from evenhand.cards import train
from evenhand.cards.audited import model_card
from evenhand.cards.card import _cell, _standing
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Measured


def test_groups_by_words_are_listed_with_their_words(small: pl.DataFrame) -> None:
    roles = {"text": "text", "terms": {"brief": ["short"], "wordy": ["long"]}}
    (finding,) = eh.audit(small, audits="bias", score="first", label="y", **roles)
    card = model_card([finding], name="x")
    assert "brief: short, wordy: long" in card


def test_a_cell_without_a_value() -> None:
    nothing = Estimate.undefined("no items", level=0.95, n=0)
    finding = Finding("bias", "?", (Measured("bpsn_auc", {"group": "a"}, nothing),), (), {})
    assert _cell(finding, "bpsn_auc", "a") == "undefined"


def test_unseen_rows_have_the_labels_that_were_learnt(tmp_path: Path) -> None:
    frame = comments(200)
    frame.write_csv(tmp_path / "in.csv")
    frame.with_columns(pl.col("mood").replace("calm", "sad")).write_csv(tmp_path / "test.csv")
    with pytest.raises(InputError, match="other labels than those to learn from"):
        train(
            tmp_path / "in.csv", tmp_path / "m", label="mood", text="text", test=tmp_path / "test.csv", settings=QUICK
        )


@pytest.mark.parametrize(
    ("marked", "groups", "says"),
    [
        (0, 1, "It does not stand"),
        (1, 1, "It stands"),
        (1, 3, "1 of the groups stands"),
        (2, 3, "2 of the groups stand"),
    ],
)
def test_one_group_is_spoken_of_as_one(marked: int, groups: int, says: str) -> None:
    assert _standing(marked, groups) == says
