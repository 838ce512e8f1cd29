"""The card as it is read: whole tables, and nothing that a column or class is called gets out of its cell."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

import evenhand as eh
from classifiers.made import QUICK, comments
from evenhand.cards import train
from evenhand.cards.training import CardNotes
from evenhand.cards.training_card import GROUP_MEASURES, _cell, _group_table, _significant_groups
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Measured
from markdown_tables import cells

NASTY = ("a|b", "`code`", "<script>alert(1)</script>", "two\nlines", "![x](http://example.org/x.png)", "\\", "&lt;")


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
    assert len(re.findall(r"(?<!\\)`", card)) % 2 == 0
    assert "None" not in card
    assert "nan" not in card.split()


@pytest.mark.parametrize("label", ["toxic", "mood", ["toxic", "glad"]], ids=["binary", "multi-class", "multi-label"])
def test_tables_are_whole(tmp_path: Path, label: str | list[str]) -> None:
    train(comments(300), tmp_path / "m", label=label, text="text", settings=QUICK)
    card = (tmp_path / "m" / "card.md").read_text()
    check(card)
    assert card.startswith("# Model card: m\n")
    for heading in ("## Data", "## Training", "## Evaluation", "## Licence"):
        assert f"\n{heading}\n" in card
    assert ("## Differences between groups" in card) == (label == "toxic")
    assert "do not act on it alone" in card


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
    papers = CardNotes(about="About it.", limits="Its limits.", licence="CC0", more="## More\n\nMore.")
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


def test_a_cell_without_a_value() -> None:
    nothing = Estimate.undefined("no items", level=0.95, n=0)
    finding = Finding("bias", "?", (Measured("bpsn_auc", {"group": "a"}, nothing),), (), {})
    assert _cell(finding, "bpsn_auc", "a") == "undefined"


def test_one_group_is_named_with_its_numbers(small: pl.DataFrame) -> None:
    """That words count alike is a reason for equal numbers of several groups, and of made-up sentences alone."""
    roles = {"text": "text", "terms": {"brief": ["short"]}}
    (finding,) = eh.audit(small, audits="bias", score="first", label="y", **roles)
    said = "\n".join(_group_table(finding, alike=False))
    assert said.startswith("1 group, ")
    assert "same results" not in said
    row = next(line for line in said.splitlines() if line.startswith("| brief |"))
    assert f"| {finding.get('bpsn_auc', group='brief').value:.3f} (" in row


def test_the_reason_for_equal_numbers_is_given_where_it_applies() -> None:
    same = Estimate(0.9, 0.8, 0.95, 0.95, "delong", 50)
    whole = [Measured("count", {}, Estimate.exact(100, level=0.95, n=100)), Measured("auroc", {}, same)]
    parts = [
        Measured(name, {"group": group}, same if name != "count" else Estimate.exact(50, level=0.95, n=50))
        for group in ("a", "b")
        for name in ("count", *GROUP_MEASURES)
    ]
    finding = Finding("bias", "?", (*whole, *parts), (), {})
    assert "have the same effect in this model" in "".join(_group_table(finding, alike=True))
    assert "| a | 50 | 0.900" in "".join(_group_table(finding, alike=False))


@pytest.mark.parametrize(
    ("marked", "groups", "says"),
    [
        (0, 1, "The group has a statistically significant difference in no measure"),
        (1, 1, "The group has a statistically significant difference in at least one measure"),
        (1, 3, "1 of 3 groups has a statistically significant difference in at least one measure"),
        (2, 3, "2 of 3 groups have a statistically significant difference in at least one measure"),
    ],
)
def test_one_group_is_spoken_of_as_one(marked: int, groups: int, says: str) -> None:
    assert _significant_groups(marked, groups) == f"{says}, after correction for multiple comparisons."
