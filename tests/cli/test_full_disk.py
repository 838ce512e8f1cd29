"""A disk that is full ends every command that writes in one line, and what was there stays whole."""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest

from cli.loop import made_up, planned
from cli.program import Program, fails, ran

WRITES = {  # what is run first, with room; then with room for so many bytes in a file
    "community": ("synthesise community -o made --items 300", 20_000),
    "templates as Parquet": ("synthesise templates -o t.parquet --rows 300", 1000),
    "templates as CSV": ("synthesise templates -o t.csv --rows 300", 1000),
    "templates as JSON lines": ("synthesise templates -o t.jsonl --rows 300", 1000),
    "a sheet as XLSX": ("sample draw plan.json -o batch.xlsx", 3000),
    "a sheet as CSV": ("sample draw plan.json -o batch.csv", 1000),
    "tasks": ("sample draw plan.json -o batch.json", 1000),
    "a declaration": ("init items.parquet", 1000),
}


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """The system refuses longer files, as it would on a full disk; Python ignores the signal that goes with it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def campaign(program: Program) -> Program:
    made_up().head(400).write_parquet("items.parquet")
    planned(program, "--score", "p", "--n", "60")
    return program


@pytest.mark.parametrize("what", WRITES)
def test_it_is_one_line_and_nothing_is_lost(campaign: Program, what: str) -> None:
    if "XLSX" in what:
        pytest.importorskip("xlsxwriter")
    command, size = WRITES[what]
    ran(campaign, *command.split())
    again = [] if what == "community" else ["--force"]
    with room_for(size):
        fails(campaign, *command.split(), *again, says=["File too large"])


@pytest.mark.parametrize("error", ["system", "library"])
def test_a_community_that_finds_no_room(program: Program, error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raised = {
        "system": OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
        "library": pl.exceptions.ComputeError("parquet: underlying IO error: No space left on device\nand more"),
    }[error]

    def full(*_: object) -> None:
        raise raised

    Path("made").mkdir()
    Path("made/README.txt").write_text("mine")
    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    fails(program, *WRITES["community"][0].split(), says=["made: ", "No space left on device"])


def test_a_sheet_that_finds_no_room(campaign: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xlsxwriter")
    ran(campaign, "sample", "draw", "plan.json", "-o", "batch.xlsx")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    again = ("sample", "draw", "plan.json", "-o", "batch.xlsx", "--force")
    fails(campaign, *again, says=["batch.xlsx", "No space left on device"])
