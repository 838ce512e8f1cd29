"""Cards of models that are seldom met: words as groups, no value in a cell, unseen rows with other labels."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import evenhand as eh
from classifiers.made import QUICK, comments
from evenhand.cards import train
from evenhand.cards.audited import model_card
from evenhand.cards.card import OF_GROUPS, _bias, _cell, _standing
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


def test_one_group_is_named_with_its_numbers(small: pl.DataFrame) -> None:
    """That words count alike is a reason for equal numbers of several groups, and of made-up sentences alone."""
    roles = {"text": "text", "terms": {"brief": ["short"]}}
    (finding,) = eh.audit(small, audits="bias", score="first", label="y", **roles)
    said = "\n".join(_bias(finding, alike=False))
    assert said.startswith("1 group, ")
    assert "same numbers" not in said
    row = next(line for line in said.splitlines() if line.startswith("| brief |"))
    assert f"| {finding.get('bpsn_auc', group='brief').value:.3f} (" in row


def test_the_reason_for_equal_numbers_is_given_where_it_applies() -> None:
    same = Estimate(0.9, 0.8, 0.95, 0.95, "delong", 50)
    whole = [Measured("count", {}, Estimate.exact(100, level=0.95, n=100)), Measured("auroc", {}, same)]
    parts = [
        Measured(name, {"group": group}, same if name != "count" else Estimate.exact(50, level=0.95, n=50))
        for group in ("a", "b")
        for name in ("count", *OF_GROUPS)
    ]
    finding = Finding("bias", "?", (*whole, *parts), (), {})
    assert "count alike in this model" in "".join(_bias(finding, alike=True))
    assert "| a | 50 | 0.900" in "".join(_bias(finding, alike=False))


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
        (0, 1, "It does not stand out in any"),
        (1, 1, "It stands out in at least one"),
        (1, 3, "1 of the groups stands out in at least one"),
        (2, 3, "2 of the groups stand out in at least one"),
    ],
)
def test_one_group_is_spoken_of_as_one(marked: int, groups: int, says: str) -> None:
    assert _standing(marked, groups) == says
