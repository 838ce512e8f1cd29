"""A damaged file ends in one line, also where the reader panics, which it prints past Python."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from evenhand.errors import InputError
from evenhand.evidence import open_source
from evenhand.evidence.panics import held_back


def panic() -> None:
    with held_back():
        os.write(2, b"a panic\n")
        raise ValueError("bad")


def test_what_a_damaged_file_makes_the_reader_print_is_not_seen(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(1)
    path, refused = tmp_path / "items.arrow", 0
    pl.DataFrame({"p": rng.random(500), "t": [f"word {i} " * 3 for i in range(500)]}).write_ipc(
        path, compression="zstd"
    )
    whole = path.read_bytes()
    for _ in range(120):
        broken = bytearray(whole)
        for place in rng.integers(1, 600, 3):
            broken[-place] = rng.integers(0, 256)
        path.write_bytes(broken)
        try:
            open_source(path).collect(lambda frame: frame)
        except InputError:
            refused += 1
    assert refused > 50
    assert capfd.readouterr().err == ""


def test_what_is_printed_where_all_is_well_is_seen(capfd: pytest.CaptureFixture[str]) -> None:
    with held_back():
        os.write(2, b"a warning\n")
    assert capfd.readouterr().err == "a warning\n"
    with pytest.raises(ValueError, match="bad"):
        panic()
    assert capfd.readouterr().err == ""


def test_several_readers_at_a_time(capfd: pytest.CaptureFixture[str]) -> None:
    def read() -> None:
        for _ in range(50):
            with held_back():
                os.write(2, b"x")

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    os.write(2, b"end")
    assert capfd.readouterr().err.endswith("end")


def test_nothing_is_held_back_for_those_who_look_for_faults(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVENHAND_DEBUG", "1")
    with pytest.raises(ValueError, match="bad"):
        panic()
    assert capfd.readouterr().err == "a panic\n"
