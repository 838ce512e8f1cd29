"""A reader that stops before the end, as `head` does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from marks import smoke

ROLES = ("--score", "first", "--label", "y", "--groups", "a,b", "--audits", "bias", "-o", "out")
COMMANDS = {
    "help": ("--help",),
    "little": ("sample", "mde", "--prevalence", "0.1", "--n", "400"),
    "tables": ("audit", "items.csv", *ROLES),
    "json": ("audit", "items.csv", *ROLES, "--json"),
}


@pytest.mark.parametrize("command", smoke(COMMANDS))
def test_a_closed_pipe_is_no_fault(command: str, small: pl.DataFrame, tmp_path: Path) -> None:
    small.write_csv(tmp_path / "items.csv")
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "evenhand", *COMMANDS[command]],
            stdout=writing,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            text=True,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")
    assert (tmp_path / "out" / "report.html").exists() == (command in ("tables", "json"))
