"""Options from rows of choices: what typer sees, and what the command is given."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

import pytest
import typer
from typer.testing import CliRunner

from evenhand.choices import NUMBER, Choice, Flag, Names, Number, Text, Texts
from evenhand.cli.options import only, with_options


class First(TypedDict):
    names: Annotated[Names, Choice("Names.", flags=("--name", "-n"))]
    two_words: Annotated[Text, Choice("A word.")]
    often: Annotated[Texts, Choice("Often.")]
    switch: Annotated[Flag, Choice("On.")]


class Second(TypedDict):
    often: Annotated[Texts, Choice("In the other group.")]
    word: Annotated[Text, Choice("Elsewhere.")]


TAKEN: dict[str, Any] = {}


@with_options
def command(
    file: Annotated[str, typer.Argument()],
    first: First,
    level: Annotated[float, NUMBER, Choice("Level.", default=0.95)],
    second: Annotated[Second, only(word="Said anew.")],
    share: Annotated[Number, Choice("Share.")],
) -> None:
    """What it does."""
    TAKEN.update(file=file, first=first, level=level, second=second, share=share)


def ask(*arguments: str) -> str:
    TAKEN.clear()
    app = typer.Typer(rich_markup_mode=None)
    app.command()(command)
    return CliRunner().invoke(app, arguments).output


def test_groups_come_as_mappings_and_choices_alone() -> None:
    said = ("--name", "a, b", "--two-words", "w", "--often", "x", "--often", "y", "--switch", "--word", "v")
    ask("f", *said, "--share", "0.1", "--level", "0.5")
    first = {"names": ("a", "b"), "two_words": "w", "often": ("x", "y"), "switch": True}
    assert {"file": "f", "first": first, "level": 0.5, "second": {"word": "v"}, "share": 0.1} == TAKEN


def test_what_is_not_said_is_none_and_there() -> None:
    ask("f")
    nothing = dict.fromkeys(("names", "two_words", "often", "switch"))
    assert {"file": "f", "first": nothing, "level": 0.95, "second": {"word": None}, "share": None} == TAKEN


def test_help_is_in_the_order_of_the_parameters() -> None:
    text = ask("--help")
    found = [
        text.index(part) for part in ("What it does", "-n, --name", "--two-words", "--switch", "--level", "--word")
    ]
    assert found == sorted(found)
    assert "Said anew" in text
    assert "Elsewhere" not in text
    assert "--no-switch" not in text
    assert text.count("[default: 0.95]") == 1


def test_slips_are_found_when_the_command_is_made() -> None:
    def unknown(group: Annotated[First, only("nothing")]) -> None: ...

    def twice(one: First, other: Second) -> None: ...

    with pytest.raises(LookupError, match="nothing"):
        with_options(unknown)
    with pytest.raises(ValueError, match="often"):
        with_options(twice)
