"""Runs the program inside the test process, and says how it must end."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from evenhand.cli import main


@dataclass
class Outcome:
    code: int
    out: str
    err: str


class Program:
    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def __call__(self, *arguments: object) -> Outcome:
        self._monkeypatch.setattr(sys, "argv", ["evenhand", *(str(a) for a in arguments)])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = self._capsys.readouterr()
        return Outcome(code, captured.out, captured.err)


def ran(program: Program, *arguments: object) -> str:
    """What a command that must succeed prints."""
    done = program(*arguments)
    assert done.code == 0, done.err
    return done.out


def refused(done: Outcome, *says: str) -> None:
    """A command that ended with one line that says this, and printed nothing else."""
    assert done.code == 2, done
    (line,) = done.err.strip().splitlines()
    for part in says:
        assert part in line, line
    assert done.out == ""


def fails(program: Program, *arguments: object, says: list[str]) -> str:
    """Run, and expect one line with these pieces, in this order, and no file that was written or altered."""
    before = _contents()
    done = program(*arguments)
    assert done.code == 2, (done.code, done.out, done.err)
    assert done.out == ""
    (line,) = done.err.strip().splitlines()
    assert line.startswith("evenhand: ")
    assert "Traceback" not in line
    rest = line
    for piece in says:
        assert piece in rest, (piece, line)
        rest = rest[rest.index(piece) + len(piece) :]
    assert _contents() == before, "something was written"
    return line


def _contents() -> dict[Path, bytes | None]:
    return {path: path.read_bytes() if path.is_file() else None for path in sorted(Path.cwd().rglob("*"))}
