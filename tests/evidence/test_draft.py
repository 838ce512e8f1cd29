"""What `evenhand init` makes of columns: per cent, decisions, classes, and what is left to a person."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from evenhand.evidence import Declaration, open_evidence, open_source
from evenhand.evidence.draft import draft_declaration, guess_roles

RNG = np.random.default_rng(4)
ROWS = 100
SHARES = RNG.random(ROWS)


def test_scores_in_per_cent() -> None:
    guess = guess_roles(pl.DataFrame({"score": (100 * SHARES).round(1), "label": [True, False] * 50}))
    assert (guess.score, guess.scale, guess.questions) == (["score"], "percent", [])
    written = guess_roles(pl.DataFrame({"score": [f"{100 * p:.1f}%" for p in SHARES], "label": [True, False] * 50}))
    assert (written.score, written.scale) == (["score"], "percent")
    assert guess_roles(pl.DataFrame({"score": SHARES, "label": [True, False] * 50})).scale is None


def test_a_column_for_each_class() -> None:
    rest = 1 - SHARES
    frame = pl.DataFrame({"p_calm": SHARES, "p_rude": rest, "label": ["calm", "rude"] * 50})
    guess = guess_roles(frame)
    assert (guess.probabilities, guess.score, guess.positive) == (["p_calm", "p_rude"], [], None)
    assert guess.questions == []
    counter = guess_roles(frame.rename({"p_rude": "p_counterhate"}))  # no column of counts
    assert counter.probabilities == ["p_calm", "p_counterhate"]
    apart = guess_roles(frame.with_columns(p_rude=pl.Series(SHARES)))  # two models of one class
    assert (apart.probabilities, apart.score) == ([], ["p_calm", "p_rude"])


@pytest.mark.parametrize(
    ("values", "removes"),
    [
        (["keep", "remove"], ["remove"]),
        (["yes", "no"], []),
        (["WAHR", "FALSCH"], []),
        (["A", "B"], ["?"]),
        ([True, False], []),
    ],
    ids=["words", "yes", "spreadsheet", "letters", "booleans"],
)
def test_decisions(values: list, removes: list[str]) -> None:
    guess = guess_roles(pl.DataFrame({"decision": values * 50, "label": [True, False] * 50, "score": SHARES}))
    assert (guess.decision, guess.removes) == ("decision", removes)
    assert guess.questions == (["removes"] if removes == ["?"] else [])


def test_what_is_left_to_a_person_is_listed(tmp_path: Path) -> None:
    frame = pl.DataFrame({"verdict": ["a", "b"] * 50, "other": ["x"] * ROWS})
    draft = draft_declaration(open_source(frame), "items.csv", None, beside=tmp_path / "audit.toml")
    assert draft.questions == ["score", "positive"]
    assert tomllib.loads(draft.text)["columns"] == {"score": ["?"], "label": "verdict", "positive": "?"}


def test_a_draft_of_per_cent_is_audited(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    pl.DataFrame(
        {"score": (100 * SHARES).round(1), "label": ["WAHR", "FALSCH"] * 50, "women": ["FALSCH", "WAHR"] * 50}
    ).write_csv(path)
    draft = draft_declaration(open_source(path), str(path), None, beside=tmp_path / "audit.toml")
    columns = tomllib.loads(draft.text)["columns"]
    assert columns == {"score": ["score"], "scale": "percent", "label": "label", "groups": ["women"]}
    assert open_evidence(path, Declaration.of(columns)).size == ROWS
