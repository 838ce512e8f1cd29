"""The paper `bias`, end to end on made-up files in the published formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from evenhand.reproduce import reproduce
from evenhand.reproduce.workspace import Workspace
from reproduce import tiny


@pytest.fixture(scope="module")
def with_comments(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("own")
    tiny.madlibs(folder)
    tiny.hatecheck(folder)
    tiny.civil_comments(folder)
    tiny.challenge(folder)
    return reproduce("bias", folder)


def tables(made) -> dict:
    return {table.name: table for table in made.result.tables}


@pytest.mark.verify
def test_the_papers_own_comments_are_taken_where_they_are(with_comments) -> None:
    found = tables(with_comments)
    assert found["table_5"].same
    (count, share) = dict(found["table_5"].rows)["all comments"]
    assert count.ours.value == 600
    assert count.published == 1_804_875
    assert count.difference == 600 - 1_804_875
    assert share.ours.value == pytest.approx(30, abs=6)
    assert {"table_6_short_toxicity_1", "table_6_all_toxicity_6", "hatecheck"} <= set(found)
    assert not any("CivilComments is not" in omission.why for omission in with_comments.result.omissions)


@pytest.mark.verify
def test_shapes_move_what_the_paper_says(with_comments) -> None:
    rows = dict(tables(with_comments)["table_2"].rows)
    assert list(rows) == list("ABCDEFG")
    assert rows["B"][1].ours.value == pytest.approx(0.76, abs=0.02)
    assert all(claim.data and claim.interval for claim in with_comments.result.claims)
    assert with_comments.result.claims[0].verdict == "held"
    assert with_comments.result.claims[1].verdict == "held"


@pytest.mark.verify
def test_what_is_planted_in_the_scores_is_found(with_comments) -> None:
    """The first model scores three groups higher; the second hardly."""
    claims = {claim.text.split(":")[0]: claim for claim in with_comments.result.claims}
    assert claims["This is reduced in TOXICITY@6, but not gone"].verdict == "held"
    lowest = next(c for text, c in claims.items() if text.startswith("TOXICITY@1 mis-ranks"))
    assert lowest.verdict == "held"


def test_without_them_the_nearest_is_taken_and_said(tmp_path: Path) -> None:
    tiny.challenge(tmp_path)
    made = reproduce("bias", tmp_path)
    table = tables(made)["table_5"]
    assert not table.same
    assert table.on.startswith("nearest real data: 540 Wikipedia")
    assert any("CivilComments is not in the folder" in omission.why for omission in made.result.omissions)
    assert any("Table 3" in omission.what for omission in made.result.omissions)


def test_jigsaws_own_numbers_agree_to_every_digit(real_data: Path) -> None:
    from evenhand.reproduce.bias.template_scores import reproduce_jigsaw_metrics as exact

    (table,) = exact(Workspace(real_data)).tables
    assert table.same
    cells = [cell for _, row in table.rows for cell in row]
    assert len(cells) == 120
    assert max(abs(cell.difference) for cell in cells) < 1e-9
