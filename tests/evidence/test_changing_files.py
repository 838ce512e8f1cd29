"""A file that is replaced, cut or written to while it is read ends in one line, and never in half of a result."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest

from evenhand.errors import InputError
from evenhand.evidence import open_source

FRAME = pl.DataFrame({"p": [number / 50_000 for number in range(50_000)], "y": [0, 1] * 25_000})
WRITERS = {
    "items.csv": FRAME.write_csv,
    "items.parquet": FRAME.write_parquet,
    "items.jsonl": FRAME.write_ndjson,
    "items.arrow": FRAME.write_ipc,
}


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 3)


def replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    other.replace(path)


def append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"0.5,1\n")


def remove(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("change", [cut, replace, append, remove])
@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_changes_after_it_was_opened(tmp_path: Path, name: str, change, capfd) -> None:
    path = tmp_path / name
    WRITERS[name](path)
    source = open_source(path)
    source.columns()
    change(path)
    with pytest.raises(InputError, match=rf"{name}: the file has changed since it was opened"):
        source.collect(lambda frame: frame.select("p"))
    with pytest.raises(InputError, match="has changed"):
        list(source.batches(1000))
    assert capfd.readouterr().err == ""  # no panic of the reader either


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_changes_between_pieces(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    WRITERS[name](path)
    pieces = open_source(path).batches(1000)
    next(pieces)
    os.utime(path, ns=(0, 0))
    with pytest.raises(InputError, match="has changed"):
        list(pieces)


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_stays_is_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    WRITERS[name](path)
    source = open_source(path)
    assert source.collect(lambda frame: frame.select("p")).height == sum(map(len, source.batches(1000))) == 50_000
