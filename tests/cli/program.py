"""Runs the program inside the test process."""

from __future__ import annotations

import sys
from dataclasses import dataclass

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
