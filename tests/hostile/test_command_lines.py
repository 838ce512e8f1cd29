"""The table of command lines is complete, each of its rows works, and with ordinary input none does any harm."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hostile.cases import run_ordinary
from hostile.command_lines import LINES, NOT_FILES, NOT_RUN, WORDS, Line, commands
from hostile.corpus.registry import CORPUS, KINDS
from hostile.sandbox import Sandbox

NAMED = {(line.command, line.argument) for line in LINES} | set(NOT_RUN) | NOT_FILES


def _arguments() -> Iterator[tuple[str, str, Any]]:
    for name, command in commands():
        for parameter in command.params:
            yield name, parameter.name, parameter.type_descriptor.annotation


def _may_be_a_file(annotation: Any) -> bool:
    return annotation in (str, Path, list[str], list[Path])


def test_every_argument_that_may_be_a_file_has_a_row() -> None:
    for command, argument, annotation in _arguments():
        if not _may_be_a_file(annotation) or (command, argument) in NAMED:
            continue
        known = argument in WORDS and annotation not in (Path, list[Path])
        row = f'Line("{argument}", KIND, "{command} … {{}}")'
        todo = f"add {row} to LINES in tests/hostile/command_lines.py, or, if it is no file, '{argument}' to WORDS"
        assert known, f"`evenhand {command}` takes '{argument}': {todo}"


def test_every_command_has_a_row() -> None:
    without = {name for name, _ in commands()} - {line.command for line in LINES}
    assert not without, f"add a Line for `evenhand {min(without)}` to tests/hostile/command_lines.py"


def test_rows_name_what_there_is() -> None:
    there = {(command, argument) for command, argument, _ in _arguments()}
    assert there >= NAMED
    assert {argument for _, argument in there} >= WORDS
    assert len({line.name for line in LINES}) == len(LINES)


def test_every_kind_has_rows_and_hostile_inputs() -> None:
    assert {line.kind for line in LINES} == set(KINDS)
    assert {kind for one in CORPUS.values() for kind in one.kinds} == set(KINDS)


CONTROLS = [line for line in LINES if line.usual or "{}" not in line.words]  # a service would run for ever


@pytest.mark.verify
@pytest.mark.parametrize("line", CONTROLS, ids=lambda line: line.name)
def test_ordinary_input_does_no_harm(line: Line, sandbox: Sandbox) -> None:
    seen, wrong = run_ordinary(line, sandbox)
    assert wrong == [], seen.err
