"""Options from rows of choices: what typer sees, and what the command is given."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
import typer
from typer.testing import CliRunner

import evenhand
from evenhand.choices import NUMBER, Choice, FilesValue, FlagValue, NamesValue, NumberValue, TextValue
from evenhand.cli.main import name_options
from evenhand.cli.options import only, with_options
from evenhand.errors import ErrorKind, InputError


class First(TypedDict):
    names: Annotated[NamesValue, Choice("Names.", flags=("--name", "-n"))]
    two_words: Annotated[TextValue, Choice("A word.")]
    often: Annotated[FilesValue, Choice("Often.")]
    switch: Annotated[FlagValue, Choice("On.")]


class Second(TypedDict):
    often: Annotated[FilesValue, Choice("In the other group.")]
    word: Annotated[TextValue, Choice("Elsewhere.")]


TAKEN: dict[str, Any] = {}


@with_options
def command(
    file: Annotated[str, typer.Argument()],
    first: First,
    level: Annotated[float, NUMBER, Choice("Level.", default=0.95)],
    second: Annotated[Second, only(word="Said anew.")],
    share: Annotated[NumberValue, Choice("Share.")],
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


def test_settings_in_a_message_become_options() -> None:
    text = "give `threshold`, `slices` or `label_threshold`; `evenhand audit` and `unheard_of` stay"
    assert (
        name_options(text) == "give --threshold, --slice or --label-threshold; `evenhand audit` and `unheard_of` stay"
    )


def test_an_error_knows_what_it_is_about() -> None:
    error = InputError("name those that mean violating with `positive`", source="items.csv", column="y", row=3)
    assert (error.role, error.kind) == ("positive", ErrorKind.INVALID)
    again = error.rephrased("say it").within("other.csv")
    assert str(again) == "items.csv: column 'y', row 3: say it"
    assert (again.role, again.row) == ("positive", 3)


def test_no_layer_below_the_command_line_names_an_option() -> None:
    """In errors, that is: the texts of findings are looked at where they are made."""
    root = Path(evenhand.__file__).parent
    for path in sorted(root.rglob("*.py")):
        if path.is_relative_to(root / "cli"):
            continue
        for call in (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)):
            named = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            if named in ("InputError", "Undefined", "fail"):
                said = " ".join(str(n.value) for n in ast.walk(call) if isinstance(n, ast.Constant))
                assert not re.search(r"(?<![\w-])--(?!no-deps)[a-z]", said), f"{path}:{call.lineno}: {said}"
