"""The card as it is read: whole tables, and nothing that a column or class is called gets out of its cell."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

from classifiers.made import QUICK, comments
from evenhand.cards import train
from evenhand.cards.training import Papers

NASTY = ("a|b", "`code`", "<script>alert(1)</script>", "two\nlines", "![x](http://example.org/x.png)", "\\", "&lt;")


def cells(line: str) -> int:
    return len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) - 1


def check(card: str) -> None:
    """Every table has as many cells in each row; nothing is left that would be drawn, run or fetched."""
    blocks = re.findall(r"(?:^\|.*\n)+", card, re.MULTILINE)
    assert len(blocks) >= 3
    for block in blocks:
        head, rule, *rows = block.splitlines()
        assert re.fullmatch(r"\|(?:-+:?\|)+", rule), rule
        assert rows
        assert {cells(line) for line in (rule, *rows)} == {cells(head)}, block
    assert not re.search(r"<[a-z/]", card)
    assert not re.search(r"(?<!\\)\[[^\]]*\]\(", card)
    assert "\x1b" not in card
    assert card.count("`") % 2 == 0
    assert "None" not in card
    assert "nan" not in card.split()


@pytest.mark.parametrize("label", ["toxic", "mood", ["toxic", "glad"]], ids=["binary", "multi-class", "multi-label"])
def test_tables_are_whole(tmp_path: Path, label: str | list[str]) -> None:
    train(comments(300), tmp_path / "m", label=label, text="text", settings=QUICK)
    card = (tmp_path / "m" / "card.md").read_text()
    check(card)
    assert card.startswith("# Model card: m\n")
    for heading in ("## Data", "## Training", "## How well it does", "## Licence"):
        assert f"\n{heading}\n" in card
    assert ("## How it scores groups" in card) == (label == "toxic")
    assert "never act on it alone" in card


@pytest.mark.parametrize("kind", ["column", "class", "labels", "called"])
def test_names_stay_in_their_cells(tmp_path: Path, kind: str) -> None:
    table = comments(300)
    shown = [name for name in NASTY if "\n" not in name]  # a column whose name breaks a line is refused
    out, name = tmp_path / "m", "|".join(NASTY)
    if kind == "column":
        table = table.rename({"toxic": "|".join(shown)})
        train(table, out, label="|".join(shown), text="text", settings=QUICK, name=name, where="split <> '<b>|`'")
    elif kind == "class":
        words = pl.col("id").map_elements(lambda k: NASTY[k % len(NASTY)], return_dtype=pl.String)
        train(table.with_columns(mood=words), out, label="mood", text="text", settings=QUICK)
    elif kind == "labels":
        columns = {column: pl.col("id") % (number + 2) == 0 for number, column in enumerate(shown)}
        train(table.with_columns(**columns), out, label=shown, text="text", settings=QUICK)
    else:
        train(table, out, label="toxic", called=name, text="text", settings=QUICK)
    check((out / "card.md").read_text())
    content = json.loads((out / "card.json").read_text())
    assert content["targets"]["classes"]


def test_what_only_people_can_say(tmp_path: Path) -> None:
    papers = Papers(about="About it.", limits="Its limits.", licence="CC0", more="## More\n\nMore.")
    train(comments(), tmp_path / "m", label="toxic", text="text", settings=QUICK, papers=papers)
    card = (tmp_path / "m" / "card.md").read_text()
    assert [piece for piece in ("About it.", "## More", "## Limits\n\nIts limits.", "CC0") if piece not in card] == []
    assert json.loads((tmp_path / "m" / "card.json").read_text())["licence"] == "CC0"


def test_what_could_not_be_measured_is_said(tmp_path: Path) -> None:
    table = comments(60).with_columns(toxic=pl.col("id") < 3)
    train(table, tmp_path / "m", label="toxic", text="text", settings=QUICK, where="id <> 1")
    card = (tmp_path / "m" / "card.md").read_text()
    missing = json.loads((tmp_path / "m" / "card.json").read_text())["missing"]
    assert any("toxic" in line or "mentioned" in line for line in missing)
    assert all(line.split("'")[0] in card for line in missing)
