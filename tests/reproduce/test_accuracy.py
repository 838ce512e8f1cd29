"""The paper `accuracy`: its formulas exactly, its simulation end to end on made-up comments."""

from __future__ import annotations

from pathlib import Path

import pytest

from evenhand.reproduce import reproduce
from evenhand.reproduce.accuracy.runs import MORE_THAN_HALF, simulate_rare
from evenhand.reproduce.accuracy.tables import recompute_sizes
from evenhand.reproduce.workspace import Workspace
from reproduce import tiny


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("comments")
    tiny.challenge(folder, 600)
    return reproduce("accuracy", folder, light=True)


def test_what_needs_no_data_agrees_with_the_paper() -> None:
    result = recompute_sizes()
    four, three = result.tables
    assert all(cell.difference == 0 for _, cells in four.rows for cell in cells)
    assert len(four.rows) == 4
    for _, (fewest, most, saved, change) in three.rows:
        for cell in (fewest, most, change):
            assert abs(cell.difference) <= 0.005 * cell.published
        assert 0 <= saved.ours.value - saved.published + 0.05 < 1
    assert [claim.verdict for claim in result.claims] == ["held"] * 3


@pytest.mark.verify
def test_table_1_has_both_classifiers_beside_the_papers(made) -> None:
    needed, saved = (next(t for t in made.result.tables if t.name == name) for name in ("table_1", "table_1_saved"))
    rows = dict(needed.rows)
    assert rows["random sampling"][0].published == 1532
    assert rows["unigram: oracle:8 optimal"][0].published == 559
    assert rows["default model: oracle:8 optimal"][0].published is None
    assert rows["paper only, roberta: quantile:8 pilot:50"][0].published == 567
    labels = rows["unigram: oracle:8 optimal"][0].ours.value
    share = dict(saved.rows)["unigram: oracle:8 optimal"][0]
    assert share.ours.value == pytest.approx(100 * (1 - labels / rows["random sampling"][0].ours.value))
    assert share.published == pytest.approx(100 * (1 - 559 / 1532))


@pytest.mark.verify
def test_claims_and_figures_follow(made) -> None:
    assert all(claim.data and claim.interval for claim in made.result.claims)
    assert len(made.result.claims) == 11
    assert [figure.name for figure in made.result.figures] == ["figure_1_1", "figure_1_2"]
    assert any("CivilComments is not" in omission.why for omission in made.result.omissions)


def test_more_than_half_is_not_half() -> None:
    assert MORE_THAN_HALF > 0.5
    assert MORE_THAN_HALF < 6 / 11  # the next share that annotators can give


def test_without_a_rare_set_there_is_none(tmp_path: Path) -> None:
    assert simulate_rare(Workspace(tmp_path)) is None
