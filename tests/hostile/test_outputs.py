"""Outputs: nothing that lies where a command writes makes it write elsewhere, and no input is ever replaced."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hostile.cases import Case, cases
from hostile.command_lines import LINES, Line
from hostile.corpus.outputs import WAYS, alias
from hostile.judgement import misdeeds
from hostile.ordinary import PROVIDED, provide
from hostile.sandbox import Sandbox


@pytest.mark.verify
@pytest.mark.parametrize("one", list(cases("output file", "output folder")), ids=lambda one: one.name)
def test_no_harm_is_done(one: Case, sandbox: Sandbox) -> None:
    seen, wrong = one.run(sandbox)
    assert wrong == [], seen.err


def _replacements() -> Iterator[tuple[Line, str, str]]:
    """Every output of every command, each input that it could replace, and another name of that input."""
    there: dict[tuple[str, str, str], Line] = {}
    for line in LINES:
        given = [line.usual] if line.usual in PROVIDED else []
        for name in (*line.inputs, *given):
            if line.outputs and "." in name and name != line.outputs[0] and not line.long:
                there.setdefault((line.command, line.outputs[0], name), line)
    for (_, _, name), line in there.items():
        yield from ((line, name, way) for way in WAYS)


@pytest.mark.verify
@pytest.mark.parametrize(
    ("line", "name", "way"), [pytest.param(*one, id=f"{one[0].name}: {one[1]} by {one[2]}") for one in _replacements()]
)
def test_no_input_is_replaced(line: Line, name: str, way: str, sandbox: Sandbox) -> None:
    site = sandbox.site()
    provide(site, *line.inputs, *([line.usual] if line.usual in PROVIDED else []))
    out = alias(site, name, way)
    usual = out if line.kind == "output folder" else line.usual
    arguments = [out if word == line.outputs[0] else word for word in line.arguments(usual)]
    seen = sandbox.run(site, arguments, imports=line.imports)
    assert misdeeds(seen, codes=(2,)) == [], seen.err
