"""The way into the program: what goes wrong outside of it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from cli.program import refused
from evenhand.cli.main import COMMANDS, app


def test_a_full_disk_is_one_line_or_a_traceback_where_asked(program, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "report.html")

    monkeypatch.setattr(sys.modules["evenhand.cli.main"], "_call", full)
    monkeypatch.delenv("EVENHAND_DEBUG", raising=False)
    refused(program("audit"), "report.html: No space left on device")
    monkeypatch.setenv("EVENHAND_DEBUG", "1")
    with pytest.raises(OSError, match="No space left"):
        program("audit")


USAGE = {
    ("audit",): "evenhand: missing argument FILE; see evenhand audit --help",
    ("audit", "x", "--leve", "3"): "evenhand: no such option: --leve (did you mean --level?); see",
    ("audit", "x", "--level", "abc"): "evenhand: invalid --level: abc (must be a number); see evenhand audit --help",
    ("audit", "x", "--seed", "1.5"): "evenhand: invalid --seed: 1.5 (must be a whole number); see",
    ("audit", "x", "y"): "evenhand: too many arguments: y; see evenhand audit --help",
    ("audit", "x", "--score"): "evenhand: option --score requires an argument; see",
    ("audi",): "evenhand: no such command audi (did you mean audit?); see evenhand --help",
    ("sample", "plan", "x"): "evenhand: missing option --out / -o; see evenhand sample plan --help",
    (
        "demo",
        "--rows",
        "3",
    ): "evenhand: invalid --rows: 3 (must be 1000 or more); see evenhand demo --help",
}


@pytest.mark.parametrize(("arguments", "line"), list(USAGE.items()), ids=[" ".join(words) for words in USAGE])
def test_a_command_that_cannot_be_read_is_one_line(program, arguments: tuple[str, ...], line: str) -> None:
    refused(program(*arguments), line)


def test_the_first_screen_of_an_audit_holds_what_a_first_one_needs(program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    screen = "\n".join(program("audit", "--help").out.splitlines()[:22])
    for part in ("Example: evenhand audit ", "--score", "--label", "--positive", "--groups", "--audits", "-o, --out"):
        assert part in screen
    assert "--replicates" not in screen


def test_help_is_by_topic(program) -> None:
    text = program("audit", "--help").out
    titles = [line.removesuffix(":") for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert titles[:3] == ["Arguments", "Start here", "Columns"]
    assert {"Groups", "Sampling", "Annotators", "All audits", "Audit bias", "Output"} <= set(titles)
    assert "Options" not in titles


def test_every_command_is_in_the_table_with_its_line(program) -> None:
    text = program("--help").out
    for name, row in COMMANDS.items():
        assert f"  {name} " in text
        assert row.help in text


def _commands(command: Any, path: str) -> Iterator[Any]:
    inner = getattr(command, "commands", {})
    yield pytest.param(command, id=path)
    for name in inner:
        yield from _commands(inner[name], f"{path} {name}")


@pytest.mark.parametrize("command", [*_commands(typer.main.get_command(app), "evenhand")])
def test_help_says_what_each_value_is_and_names_no_type_of_python(command: Any) -> None:
    text = command.get_help(command.make_context("evenhand", [], resilient_parsing=True))
    assert not re.search(r"<\w+|list\[|[{}]", text)
    for option in (parameter for parameter in command.params if parameter.param_type_name == "option"):
        takes_value = not option.is_flag
        assert not takes_value or re.fullmatch(r"(\[[A-Z]+=\])?[A-Z]+(=[A-Z]+|,…)?", option.metavar), option.name
