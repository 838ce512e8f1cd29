"""What a command shows while it works."""

from __future__ import annotations

import io
import sys

import pytest


def test_a_bar_that_moves_on_with_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    from evenhand.cli.output import progress_bar

    shown = io.StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stderr", shown)
    with progress_bar() as move:
        for done in range(3):
            move("counting", done, 3)
        move("drawing", 0, 2)
    assert "drawing" in shown.getvalue()
