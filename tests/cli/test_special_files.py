"""A pipe, a device, a socket or a folder in place of a file is refused at once; a link to a file is a file."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import polars as pl
import pytest

from cli.program import ran, refused

ROLES = ["--score", "p", "--label", "y", "--groups", "g", "--audits", "bias"]
READERS = {
    "a table": ["audit", "{}.csv", *ROLES],
    "a compressed table": ["audit", "{}.csv.gz", *ROLES],
    "a workbook": ["audit", "{}.xlsx", *ROLES],
    "JSON lines": ["audit", "{}.jsonl", *ROLES],
    "a declaration": ["audit", "{}.toml"],
    "terms": ["audit", "items.csv", "--score", "p", "--label", "y", "--text", "t", "--terms", "{}.txt"],
    "spellings": ["audit", "items.csv", *ROLES, "--map", "{}.toml"],
    "earlier findings": ["audit", "items.csv", *ROLES, "--compare", "{}.json"],
    "findings": ["agreement", "{}.json", "{}.json"],
    "a card's findings": ["card", "{}.json"],
    "a plan": ["sample", "estimate", "{}.json", "items.csv"],
    "a plan to draw from": ["sample", "draw", "{}.json", "--out", "sheet.csv"],
    "a calibrator": ["calibrate", "apply", "{}.json", "items.csv", "--score", "p", "--out", "out.csv"],
    "a description of a model": ["score", "{}.toml", "items.csv", "--text", "t", "--out", "out.csv"],
}


@pytest.fixture(autouse=True)
def _impatient() -> Iterator[None]:
    """A command that waits is a fault, and not for the whole suite to wait for."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError("the command waits for what never comes")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def table() -> pl.DataFrame:
    return pl.DataFrame({"p": [0.1, 0.2, 0.3, 0.9] * 4, "y": [0, 1] * 8, "g": [1, 1, 0, 0] * 4, "t": ["word"] * 16})


def put(kind: str, path: Path) -> None:
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    else:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(path))


@pytest.mark.parametrize("kind", ["pipe", "device", "socket", "folder"])
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_is_refused(program, reader: str, kind: str) -> None:
    table().write_csv("items.csv")
    words = [word.replace("{}", "special") for word in READERS[reader]]
    name = next(word for word in words if word.startswith("special"))
    put(kind, Path(name))
    refused(program(*words), name, "this is a folder" if kind == "folder" else "a pipe, a device or a socket")


def test_a_link_to_a_file_is_read(program) -> None:
    table().write_csv("items.csv")
    Path("linked.csv").symlink_to("items.csv")
    assert "bias" in ran(program, "audit", "linked.csv", *ROLES, "--json")


@pytest.mark.parametrize("name", ["a\0b.csv", "a" * 300 + ".csv"], ids=["NUL", "too long"])
def test_a_name_that_no_file_can_have(program, name: str) -> None:
    refused(program("audit", name, *ROLES), "file")
